"""Verdicts on the versions of a built library: which cells are run, and what is known from before."""
