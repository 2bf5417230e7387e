"""Expressions: conditions, where branches meet, and operators of Python."""
