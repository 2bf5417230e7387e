"""Calls: of operators, with graphs too, of functions, scripts, templates and builtins."""
