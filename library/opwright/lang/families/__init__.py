"""What is asked of a function: its variants, templates, and what callers know of them."""
