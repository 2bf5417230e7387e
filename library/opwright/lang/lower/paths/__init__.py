"""Paths through a function: where they end, trials that are taken back, and where a question is resumed."""
