"""A source that is written for the package onnxscript, rewritten for opwright where it names that package.

All else stays as its author wrote it, line by line.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

import opwright
from opwright.diagnostics.diagnostic import Diagnostic
from opwright.elements import BY_NAME
from opwright.lang.text.source import Source, span_of, split_lines

from opwright_build.spec.name_patterns import IDENTIFIER, matches
from opwright_build.workflow.new_specs.onnxscript_names import MODULES, PEER, PeerNames, dotted

OURS = "opwright"


@dataclass(frozen=True, slots=True)
class _Edit:
    """Characters of the text, by line from 1 and UTF-8 column from 0, that become others."""

    first: tuple[int, int]
    last: tuple[int, int]
    text: str


class Rewriter:
    """Finds what is to be rewritten (`text` is what comes of it), and what cannot be (`found`)."""

    def __init__(self, source: Source, operator: str) -> None:
        self.source = source
        self.operator = operator
        self.found: list[Diagnostic] = []
        self.names = PeerNames()
        self._edits: list[_Edit] = []
        self._lines = [line.encode() for line in split_lines(source.text)]
        self._bound: dict[str, str] = {}  # what imports at top level bind, and to what

    def read(self, tree: ast.Module) -> None:
        top = set(map(id, tree.body))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self._import(node, id(node) in top)
            elif isinstance(node, ast.ImportFrom) and _is_peer(node.module or "") and not node.level:
                self._import_from(node, node.module or "", id(node) in top)
        for statement in tree.body:
            if isinstance(statement, ast.FunctionDef):
                self.names.functions.setdefault(statement.name, []).append(statement)
        for name, value in _assignments(tree):
            self.names.assigned.setdefault(name, []).append(value)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and (module := self.names.module_of(node.value)):
                self._attribute(node, module)
        for statement in tree.body:
            if isinstance(statement, ast.FunctionDef):
                self._decorators(statement)
                if statement.name == self.operator:
                    self._sizes(statement)

    def text(self) -> str:
        """The text with all that is to be rewritten; its line ends are those of the original."""
        data = self.source.text.encode()
        starts = [0]
        for line in data.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        parts: list[bytes] = []
        end = 0
        for edit in sorted(self._edits, key=lambda item: item.first):
            first, last = (starts[line - 1] + column for line, column in (edit.first, edit.last))
            parts += [data[end:first], edit.text.encode()]
            end = last
        return b"".join([*parts, data[end:]]).decode()

    def _import(self, node: ast.Import, at_top: bool) -> None:
        if not any(_is_peer(item.name) for item in node.names):
            return
        written: list[str] = []
        for item in node.names:
            if not _is_peer(item.name):
                written.append(_alias(item.name, item.asname))
                continue
            if item.name not in MODULES:
                self._lack(f"the module {item.name}", node)
            self.names.modules[item.asname or PEER] = item.name if item.asname else PEER  # `import a.b` binds `a`
            if self._is_to_be_bound(item.asname or OURS, OURS, at_top):
                written.append(_alias(OURS, item.asname))
        self._write_statement(node, [f"import {', '.join(written)}"] if written else [])

    def _import_from(self, node: ast.ImportFrom, module: str, at_top: bool) -> None:
        modules: list[str] = []
        values: list[str] = []
        for item in node.names:
            name = item.asname or item.name
            if f"{module}.{item.name}" in MODULES:
                self.names.modules[name] = f"{module}.{item.name}"
                if self._is_to_be_bound(name, OURS, at_top):
                    modules.append(f"import {_alias(OURS, name)}")
            elif self._is_taken(item.name, module, node):
                self.names.imported[name] = item.name
                if self._is_to_be_bound(name, f"{OURS}.{item.name}", at_top):
                    values.append(_alias(item.name, item.asname))
        self._write_statement(node, [*modules, *([f"from {OURS} import {', '.join(values)}"] if values else [])])

    def _is_to_be_bound(self, name: str, target: str, at_top: bool) -> bool:
        """False where an import before has bound the name to the same: the modules of onnxscript are one here, and what
        is bound twice has no single value for the compiler."""
        if at_top and self._bound.get(name) == target:
            return False
        if at_top:
            self._bound[name] = target
        return True

    def _write_statement(self, node: ast.stmt, statements: list[str]) -> None:
        """Puts statements in the place of one; a line on which nothing else stands goes with it."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        before = self._lines[node.lineno - 1][: node.col_offset].decode()
        behind = self._lines[node.end_lineno - 1][node.end_col_offset :].strip()
        if statements:
            between = "; " if before.strip() else f"\n{before}"
            self._edits.append(_replaced(node, between.join(statements)))
        elif before.strip() or behind:
            self._edits.append(_replaced(node, "pass"))
        else:
            self._edits.append(_Edit((node.lineno, 0), (node.end_lineno + 1, 0), ""))

    def _attribute(self, node: ast.Attribute, module: str) -> None:
        if f"{module}.{node.attr}" in MODULES:
            return
        root = dotted(node.value).partition(".")[0]
        if self._is_taken(node.attr, module, node):
            self._edits.append(_replaced(node.value, OURS if root == PEER else root))

    def _is_taken(self, name: str, module: str, node: ast.stmt | ast.expr) -> bool:
        if module in MODULES and (name in dir(opwright) or re.fullmatch(r"opset(_ai_onnx_\w+?)?\d+", name)):
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
            decorator = self.names.value_of(item)
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if self.names.meant(called) != "script":
                continue
            self._edits = [edit for edit in self._edits if not _lies_in(edit, item)]
            assert item.end_lineno is not None
            if function.name == self.operator:
                self._edits.append(_Edit((item.lineno, 0), (item.end_lineno + 1, 0), ""))
                continue
            root, dot, _ = dotted(called).partition(".")
            written = f"{OURS if root == PEER else root}.script" if dot else root
            self._edits.append(_replaced(item, f"{written}()"))

    def _sizes(self, function: ast.FunctionDef) -> None:
        """An interface has names of sizes, and no expressions: `FLOAT["2*N"]` says no more than `FLOAT[None]`."""
        formal = function.args
        annotated = [*formal.posonlyargs, *formal.args, formal.vararg, *formal.kwonlyargs]
        found = [function.returns, *(item.annotation for item in annotated if item is not None)]
        for node in (part for annotation in found if annotation is not None for part in ast.walk(annotation)):
            if isinstance(node, ast.Subscript) and self.names.meant(node.value).lower() in BY_NAME:
                sizes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                for size in sizes:
                    name = size.value if isinstance(size, ast.Constant) else None
                    if isinstance(name, str) and not matches(IDENTIFIER, name):
                        self._edits.append(_replaced(size, "None"))


def _is_peer(module: str) -> bool:
    return module.partition(".")[0] == PEER


def _alias(name: str, alias: str | None) -> str:
    return name if alias is None else f"{name} as {alias}"


def _assignments(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """What is assigned to a name outside of functions and classes, under conditions too."""
    pending: list[ast.AST] = [*tree.body]
    while pending:
        match node := pending.pop():
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.expr():
                continue
            case ast.Assign():
                yield from ((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case _:
                pending += ast.iter_child_nodes(node)


def _lies_in(edit: _Edit, node: ast.expr) -> bool:
    assert node.end_lineno is not None and node.end_col_offset is not None
    return (node.lineno, node.col_offset) <= edit.first and edit.last <= (node.end_lineno, node.end_col_offset)


def _replaced(node: ast.expr | ast.stmt, text: str) -> _Edit:
    assert node.end_lineno is not None and node.end_col_offset is not None
    return _Edit((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset), text)
