"""A source written for the package onnxscript as the files of a spec: `opwright new function X --from-onnxscript FILE`.

The author's text stays, line by line; what names onnxscript names opwright, and the function is no longer decorated,
since a spec says what it is. The package onnxscript need not be installed, and nothing of the file is run.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from pathlib import Path

import opwright
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Severity
from opwright.elements import BY_NAME
from opwright.lang.lower.declared import output_names
from opwright.lang.source import Source, span_of
from opwright.lang.syntax import parse

from opwright_build.engine.tree import read_regular
from opwright_build.spec.model import OpsetRange

PEER = "onnxscript"
_MODULES = (PEER, f"{PEER}.onnx_opset", f"{PEER}.onnx_types", f"{PEER}.values", f"{PEER}.main")
_PLAIN = ("int", "float", "str", "bool", "Graph")
_HOLDERS = ("Sequence", "Optional", "List", "Tuple", "list", "tuple", "Annotated")


@dataclass(frozen=True, slots=True)
class ForeignSource:
    """The text of a file for opwright, and the function of it that is meant."""

    text: str
    node: ast.FunctionDef

    def files(
        self, domain: str, operator: str, version: int, admitted: OpsetRange
    ) -> tuple[dict[str, bytes], list[Diagnostic]]:
        """The files of a spec folder by name, with notes."""
        vectors = "schema: 1\nrows: []\n"
        spec = self._spec(domain, operator, version, admitted)
        files = {"spec.yaml": spec, "function.py": self.text, "vectors.yaml": vectors}
        message, help_ = f"no vector is made for {operator}", "write rows in vectors.yaml"
        note = Diagnostic("OW655", message, reason="a source has no values to try", help=help_, severity=Severity.NOTE)
        return {name: text.encode() for name, text in files.items()}, [note]

    def _spec(self, domain: str, operator: str, version: int, admitted: OpsetRange) -> str:
        formal = self.node.args
        variadic = [] if formal.vararg is None else [formal.vararg]
        parameters = [*formal.posonlyargs, *formal.args, *variadic, *formal.kwonlyargs]
        inputs = {item.arg: _element(item.annotation) for item in parameters if not _is_attribute(item.annotation)}
        results = _results(self.node)
        names = output_names(self.node, [item.arg for item in parameters], len(results))
        first = next(iter(inputs.values()), "T")  # a guess where the author says nothing; the build checks it
        outputs = {name: first if item is None else _element(item) for name, item in zip(names, results, strict=True)}
        summary = json.dumps((ast.get_docstring(self.node) or f"{operator}.").strip().splitlines()[0][:200])
        lines = ["schema: 1", f"domain: {domain}", f"name: {operator}", f"summary: {summary}"]
        lines += [f"since_version: {version}", f'opset: ">={self._opset(admitted)}"']
        for key, values in (("inputs", inputs), ("outputs", outputs)):
            lines.append(f"{key}: {{{', '.join(f'{name}: {kind}' for name, kind in values.items())}}}")
        if "T" in (*inputs.values(), *outputs.values()):
            lines.append("types: {T: [float16, float, double]}")
        return "\n".join([*lines, "vectors: [vectors.yaml]", ""])

    def _opset(self, admitted: OpsetRange) -> int:
        """The opset that the file names, as far as the library has it."""
        named = re.search(r"\bopset(\d+)\b", self.text)
        return min(max(admitted.first, int(named[1]) if named else 0), admitted.last)


def read_onnxscript(file: Path, operator: str) -> ForeignSource:
    """The function of that name in a file. DiagnosticError where the file is no Python, has no such function, or names
    what opwright lacks: all of it at once, each at its place."""
    try:
        text = read_regular(file).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DiagnosticError([Diagnostic("OW654", f"{file} cannot be read", reason=str(error))]) from None
    source = Source(file.as_posix(), text)
    module = parse(source)
    if isinstance(module, Diagnostic):
        raise DiagnosticError([module])
    reader = _Reader(source, operator)
    reader.read(module.tree)
    nodes = [node for node in module.tree.body if isinstance(node, ast.FunctionDef) and node.name == operator]
    if not nodes:
        others = ", ".join(node.name for node in module.tree.body if isinstance(node, ast.FunctionDef)) or "none"
        help_ = "name the new function as the one in the file is"
        place = Place(file.as_posix())
        message = f"{file} has no function {operator}"
        reader.found.append(Diagnostic("OW654", message, place, f"its functions are: {others}", help_))
    if reader.found:
        raise DiagnosticError(reader.found)
    return ForeignSource(_edited(text, reader.edits), nodes[-1])


@dataclass(frozen=True, slots=True)
class _Edit:
    """Characters of the text, by line from 1 and UTF-8 column from 0, that become others."""

    first: tuple[int, int]
    last: tuple[int, int]
    text: str


class _Reader:
    """Finds what is to be rewritten, and what cannot be."""

    def __init__(self, source: Source, operator: str) -> None:
        self.source = source
        self.operator = operator
        self.found: list[Diagnostic] = []
        self.edits: list[_Edit] = []
        self._modules: dict[str, str] = {}  # modules of onnxscript by the names that they have in the file

    def read(self, tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self._import(node)
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PEER and not node.level:
                kept = [item for item in node.names if self._is_taken(item.name, node.module or "", node)]
                names = ", ".join(
                    item.name if item.asname is None else f"{item.name} as {item.asname}" for item in kept
                )
                self.edits.append(_replaced(node, f"from opwright import {names}"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and _dotted(node.value) in self._modules:
                owner = _dotted(node.value)
                if f"{owner}.{node.attr}" in self._modules:
                    continue
                if self._is_taken(node.attr, self._modules[owner], node) and owner.split(".")[0] == PEER:
                    self.edits.append(_replaced(node.value, "opwright"))
        for statement in tree.body:
            if isinstance(statement, ast.FunctionDef):
                self._decorators(statement)

    def _import(self, node: ast.Import) -> None:
        names = [item.name for item in node.names if item.name.split(".")[0] == PEER]
        if not names:
            return
        written: list[str] = []
        for item in node.names:
            if item.name in names and item.name not in _MODULES:
                self._lack(f"the module {item.name}", node)
            if item.name in names:
                self._modules[item.asname or item.name] = item.name
                if item.asname is None:
                    self._modules[PEER] = PEER  # `import a.b` binds `a`
            name = "opwright" if item.name in names else item.name
            written.append(name if item.asname is None else f"{name} as {item.asname}")
        self.edits.append(_replaced(node, f"import {', '.join(dict.fromkeys(written))}"))

    def _is_taken(self, name: str, module: str, node: ast.stmt | ast.expr) -> bool:
        if module in _MODULES and (name in dir(opwright) or re.fullmatch(r"opset(_ai_onnx_\w+?)?\d+", name)):
            return True
        self._lack(f"`{name}` of {module}", node)
        return False

    def _lack(self, what: str, node: ast.stmt | ast.expr) -> None:
        help_ = "write what it does with operators, or leave it out of the file"
        place = self.source.place(span_of(node))
        self.found.append(Diagnostic("OW654", f"opwright has nothing for {what}", place, help=help_))

    def _decorators(self, function: ast.FunctionDef) -> None:
        """The function itself is not decorated in a spec; of others the decorator says that they stay calls."""
        for item in function.decorator_list:
            called = item.func if isinstance(item, ast.Call) else item
            if _dotted(called).rpartition(".")[2] != "script":
                continue
            self.edits = [edit for edit in self.edits if not _lies_in(edit, item)]
            assert item.end_lineno is not None
            if function.name == self.operator:
                self.edits.append(_Edit((item.lineno, 0), (item.end_lineno + 1, 0), ""))
            else:
                written = ".".join(["opwright" if part == PEER else part for part in _dotted(called).split(".")])
                self.edits.append(_replaced(item, f"{written}()"))


def _lies_in(edit: _Edit, node: ast.expr) -> bool:
    assert node.end_lineno is not None and node.end_col_offset is not None
    return (node.lineno, node.col_offset) <= edit.first and edit.last <= (node.end_lineno, node.end_col_offset)


def _replaced(node: ast.expr | ast.stmt, text: str) -> _Edit:
    assert node.end_lineno is not None and node.end_col_offset is not None
    return _Edit((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset), text)


def _edited(text: str, edits: list[_Edit]) -> str:
    lines = text.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    data = b"".join(lines)
    for edit in sorted(edits, key=lambda item: item.first, reverse=True):
        first, last = (starts[line - 1] + column for line, column in (edit.first, edit.last))
        data = data[:first] + edit.text.encode() + data[last:]
    return data.decode()


def _dotted(node: ast.expr) -> str:
    """`a.b.c` as text; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _is_attribute(annotation: ast.expr | None) -> bool:
    """Whether a parameter with that annotation is an attribute: of Python's own types, alone or in `Sequence[...]`."""
    if isinstance(annotation, ast.Subscript):
        owner = _dotted(annotation.value).rpartition(".")[2]
        return owner == "Literal" or (owner in _HOLDERS and _is_attribute(annotation.slice))
    if isinstance(annotation, ast.Tuple):
        return any(map(_is_attribute, annotation.elts))
    return annotation is not None and _dotted(annotation).rpartition(".")[2] in _PLAIN


def _element(annotation: ast.expr | None) -> str:
    """The element type that an annotation says, as a spec writes it; the type variable T where it says none."""
    if isinstance(annotation, ast.Subscript):
        if _dotted(annotation.value).rpartition(".")[2] == "Optional":
            return _element(annotation.slice)
        annotation = annotation.value
    name = _dotted(annotation).rpartition(".")[2].lower() if annotation is not None else ""
    return name if name in BY_NAME else "T"


def _results(function: ast.FunctionDef) -> list[ast.expr | None]:
    """What is annotated of each value that a function returns."""
    returns = function.returns
    if isinstance(returns, ast.Subscript) and _dotted(returns.value).rpartition(".")[2].lower() == "tuple":
        return list(returns.slice.elts) if isinstance(returns.slice, ast.Tuple) else [returns.slice]
    if isinstance(returns, ast.Tuple):
        return list(returns.elts)
    if returns is not None:
        return [returns]
    values = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    return [None] * max([len(value.elts) if isinstance(value, ast.Tuple) else 1 for value in values], default=1)
