"""Vectors as cases: rows, stored tensors and the standard's suite, with what each is to give, asked of oracles."""
