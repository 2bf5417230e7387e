"""Calls of PyTorch's operators as calls of ONNX functions.

`operator_schema` reads the text in which PyTorch declares an operator, `binding` says what each of its arguments is to
the function that implements it, `forms/` and `promotion` what happens to values and element types, and `call` makes one
call of the operator a call of the function (`array_calls`: on arrays), by what `tensor_facts` says of tensors. Nothing
here imports torch.
"""
