"""What a lowering holds: operands, poison, and the state of one function."""
