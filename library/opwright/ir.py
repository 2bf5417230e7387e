"""onnx_ir: `link` for its models, and as one of its passes.

Imported on request alone: it needs onnx_ir. `opwright.attach`, `detach`, `polyfill` and others take an `onnx_ir.Model`
without it.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Iterable

import onnx_ir
from onnx_ir import passes

from opwright.foreign.callables import Linked, each_of
from opwright.foreign.link import link

__all__ = ["Link", "link"]


class Link(passes.FunctionalPass):
    """`link` among the passes of onnx_ir: `onnx_ir.passes.Sequential(..., Link([swish]))`."""

    def __init__(self, functions: Linked | Iterable[Linked] = ()) -> None:
        self.functions = tuple(each_of(functions))

    def call(self, model: onnx_ir.Model) -> passes.PassResult:
        return passes.PassResult(link(model, self.functions), modified=True)
