"""Where the operators of a domain live in the standard's source tree."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Home:
    """A domain as the standard's sources know it.

    `domain` is what protos carry; `macro` defines a schema, whose class is named after `class_domain`; `registry` is
    the header that lists the schemas, empty for a domain that is not the standard's. `operators` is the folder of the
    reference evaluator's classes; `prefix` stands in the names of node tests.
    """

    name: str
    domain: str
    macro: str
    class_domain: str
    registry: str
    operators: str
    prefix: str = ""

    @property
    def standard(self) -> bool:
        return bool(self.registry)

    @property
    def counts_opsets(self) -> bool:
        """Whether the domain's versions are the opsets themselves: a body's operators are then those of its version."""
        return self.domain == ""


_STANDARD = {
    home.name: home
    for home in (
        Home(
            "ai.onnx",
            "",
            "ONNX_OPERATOR_SET_SCHEMA",
            "Onnx",
            "onnx/defs/operator_sets.h",
            "onnx/reference/ops",
        ),
        Home(
            "ai.onnx.ml",
            "ai.onnx.ml",
            "ONNX_ML_OPERATOR_SET_SCHEMA",
            "OnnxML",
            "onnx/defs/operator_sets_ml.h",
            "onnx/reference/ops/aionnxml",
            "ai_onnx_ml_",
        ),
        Home(
            "ai.onnx.preview",
            "ai.onnx.preview",
            "ONNX_PREVIEW_OPERATOR_SET_SCHEMA",
            "OnnxPreview",
            "onnx/defs/operator_sets_preview.h",
            "onnx/reference/ops/aionnx_preview",
            "ai_onnx_preview_",
        ),
        Home(
            "ai.onnx.preview.training",
            "ai.onnx.preview.training",
            "ONNX_PREVIEW_TRAINING_OPERATOR_SET_SCHEMA",
            "OnnxPreview",
            "onnx/defs/operator_sets_preview.h",
            "onnx/reference/ops/aionnx_preview_training",
            "ai_onnx_preview_training_",
        ),
    )
}


def home_of(domain: str) -> Home:
    """The standard's own place for a domain; for another domain one that keeps the proposal by itself."""
    known = _STANDARD.get(domain)
    if known is not None:
        return known
    words = [word for word in domain.replace("-", ".").replace("_", ".").split(".") if word]
    class_domain = "".join(word[0].upper() + word[1:] for word in words)
    prefix = "_".join(words).lower() + "_"
    return Home(domain, domain, "ONNX_OPERATOR_SET_SCHEMA_EX", class_domain, "", "reference", prefix)
