"""Hostile input for what reads a stranger's files: seeds, changes of them, and a judge in a process of its own."""
