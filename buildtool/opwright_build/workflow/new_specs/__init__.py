"""Specs written from what others have: a part of a model, a source for onnxscript, an operator of PyTorch."""
