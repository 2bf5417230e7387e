"""ONNX back into ONNX Script. Not called `decompile`, as the function is: `opwright.decompile` is one thing."""
