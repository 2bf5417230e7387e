"""The functions of specs/ as live functions, and the graphs of their vectors as functions of Python."""

from __future__ import annotations

import importlib
import linecache
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import opwright
from onnx import FunctionProto, GraphProto, helper
from opwright import OnnxFunction, Opset
from opwright.eager.tensor import Items
from opwright.elements import BY_NAME
from opwright.lang import ir
from opwright_build.spec.model import SpecVersion
from opwright_build.verify import case_model


@cache
def live_function(file: Path, name: str, opset: int) -> OnnxFunction[..., Any]:
    """A function of a spec under `@script`, of the opset."""
    plain = getattr(_module(file), name)
    return opwright.script(default_opset=Opset("", opset))(plain)


def live_version(version: SpecVersion, opset: int) -> OnnxFunction[..., Any]:
    return live_function(version.folder / version.function_file, version.function_name, opset)


@cache
def _module(file: Path) -> ModuleType:
    """As a module of its domain's package: functions import helpers of others, `from ..DFT.function import applied`."""
    domain = file.parent.parent
    package = ModuleType(f"specs_of_{domain.name.replace('.', '_')}")
    package.__path__ = [str(domain)]
    sys.modules.setdefault(package.__name__, package)
    return importlib.import_module(f"{package.__name__}.{file.parent.name}.{file.stem}")


def argument_of(value: case_model.Value | None) -> Any:
    """The value of a vector as Python has it: an array, or a list that knows its type."""
    if isinstance(value, case_model.Items):
        return Items(map(opwright.Tensor, value.arrays), ir.TensorType(BY_NAME[value.kind]))
    return value


def attribute_of(value: Any, opset: int) -> Any:
    """A graph as the function that the decompiler writes of it; anything else as it is."""
    return _graph(value.SerializeToString(), opset) if isinstance(value, GraphProto) else value


@cache
def _graph(data: bytes, opset: int) -> OnnxFunction[..., Any]:
    graph = GraphProto.FromString(data)
    proto = FunctionProto(domain="graphs", name="graph")
    proto.node.extend(helper.make_node("Constant", [], [item.name], value=item) for item in graph.initializer)
    proto.node.extend(graph.node)
    proto.input.extend(item.name for item in graph.input)
    proto.output.extend(item.name for item in graph.output)
    proto.opset_import.add(domain="", version=opset)
    text = opwright.decompile(proto).text
    name = f"<graph {graph.name} {hash(data)} at opset {opset}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": "graph"}
    exec(compile(text, name, "exec", dont_inherit=True), namespace)
    (found,) = (item for item in namespace.values() if isinstance(item, OnnxFunction))
    return found
