"""The compiler on living functions: their source text, and what their names mean where they stand."""
