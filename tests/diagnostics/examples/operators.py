"""OW144 and OW145: operators of PyTorch that functions implement."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

_SPEC = """\
schema: 1
domain: com.acme
name: Combined
summary: A tensor plus so many times a second one.
since_version: 1
opset: ">=18"
inputs: {self: T, other: T, alpha: {type: T, rank: 0}}
outputs: {result: T}
types: {T: [float, double]}
implements: aten::add.Tensor
"""
_FUNCTION = "def Combined(self, other, alpha):\n    return self + other * alpha\n"


def _build(old: str = "", new: str = "") -> Example:
    folder = "specs/com.acme/Combined"
    spec, function = (text.replace(old, new) if old else text for text in (_SPEC, _FUNCTION))
    return Example(files={f"{folder}/spec.yaml": spec, f"{folder}/function.py": function})


PAIRS = (
    Pair("OW144", bad=_build("add.Tensor", "add.Tenser"), good=_build()),
    Pair("OW145", bad=_build("other", "more"), good=_build()),
)
