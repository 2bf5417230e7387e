"""A library's folder opened for work: its session and what that rests on, and how a task begins, writes and ends."""
