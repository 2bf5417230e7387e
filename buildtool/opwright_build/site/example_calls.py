"""An example for each function: a vector of it as a call in Python, and what that prints.

The call is of the smallest row that says something. It is run as an installed library runs it, on the first runtime
that has kernels for it, in processes of verification: nothing of a library runs here.
"""

from __future__ import annotations

import pprint
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any

import numpy as np
from onnx import ModelProto, helper
from opwright.bundle.call_interface import inputs_of_call
from opwright.bundle.format import Bundle, FunctionEntry, Index
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.elements import element
from opwright.link.apply import attach_libraries

from opwright_build.package.typed_package import module_name
from opwright_build.site.site_record import Example
from opwright_build.spec.runtime_names import ONNXRUNTIME_OFF, REFERENCE
from opwright_build.spec.vectors_file import VectorRow
from opwright_build.verify.case_model import Array
from opwright_build.verify.cases.bindings import resolve_type
from opwright_build.verify.cases.rows import expand_rows
from opwright_build.verify.cases.values import size
from opwright_build.verify.dtypes import element_of
from opwright_build.verify.facts.refusals import Refusal
from opwright_build.verify.run.isolation import Workers, run_tasks
from opwright_build.verify.run.models import Signature
from opwright_build.verify.run.runtimes import Failed, Refused, available, newest_accepted

