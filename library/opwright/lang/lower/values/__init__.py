"""Tensors, shapes, tuples, lists, sequences and records, and what is read from them."""
