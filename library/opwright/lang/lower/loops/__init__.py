"""Loops and comprehensions, and what they run over."""
