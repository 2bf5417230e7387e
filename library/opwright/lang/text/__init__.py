"""Text to tree: what stands where, and what each statement binds, reads and contains."""
