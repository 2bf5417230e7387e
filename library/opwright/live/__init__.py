"""The compiler on live functions (under @script): their source text, and what their names mean where they stand."""
