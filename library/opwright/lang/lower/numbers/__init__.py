"""Numbers that meet tensors, and arithmetic of numbers of the run time."""
