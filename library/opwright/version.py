"""The release of this tool, for `requires: {opwright: ...}`, for reports and for the metadata of its package."""

VERSION = "0.1.0"

# The newest version of each domain that this release has stubs of, by the prefix of its opsets' names.
OPSETS = {"opset": 28, "opset_ai_onnx_ml": 5, "opset_ai_onnx_preview": 1, "opset_ai_onnx_preview_training": 1}
