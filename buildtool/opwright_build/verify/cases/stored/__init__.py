"""Vectors that are stored as tensors, in files of the spec folder: `.npz` archives and ONNX backend-test directories.

`stored_rows` says what is read, `numpy_archive` and `backend_folder` read it, `kinds` says which of them reads what,
`fitting` puts it under the interface of a version.
"""
