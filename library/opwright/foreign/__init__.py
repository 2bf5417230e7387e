"""Calls of functions in graphs that other packages build."""
