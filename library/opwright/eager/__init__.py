"""Running functions on arrays."""
