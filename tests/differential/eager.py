"""A program run as plain Python, on the tensors and operators of eager mode."""

from __future__ import annotations

import ast
import linecache
import warnings
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

import numpy as np
import onnx
import opwright
from opwright.eager import whole_functions
from opwright.eager.python_execution import run_body
from opwright.eager.tensor import Items

from tests.differential.compiling import HEADER
from tests.differential.program import Case, Program
from tests.differential.values import name_of


class Eager:
    """The function of a program, defined once."""

    def __init__(self, program: Program) -> None:
        self.opset = program.opset
        text = HEADER.format(opset=program.opset) + program.text
        name = "<program>"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        self.namespace: dict[str, Any] = {"__name__": "program"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python thinks of the text is not our matter
            code = compile(text, name, "exec", dont_inherit=True)
        exec(code, self.namespace)
        function = self.namespace["F"]
        self.function: Callable[..., Any] = getattr(function, "__wrapped__", function)
        assert isinstance(self.function, FunctionType)
        self.floats = _float_attributes(program.text)
        self.meant = program.meant

    def run(self, program: Program, case: Case) -> list[Any]:
        """The outputs as arrays, sequences as lists of them; a float attribute is what float32 holds of it."""
        inputs = {name: case.arrays.get(name) for name in program.inputs}
        attributes = dict(case.attributes)
        for name, default in (self.function.__kwdefaults__ or {}).items():
            attributes.setdefault(name, default)
        rounded = {
            name: float(np.float32(value)) if name in self.floats and value is not None else value
            for name, value in attributes.items()
        }
        return [_plain(item) for item in run_body(self.function, inputs, rounded, self.opset)]

    def called(self, case: Case, outputs: list[Any]) -> str:
        """How calls of the function under `@script` differ from its body's `outputs`: as Python, and as one graph.
        Empty where they do not. A changed program's interface may be wrong, of which its body knows nothing."""
        function = opwright.script(default_opset=opwright.Opset("", self.opset))(self.function)
        arguments = {**case.arrays, **case.attributes}
        with whole_functions(False):
            plain = _bytes_of(function, arguments)
            if plain != _bytes_of(function, arguments):
                return ""  # random
        body = _flat(tuple(outputs) if len(outputs) > 1 else outputs[0])
        if plain != body and (self.meant or not isinstance(plain, str)):
            return f"{body} as a body, {plain} as a function"
        with whole_functions():
            found = [_bytes_of(function, arguments) for _ in range(5)]
        return next((f"{plain} as Python, {item} as a graph" for item in found if item != plain), "")

    def live_model(self, case: Case, target: int | None = None) -> onnx.ModelProto:
        """The model of the function under `@script`, for the types of a case: ranks known, sizes not."""
        types = {}
        for name, array in case.arrays.items():
            type_ = getattr(opwright, name_of(array.dtype).upper())
            types[name] = type_[(None,) * array.ndim] if array.ndim else type_
        function = opwright.script()(self.function)
        return function.to_model_proto(input_types=types, opset=target or self.opset, **case.attributes)


def calling_model(program: Program) -> onnx.ModelProto:
    """The model of a function that calls `F` with what the first case gives: tensors of known types and ranks."""
    case = program.cases[0]
    parameters = [f"{name}: {_annotation(array)}" for name, array in case.arrays.items()]
    arguments = [*(f"{name}={name}" for name in case.arrays), *(f"{k}={v!r}" for k, v in case.attributes.items())]
    text = (HEADER.format(opset=program.opset) + program.text).replace("\ndef F(", "\n@script()\ndef F(")
    text += f"\n@script()\ndef caller({', '.join(parameters)}):\n    return F({', '.join(arguments)})\n"
    name = "<caller>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": "caller"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, name, "exec", dont_inherit=True), namespace)
        model = namespace["caller"].to_model_proto(opset=program.opset)
    assert isinstance(model, onnx.ModelProto)
    return model


def _annotation(array: np.ndarray[Any, Any]) -> str:
    name = name_of(array.dtype).upper()
    return f"{name}[{', '.join(['None'] * array.ndim)}]" if array.ndim else name


def _bytes_of(function: opwright.OnnxFunction, arguments: Mapping[str, Any]) -> Any:
    """The results of a call, to be compared; what is raised, in its own words."""
    try:
        found = function(**arguments)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return _flat(found)


def _flat(found: Any) -> Any:
    if isinstance(found, (tuple, list)):
        return [_flat(item) for item in found]
    return (found.dtype.name, found.shape, found.tolist() if found.dtype.kind == "O" else found.tobytes())


def _float_attributes(text: str) -> set[str]:
    node = next(item for item in ast.parse(text).body if isinstance(item, ast.FunctionDef) and item.name == "F")
    return {item.arg for item in node.args.kwonlyargs if ast.unparse(item.annotation or ast.Constant(None)) == "float"}


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, Items) else np.asarray(value.numpy())
