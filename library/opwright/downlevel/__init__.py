"""Rewrites models for consumers that know an older opset than the model's. Needs onnx alone."""
