"""Statements but for loops."""
