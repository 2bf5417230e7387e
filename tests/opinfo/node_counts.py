"""How many nodes a call takes in an exported program: with the function of the library, and as torch's exporter has it.

Both programs are inlined and go through onnxruntime's basic optimisation, so that constants and casts of constants
count in neither. Needs torch and onnxscript.
"""

from __future__ import annotations

import copy
import functools
import unittest.mock
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnx.inliner
import torch
import torch.ao.quantization.fx._decomposed  # its import registers quantized_decomposed
from opwright.bundle.format import Bundle
from opwright.torch import link, registry, translation_table
from torch.onnx._internal.exporter._registration import ONNXRegistry

from tests.export.exporting import export, exported, optimised_nodes
from tests.opinfo.archive import Named, Tensor, Vector, file_name, read_vectors
from tests.opinfo.evaluated import overload

MOST_TRIED = 6  # calls of an operator, until one is exported


def count_nodes(library: Bundle, harvest: Path) -> Mapping[str, tuple[int, int | None]]:
    """By operator the nodes of one call: ours, and torch's, None where torch exports no such call."""
    known = registry(library)
    table = translation_table(known)
    counted: dict[str, tuple[int, int | None]] = {}
    with _registry_built_once():
        for operator in known:
            path = harvest / file_name(operator)
            if not path.exists():
                continue
            for vector in _plain_first(read_vectors(path))[:MOST_TRIED]:
                ours = _nodes(operator, vector, table)
                if ours is not None:
                    counted[operator] = ours, _nodes(operator, vector, None)
                    break
    return counted


@contextmanager
def _registry_built_once() -> Iterator[None]:
    """torch builds the registry of its own translations anew for each export, which takes longer than the export."""

    @functools.cache
    def built(**opset: int) -> ONNXRegistry:
        return original(**opset)

    def copied(**opset: int) -> ONNXRegistry:
        one = copy.copy(built(**opset))
        one.functions = {target: [*entries] for target, entries in one.functions.items()}
        return one

    original = ONNXRegistry.from_torchlib
    with unittest.mock.patch.object(ONNXRegistry, "from_torchlib", staticmethod(copied)):
        yield


def _plain_first(vectors: list[Vector]) -> list[Vector]:
    """Calls on floats of rank 1 and more, and few other arguments, stand for the others."""

    def key(vector: Vector) -> tuple[bool, bool, int]:
        tensors = [item for item in vector.args if isinstance(item, Tensor)]
        usual = bool(tensors) and all(item.array.ndim and item.array.size for item in tensors)
        return (not vector.name.startswith("float-"), not usual, len(vector.kwargs))

    return sorted(vectors, key=key)


def _nodes(operator: str, vector: Vector, table: Any) -> int | None:
    """None where the call is not exported."""
    try:
        called = _Call(operator, vector)
        program = exported(called, tuple(called.given), None)
        made = export(program, table)
        model = (made if table is None else link(made)).model_proto
        return optimised_nodes(onnx.inliner.inline_local_functions(model))
    except Exception:  # whatever the exporter or a runtime refuses the call with
        return None


class _Call(torch.nn.Module):
    """The call as a program whose inputs are its tensors."""

    def __init__(self, operator: str, vector: Vector) -> None:
        super().__init__()
        self.operator = overload(operator)
        self.given: list[torch.Tensor] = []
        self.args = [self._argument(item) for item in vector.args]
        self.kwargs = {name: self._argument(item) for name, item in vector.kwargs.items()}

    def _argument(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            self.given.append(_tensor(value))
            return _Place(len(self.given) - 1)
        if isinstance(value, list):
            return [self._argument(item) for item in value]
        return _named(value) if isinstance(value, Named) else value

    def forward(self, *tensors: torch.Tensor) -> Any:
        def filled(value: Any) -> Any:
            if isinstance(value, _Place):
                return tensors[value.index]
            return [filled(item) for item in value] if isinstance(value, list) else value

        return self.operator(*map(filled, self.args), **{name: filled(item) for name, item in self.kwargs.items()})


class _Place:
    def __init__(self, index: int) -> None:
        self.index = index


def _tensor(value: Tensor) -> torch.Tensor:
    array = torch.from_numpy(np.array(value.array))
    if value.type == "bfloat16":
        array = array.view(torch.bfloat16)
    return torch.view_as_complex(array) if value.complex else array


def _named(value: Named) -> Any:
    if value.kind == "float":
        return float(value.text)
    if value.kind == "device":
        return torch.device(value.text)
    name = (
        {"float": "float32", "double": "float64"}.get(value.text, value.text) if value.kind == "dtype" else value.text
    )
    return getattr(torch, name)
