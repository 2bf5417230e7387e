"""Nodes: what ONNX takes, and how they are written."""
