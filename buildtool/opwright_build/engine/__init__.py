"""Incremental computation: actions, their cache, and what they read. Knows nothing of ONNX or of spec folders."""
