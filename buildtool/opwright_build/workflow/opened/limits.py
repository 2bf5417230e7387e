"""How long things may take, by default."""

VECTOR_LIMIT = 120.0  # seconds that a runtime may take for what it is given at once, and then for a vector of that
