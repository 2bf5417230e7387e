"""What names, annotations and constants mean before anything runs, and what an expression may be."""