_RUNTIMES = (ONNXRUNTIME_OFF, REFERENCE)
_MOST_ELEMENTS = 64
_TRIED = 6  # rows of one function
_WIDTH = 84
_MOST_DIGITS = 8  # of a number that somebody has written
_IR = 8  # the first in which models have functions


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function: one array for each input, None where it is absent; the element types that it binds."""

    entry: FunctionEntry
    bindings: Mapping[str, str]
    inputs: tuple[Array | None, ...]
    attributes: Mapping[str, Any]


def example_call(entry: FunctionEntry, rows: Sequence[VectorRow]) -> Call | None:
    """None where no row can be shown in a few lines."""
    if not _is_sayable(entry):
        return None
    candidates = [row for row in rows if not row.error and row.random is None and _cost(row) <= _MOST_ELEMENTS]
    calls = [call for row in sorted(candidates, key=_merit)[:_TRIED] if (call := _call(entry, row))]
    return min(calls, key=_strangeness, default=None)


def run_examples(
    calls: Sequence[Call], bundle: Bundle, packages: Mapping[str, Index], workers: Workers
) -> dict[str, Example]:
    """The examples by identity, without those that no runtime here runs. `packages` are those of the domains."""
    emitted = {item.name: item.mirror for item in bundle.index.domains}
    tasks = []
    asked = []
    limit = _newest_opset()
    for call in calls:
        model = _model(call, bundle, emitted.get(call.entry.domain, call.entry.domain), limit)
        if model is not None:
            tasks.append(_ExampleRun(model.SerializeToString(deterministic=True), _given(call), _kinds(call)))
            asked.append(call)
    printed = run_tasks(tasks, workers=workers)
    return {
        call.entry.identity: Example(tuple(_code(call, packages[call.entry.domain])), text)
        for call, text in zip(asked, printed, strict=True)
        if text is not None
    }


@dataclass(frozen=True, slots=True)
class _ExampleRun:
    """One call, in a process of its own: a task of `isolation`. Its result is what is printed, None where it fails."""

    model: bytes
    inputs: tuple[Array, ...]
    outputs: tuple[str, ...]

    def run(self) -> str | None:
        signature = Signature(tuple((element_of(item).name, item.ndim) for item in self.inputs), (), self.outputs)
        for runtime in available(_RUNTIMES):
            try:
                found = runtime.load(ModelProto.FromString(self.model), signature).run(list(self.inputs))
            except (Refused, Failed):
                continue
            arrays = [item for item in found if isinstance(item, np.ndarray)]
            return "\n".join(map(str, arrays)) if len(arrays) == len(found) else None
        return None

    def pieces(self) -> Sequence[_ExampleRun]:
        return (self,)

    def join(self, results: Sequence[str | None]) -> str | None:
        return results[0]

    def lost(self, how: str) -> None:
        return None


def _cost(row: VectorRow) -> int:
    return sum(size(source) for source in row.inputs.values())


def _merit(row: VectorRow) -> tuple[bool, bool, int]:
    """Rows with a few elements first, those without attributes before others."""
    cost = _cost(row)
    return (cost < 2, bool(row.attributes), abs(cost - 8))


def _call(entry: FunctionEntry, row: VectorRow) -> Call | None:
    """The row with the types that people write: those of numpy, float before others."""
    expanded = expand_rows([row], entry, {}).rows
    for typed in sorted(expanded, key=lambda item: [_rank(name) for name in item.bindings.values()]):
        arrays = [item for item in typed.inputs if isinstance(item, np.ndarray)]
        whole = all(item is None or isinstance(item, np.ndarray) for item in typed.inputs)
        simple = all(isinstance(value, int | float | str | tuple | list) for value in typed.attributes.values())
        if whole and simple and arrays and all(_is_plain(item) for item in arrays):
            rounded = tuple(_rounded(item) if isinstance(item, np.ndarray) else None for item in typed.inputs)
            return Call(entry, typed.bindings, rounded, typed.attributes)
    return None


def _rank(name: str) -> int:
    preferred = ("float", "int64", "double", "bool", "int32")
    return preferred.index(name) if name in preferred else len(preferred)


def _is_plain(array: Array) -> bool:
    return array.dtype.kind in "biuO" or array.dtype in (np.float16, np.float32, np.float64)


def _rounded(array: Array) -> Array:
    """Numbers that were drawn, to the digits that people read."""
    if array.dtype.kind != "f" or not (np.abs(array) < 100).all():
        return array
    drawn = any(len(str(item)) > _MOST_DIGITS for item in array.ravel())
    return np.round(array, 2) if drawn else array


def _strangeness(call: Call) -> tuple[bool, bool, bool]:
    """Infinities and empty arrays are for verification; numbers of both signs show more than others."""
    given = [item for item in call.inputs if item is not None]
    numbers = [item for item in given if item.dtype.kind == "f"]
    odd = any(not np.isfinite(item).all() or bool((np.abs(item) > 1e4).any()) for item in numbers)
    one_sign = bool(numbers) and not ((numbers[0] < 0).any() and (numbers[0] > 0).any())
    return (any(not item.size for item in given), odd, one_sign)


def _newest_opset() -> int:
    """The newest that the first runtime takes."""
    from onnx.defs import onnx_opset_version

    newest = onnx_opset_version()
    for runtime in available(_RUNTIMES):
        accepted = newest_accepted(runtime, 1, newest)
        if not isinstance(accepted, Refusal):
            return accepted
    return newest


def _model(call: Call, bundle: Bundle, emitted: str, limit: int) -> ModelProto | None:
    """A model of this one call, with the function attached; None where it cannot be."""
    ranges = [(item.first_opset, item.last_opset) for item in call.entry.bodies]
    ranges += [(item.first_opset, item.last_opset) for item in call.entry.templates]
    opset = max((min(last, limit) for first, last in ranges if first <= limit), default=0)
    if not opset:
        return None
    names = _input_names(call)
    inputs = [
        helper.make_tensor_value_info(name, element_of(array).code, array.shape)
        for name, array in zip(names, call.inputs, strict=True)
        if array is not None
    ]
    outputs = [
        helper.make_tensor_value_info(item.name, element(kind).code, None)
        for item, kind in zip(call.entry.outputs, _kinds(call), strict=True)
    ]
    given = [name if array is not None else "" for name, array in zip(names, call.inputs, strict=True)]
    node = helper.make_node(call.entry.name, given, [item.name for item in outputs], domain=emitted, **call.attributes)
    graph = helper.make_graph([node], "example", inputs, outputs)
    imports = [helper.make_opsetid("", opset), helper.make_opsetid(emitted, call.entry.since_version)]
    lowest = helper.find_min_ir_version_for(imports[:1], ignore_unknown=True)
    model = helper.make_model(graph, opset_imports=imports, ir_version=max(lowest, _IR))
    try:
        return attach_libraries(model, [bundle]).model
    except DiagnosticError:
        return None


def _given(call: Call) -> tuple[Array, ...]:
    return tuple(item for item in call.inputs if item is not None)


def _kinds(call: Call) -> tuple[str, ...]:
    return tuple(resolve_type(call.bindings, item.type) for item in call.entry.outputs)


def _input_names(call: Call) -> list[str]:
    return [item.name for item in inputs_of_call(call.entry, len(call.inputs))]


def _code(call: Call, index: Index) -> Iterator[str]:
    entry = call.entry
    yield "import numpy as np"
    yield f"from {index.package}.{module_name(index, entry.domain, entry.since_version)} import {entry.name}"
    yield ""
    arguments: list[str] = []
    by_name = False
    for name, array in zip(_input_names(call), call.inputs, strict=True):
        if array is None:
            by_name = True  # from here on
            continue
        yield from _assigned(name, array)
        arguments.append(f"{name}={name}" if by_name else name)
    arguments += (f"{name}={value!r}" for name, value in call.attributes.items())
    called = f"{entry.name}({', '.join(arguments)})"
    names = [item.name for item in entry.outputs]
    if len(names) == 1:
        yield f"print({called})"
    else:
        yield f"{', '.join(names)} = {called}"
        yield from (f"print({name})" for name in names)


def _assigned(name: str, array: Array) -> Iterator[str]:
    kind = "object" if array.dtype.kind == "O" else "bool" if array.dtype.kind == "b" else f"np.{array.dtype.name}"
    if not array.size:
        yield f"{name} = np.zeros({array.shape}, {kind})"
        return
    head = f"{name} = np.array("
    text = pprint.pformat(_short_numbers(array).tolist(), width=_WIDTH - len(head), compact=True)
    text = _NUMBERS.sub(lambda match: f"{match[1]}np.{match[2]}", text)
    yield from f"{head}{text}, {kind})".replace("\n", "\n" + " " * len(head)).split("\n")


def _short_numbers(array: Array) -> Array:
    """Of floats the doubles that are written with the fewest digits that mean them."""
    if array.dtype.kind != "f":
        return array
    return np.array([float(str(item)) for item in array.ravel()]).reshape(array.shape)


_NUMBERS = re.compile(r"(?<![\w.'\"])(-?)(nan|inf)(?![\w'\"])")


def _is_sayable(entry: FunctionEntry) -> bool:
    """Whether its names can stand in a few lines of Python beside one another."""
    names = [*(item.name for item in entry.inputs), *(item.name for item in entry.outputs)]
    plain = all(name.isidentifier() and not iskeyword(name) for name in [*names, entry.name])
    distinct = len({"np", "print", entry.name, *names}) == 3 + len(names)
    return plain and distinct and not any(item.variadic for item in entry.outputs)
