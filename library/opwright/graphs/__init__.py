"""Tools for ONNX protos: ids, walks, inlining, values and files. They know nothing of compiling or libraries."""
