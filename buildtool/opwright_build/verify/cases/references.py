"""A spec's reference.py as the oracle of its rows: read and checked here, run by the oracle's child alone."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from onnx import GraphProto
from opwright.bundle.call_interface import ANY, split_type
from opwright.bundle.format import FunctionEntry
from opwright.diagnostics.diagnostic import Diagnostic, Place

from opwright_build.compile.files import other_encoding
from opwright_build.spec.confine import LibraryFiles
from opwright_build.verify.case_model import Array, Expected, Items, Value
from opwright_build.verify.cases.exact_rounding import NotRepresentable
from opwright_build.verify.cases.making import expected_from_oracle, output_elements
from opwright_build.verify.cases.oracle import Failure, Oracle, OracleFailure, Reference, as_float64
from opwright_build.verify.cases.row_attributes import attributes_for_reference
from opwright_build.verify.items import tensor_in

LARGEST_FILE = 1 << 20
_IMPORTABLE = ("numpy", "math", "__future__")
TYPES = "types"  # the keyword-only parameter of a reference that depends on the element types
_CHANCES = 3  # a reference that hangs would cost its wall time in every row


@dataclass(frozen=True, slots=True)
class Checked:
    """A reference that may be asked: its text, the functions it defines at top level, and those told the types."""

    reference: Reference
    functions: tuple[str, ...]
    told_types: frozenset[str]


@dataclass(frozen=True, slots=True)
class ReferenceCall:
    """A call of `function` of the reference at `path`; `what` names the vector that it is of."""

    path: str
    function: str
    entry: FunctionEntry
    bindings: Mapping[str, str]
    inputs: Sequence[Value | None]
    attributes: Mapping[str, Any]
    what: str


class Unanswered(Exception):
    """The oracle has no answer; carries the finding, or None where it was reported before.

    Where `vector` names the vector, the finding is to be told once for all vectors with an equal one, its message
    followed by their names.
    """

    def __init__(self, finding: Diagnostic | None, vector: str = "") -> None:
        super().__init__(finding)
        self.finding = finding
        self.vector = vector


class References:
    """The references of a library, each read and checked once, asked through one oracle."""

    def __init__(self, files: LibraryFiles, oracle: Oracle) -> None:
        self._files = files
        self._oracle = oracle
        self._checked: dict[str, Checked | list[Diagnostic]] = {}
        self._stops: dict[str, int] = {}

    def check(self, folder: str, file: str, function: str) -> list[Diagnostic]:
        """What keeps the file, or this function of it, from being asked; nothing when it may be."""
        path = f"{folder}/{file}"
        if path not in self._checked:
            self._checked[path] = self._read(folder, file)
        checked = self._checked[path]
        if isinstance(checked, list):
            return checked
        if function in checked.functions:
            return []
        message = f"the reference does not define `{function}`"
        return [Diagnostic("OW416", message, Place(path), help=f"Write `def {function}(...)` at its top level.")]

    def expect(self, call: ReferenceCall) -> tuple[Expected, ...]:
        """The outputs of a reference that passed `check`, in the outputs' types.

        The call is one for which there is nothing `beyond_references`. Raises Unanswered.
        """
        entry, place = call.entry, Place(call.path)
        answers = self._ask(call)
        if len(answers) != len(entry.outputs):
            wanted = f"{entry.name} has {len(entry.outputs)}"
            message = f"the reference returns {len(answers)} outputs for {call.what}; {wanted}"
            raise Unanswered(Diagnostic("OW420", message, place))
        outputs: list[Expected] = []
        for answer, target, output in zip(answers, output_elements(entry, call.bindings), entry.outputs, strict=True):
            try:
                outputs.append(expected_from_oracle(answer, target))
            except NotRepresentable as error:
                message = f"the reference's `{output.name}` for {call.what} is no {target.name} tensor"
                raise Unanswered(Diagnostic("OW420", message, place, str(error))) from None
        return tuple(outputs)

    def _ask(self, call: ReferenceCall) -> tuple[Array, ...]:
        path, entry = call.path, call.entry
        checked = self._checked[path]
        assert isinstance(checked, Checked)
        if self._stops.get(path, 0) > _CHANCES:
            raise Unanswered(None)
        given = [None if value is None else as_float64(tensor_in(value)) for value in call.inputs]
        keywords = attributes_for_reference(entry, call.attributes)
        if call.function in checked.told_types:
            keywords[TYPES] = dict(call.bindings)
        try:
            return self._oracle.ask(checked.reference, call.function, given, keywords)
        except OracleFailure as failure:
            place = Place(path, failure.line, 1) if failure.line else Place(path)
            if failure.kind is Failure.RAISED:
                raise Unanswered(
                    Diagnostic("OW418", "the reference fails on", place, failure.text, _called(entry, failure.text)),
                    call.what,
                ) from None
            self._stops[path] = self._stops.get(path, 0) + 1
            if self._stops[path] > _CHANCES:
                message = f"the reference was stopped {self._stops[path]} times and is not asked any more"
                raise Unanswered(Diagnostic("OW419", message, place, failure.text)) from None
            message = "the reference was stopped on"
            raise Unanswered(Diagnostic("OW419", message, place, failure.text), call.what) from None

    def _read(self, folder: str, file: str) -> Checked | list[Diagnostic]:
        path = f"{folder}/{file}"
        data = self._files.read(folder, file, LARGEST_FILE)
        if isinstance(data, Diagnostic):
            return [data]
        encoded = other_encoding(path, data)
        if encoded is not None:
            return [encoded]
        try:
            tree = _parse(data, path)
        except SyntaxError as error:
            place = Place(path, error.lineno or 0, error.offset or 1)
            return [Diagnostic("OW415", "the reference is no Python that can be read", place, error.msg)]
        refused = _refused_imports(tree, path)
        if refused:
            return refused
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        told = frozenset(node.name for node in functions if any(item.arg == TYPES for item in node.args.kwonlyargs))
        return Checked(Reference(data), tuple(node.name for node in functions), told)


def _called(entry: FunctionEntry, failure: str) -> str:
    """How the reference is called, where it is that on which it fails."""
    if not re.search(r"unexpected keyword argument|positional argument|multiple values for argument", failure):
        return ""
    return f"it is called as `{entry.name}({', '.join(_parameters(entry))})`"


def _parameters(entry: FunctionEntry) -> Iterator[str]:
    yield from (f"*{item.name}" if item.variadic else item.name for item in entry.inputs)
    yield from (f"{item.name}=..." for item in entry.attributes)


def beyond_references(
    entry: FunctionEntry, inputs: Sequence[Value | None], attributes: Mapping[str, Any]
) -> Literal["", "a graph", "a sequence"]:
    """What of a call no reference can be given or give: references have numpy and nothing else."""
    if any(isinstance(value, GraphProto) for value in attributes.values()):
        return "a graph"
    open_types = any(split_type(output.type) != ((), output.type) or output.type == ANY for output in entry.outputs)
    return "a sequence" if open_types or any(isinstance(value, Items) for value in inputs) else ""


def _parse(data: bytes, path: str) -> ast.Module:
    """Raises SyntaxError alone: also for what the parser refuses in other ways."""
    if len(data) > LARGEST_FILE:
        raise SyntaxError(f"the file is longer than {LARGEST_FILE:,} bytes")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of doubtful escapes: no business of a verification
            return ast.parse(data, path)
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error) or type(error).__name__) from None


def _refused_imports(tree: ast.Module, path: str) -> list[Diagnostic]:
    findings: list[Diagnostic] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            names = ["." * node.level + (node.module or "")]
        for name in names:
            if name.split(".")[0] not in _IMPORTABLE:
                message = f"a reference may not import `{name}`"
                reason = "It may import numpy and math alone: it says what the function is, and nothing else."
                findings.append(Diagnostic("OW417", message, Place(path, node.lineno, node.col_offset + 1), reason))
    return findings
