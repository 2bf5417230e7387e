"""A library's vectors as a corpus that any consumer of ONNX reads, and backends held against one."""
