"""A model as a task for an evaluator: a call of one function, whose body is the model's graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from onnx import ModelProto

from opwright.eager.arrays import Data
from opwright.eager.node_models import Task
from opwright.graphs.inline import inline_model
from opwright.graphs.walk import all_nodes
from opwright.lang import ir
from opwright.opsets.signatures import Signature, signature


@dataclass(frozen=True, slots=True)
class ModelTask(Task):
    """`whole` is the model, with inputs `i0`, `i1`... and outputs `o0`, `o1`..."""

    whole: ModelProto = field(kw_only=True)

    def signatures(self) -> Iterator[Signature]:
        """The operators of the model, those of the functions that it calls among them."""
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
        made.CopyFrom(self.whole)
        inline_model(made)
        return made


def model_task(
    name: str, opset: int, model: ModelProto, feeds: Mapping[ir.Value, Data], outputs: Sequence[ir.Type]
) -> ModelTask:
    """The task of computing results of these types from values that are given."""
    called = ir.FunctionReference("", "", 1, name, 1, (), "", (), (), True)
    results: list[ir.Value | None] = [ir.Value(type_) for type_ in outputs]
    node = ir.Call(called, list(feeds), {}, results, None)
    return ModelTask(node, opset, tuple(feeds), tuple(feeds.values()), None, whole=model)
