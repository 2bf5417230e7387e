"""Vectors that are stored as tensors, in files of the spec folder: `.npz` archives and ONNX backend-test directories.

`model` says what is read, `archive` and `backend` read it, `sources` says which of them reads what, `fitting` puts it
under the interface of a version.
"""
