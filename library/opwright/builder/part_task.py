"""A part of a graph as a task for an evaluator: a call of one function, whose body is the part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from onnx import ModelProto

from opwright.eager.models import Task
from opwright.lang import ir
from opwright.link.inline import inline_model
from opwright.link.walk import all_nodes
from opwright.opsets.signatures import Signature, signature


@dataclass(frozen=True, slots=True)
class PartTask(Task):
    """`part` is the model of the part, with inputs `i0`, `i1`... and outputs `o0`, `o1`..."""

    part: ModelProto = field(kw_only=True)

    def signatures(self) -> Iterator[Signature]:
        """The operators of the part, those of the functions that it calls among them."""
        model = self.model(self.opset)
        versions = {item.domain: item.version for item in model.opset_import}
        for node in all_nodes(model.graph.node):
            found = signature(node.domain, node.op_type, versions[node.domain])
            if found is not None:
                yield found

    def opsets(self) -> tuple[int, int]:
        return self.opset, self.opset

    def model(self, opset: int) -> ModelProto:
        """The model, without functions."""
        made = ModelProto()
        made.CopyFrom(self.part)
        inline_model(made)
        return made


def part_task(
    name: str, opset: int, model: ModelProto, feeds: Mapping[ir.Value, Any], outputs: list[ir.Value]
) -> PartTask:
    """The task of computing the outputs, of their own types, from values that are given."""
    called = ir.FunctionReference("", "", 1, f"a part of {name}", 1, (), "", (), (), True)
    results: list[ir.Value | None] = [ir.Value(value.type) for value in outputs]
    node = ir.Call(called, list(feeds), {}, results, None)
    return PartTask(node, opset, tuple(feeds), tuple(feeds.values()), None, part=model)
