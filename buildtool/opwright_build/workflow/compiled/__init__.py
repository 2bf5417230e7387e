"""Versions compiled, each an action of its own, and what they give to their library."""
