"""Domains of operators and functions. ONNX spells the default one `""` and `ai.onnx`; here it is `""`."""

from __future__ import annotations

DEFAULT_DOMAIN = ""
# The standard's own domains. Others that begin alike (`ai.onnx.contrib`) are not, and no opset says anything of them.
STANDARD_DOMAINS = ("", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training", "ai.onnx.training")


def normal_domain(domain: str) -> str:
    """ONNX's two spellings of the default domain are one."""
    return DEFAULT_DOMAIN if domain == "ai.onnx" else domain


# The standard's domains, and those of operators that onnxruntime brings: it takes its kernel for such a name, whatever
# function of that name a model has.
RUNTIME_DOMAINS = ("ai.onnx", "com.microsoft", "org.pytorch.aten")
