"""What type checkers and editors see of ONNX: stubs of its tensor types and of every operator at every opset.

`python -m opwright_build.opset_stubs library/opwright` writes them, from the schemas of the installed onnx and from the
table of what Python's operators mean on tensors.
"""
