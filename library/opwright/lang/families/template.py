"""A template as bytes: a function with all that its names mean, before anything that only a call says is known.

The IR has no place for an open question, so what is kept is the syntax of the function and of the
helpers that it calls, resolved: every name that a function does not bind itself stands in a table with its meaning.
These bytes and the function's interface are enough to lower it for a call, without its author's files or Python.

The bytes are JSON with sorted keys, without spaces, in ASCII:

    {"functions": [{"names": {name: meaning}, "node": tree, "script": bool}], "template": 1}

The first function is the template, the others are what `["function", number]` means. `tree` is described in
`template_tree.py`. A meaning is one of

    ["value", constant]  ["tuple", [meaning]]  ["list", [meaning]]  ["type", element type, whether it is a dtype]
    ["opset", domain, version]  ["operator", domain, version, name]  ["function", number]
    ["builtin", module, name]  ["module", name]  ["typing", name]

Behind the version of an open opset stand the kinds of attributes that its author says, {operator: {attribute: kind}}:

    ["opset", domain, version, kinds]  ["operator", domain, version, kinds, name]
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Callable, Iterable

from opwright.diagnostics.diagnostic import Diagnostic, Place
from opwright.elements import BY_NAME
from opwright.lang.families.template_tree import (
    Json,
    MalformedTreeError,
    UnknownSyntaxError,
    read_constant,
    read_function,
    write_constant,
    write_function,
)
from opwright.lang.lower.module_scope import evaluate_static
from opwright.lang.meaning.annotations import read_annotation, why_not_understood, written_out
from opwright.lang.meaning.function_unit import Unit
from opwright.lang.meaning.interface import Declaration, Interface
from opwright.lang.meaning.objects import (
    MISSING,
    BuiltinObject,
    FunctionObject,
    ModuleObject,
    OperatorObject,
    OpsetObject,
    TypeObject,
    TypingObject,
)
from opwright.lang.meaning.operands import Operand
from opwright.lang.meaning.resolve import Libraries, ModuleScope
from opwright.lang.meaning.static import StaticList, StaticNamed
from opwright.lang.text.free_names import free_names
from opwright.lang.text.source import Source, Span, span_of
from opwright.lang.text.syntax import Module
from opwright.opsets.implied import declared_kinds

VERSION = 1
PREFIX = "template1:"
MOST_BYTES = 8 << 20
_MOST_FUNCTIONS = 1_000


class MalformedTemplateError(Exception):
    """Bytes that are no template; the text says why."""


def digest_of(data: bytes) -> str:
    """`template1:` and the sha256 of the bytes."""
    return PREFIX + hashlib.sha256(data).hexdigest()


# ------------------------------------------------------------------------------------------------------ writing


def write_template(unit: Unit, report: Callable[[Diagnostic], None]) -> bytes | None:
    """The template of a function; None after findings: a name without a meaning, syntax that the language lacks."""
    found: list[Diagnostic] = []
    writer = _Writer(found)
    writer.add(FunctionObject(unit.scope(found.append), unit.node))
    functions: list[Json] = []
    while len(functions) < len(writer.functions):
        functions.append(writer.write(writer.functions[len(functions)]))
    for item in found:
        report(item)
    if found:
        return None
    value = {"functions": functions, "template": VERSION}
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode("ascii")


class _Writer:
    def __init__(self, found: list[Diagnostic]) -> None:
        self.found = found
        self.functions: list[FunctionObject] = []
        self._numbers: dict[ast.FunctionDef, int] = {}

    def add(self, function: FunctionObject) -> int:
        if function.node not in self._numbers:
            self._numbers[function.node] = len(self.functions)
            self.functions.append(function)
        return self._numbers[function.node]

    def write(self, function: FunctionObject) -> Json:
        scope, node = function.scope, function.node
        try:
            tree = write_function(node, lambda annotation: self._annotation(scope, annotation))
        except UnknownSyntaxError as error:
            place = scope.module.source.place(span_of(error.node) if hasattr(error.node, "lineno") else span_of(node))
            name = type(error.node).__name__
            reason = "the statements of a template are kept, to be compiled for each call"
            self.found.append(Diagnostic("OW303", f"`{name}` is not part of the language", place, reason=reason))
            return None
        before = len(self.found)
        names = {name: self._meaning(scope, name, span) for name, span in free_names(node).items()}
        if len(self.found) > before:
            return None
        return {"names": names, "node": tree, "script": function.is_script}

    def _annotation(self, scope: ModuleScope, node: ast.expr) -> ast.expr:
        """The annotation without names of the module, which a template has no table of."""
        made = written_out(node, scope)
        if made is None and read_annotation(node) is not None:  # others are refused where they are lowered
            place = scope.module.source.place(span_of(node))
            reason = why_not_understood(
                node, scope, "what the names in it stand for is not known when the function is built"
            )
            self.found.append(Diagnostic("OW317", "the annotation is not understood", place, reason=reason))
        return made or node

    def _meaning(self, scope: ModuleScope, name: str, span: Span) -> Json:
        value = scope.lookup(name, span)
        made = None if value is MISSING else self._write(value)
        if made is None and value is not MISSING:
            self.found.append(
                Diagnostic(
                    "OW309",
                    f"`{name}` cannot be kept in a template",
                    scope.module.source.place(span),
                    reason="a template stores the values that it reads: numbers, texts, lists, types and functions",
                    help="pass it as an attribute, or write it down as a constant",
                )
            )
        return made

    def _write(self, value: Operand) -> Json:
        if value is None or isinstance(value, (bool, int, float, str)):
            return ["value", write_constant(value)]
        if isinstance(value, StaticNamed):
            return None
        if isinstance(value, tuple):
            items = [self._write(item) for item in value]
            return None if None in items else ["list" if isinstance(value, StaticList) else "tuple", items]
        if isinstance(value, TypeObject):
            return ["type", value.element.name, value.is_dtype]
        if isinstance(value, OpsetObject) and not value.signatures:
            return ["opset", *_opset(value)]
        if isinstance(value, OperatorObject) and not value.opset.signatures:
            return ["operator", *_opset(value.opset), value.name]
        if isinstance(value, FunctionObject):
            return ["function", self.add(value)]
        if isinstance(value, BuiltinObject):
            return ["builtin", value.module, value.name]
        if isinstance(value, (ModuleObject, TypingObject)):
            return ["module" if isinstance(value, ModuleObject) else "typing", value.name]
        return None


def _opset(value: OpsetObject) -> list[Json]:
    if value.open is None:
        return [value.domain, value.version]
    return [value.domain, value.version, {name: {**kinds} for name, kinds in value.open.items()}]


# ------------------------------------------------------------------------------------------------------ reading


def read_template(data: bytes, declaration: Declaration, interface: Interface, libraries: Libraries) -> Unit:
    """The function as the compiler takes it. `declaration` and `interface` are those of its entry in the index;
    `libraries` has the functions that it calls. Raises MalformedTemplateError, whatever the bytes."""
    if len(data) > MOST_BYTES:
        raise MalformedTemplateError(f"it has {len(data):,} bytes; {MOST_BYTES:,} are read at most")
    try:
        value = json.loads(data.decode("ascii"))
    except (ValueError, RecursionError):
        raise MalformedTemplateError("it is no JSON") from None
    if not isinstance(value, dict) or value.get("template") != VERSION:
        raise MalformedTemplateError(f"it is not of version {VERSION}, which this opwright reads")
    functions = value.get("functions")
    if not isinstance(functions, list) or not 0 < len(functions) <= _MOST_FUNCTIONS:
        raise MalformedTemplateError("it has no functions")
    try:
        scopes = [_TemplateScope(declaration.name, number, item, libraries) for number, item in enumerate(functions)]
        for scope in scopes:
            scope.resolve(scopes)
    except (MalformedTreeError, RecursionError) as error:
        raise MalformedTemplateError(str(error) or "it is nested too deeply") from None
    main = scopes[0]
    _check_parameters(main.node, interface)
    return Unit(main.module, main.node, declaration, interface, main.reporting, shares_scope=True)


def statement_at(unit: Unit, place: Place | None) -> str:
    """The first line of the innermost statement of a template's own function that a place is in, as text; "" for
    places elsewhere, and for the function as a whole."""
    if place is None or place.file != unit.module.source.name:
        return ""
    # Nodes are numbered in the order of the text: the statement is the last that begins before the place.
    inner = (node for node in ast.walk(unit.node) if isinstance(node, ast.stmt) and node.lineno <= place.line)
    statement = max(inner, key=lambda node: node.lineno, default=unit.node)
    return "" if statement is unit.node else ast.unparse(statement).partition("\n")[0]


class _TemplateScope(ModuleScope):
    """What the names of one function of a template mean: nothing but its table."""

    def __init__(self, name: str, number: int, value: Json, libraries: Libraries) -> None:
        table = value.get("names") if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(table, dict):
            raise MalformedTreeError("a function has no table of names")
        self.node = read_function(value.get("node"))
        self.is_script = value.get("script") is True
        self._table = table
        module = Module(Source(f"<template {name}, function {number}>", ""), ast.Module([self.node], []))
        super().__init__(module, libraries, evaluate_static, _ignore)
        self._all: list[_TemplateScope] = [self]

    def reporting(self, report: Callable[[Diagnostic], None]) -> ModuleScope:
        for scope in self._all:
            scope.report = report
        return self

    def resolve(self, scopes: list[_TemplateScope]) -> None:
        """Gives the names their meanings. Raises MalformedTreeError."""
        self._all = scopes
        for name, meaning in self._table.items():
            self._known[name] = _read_meaning(meaning, scopes)

    def lookup(self, name: str, span: Span, local: Iterable[str] = ()) -> Operand:
        """What a name means; MISSING, reported, for one that the table lacks."""
        if name not in self._known:
            self._fail(
                "OW302", f"`{name}` is not defined", span, "it is missing from the template's table of names", ""
            )
        return self._known.get(name, MISSING)


def _ignore(diagnostic: Diagnostic) -> None:
    raise AssertionError(f"nothing has been asked that could be wrong: {diagnostic.message}")


def _read_meaning(value: Json, scopes: list[_TemplateScope]) -> Operand:
    if not isinstance(value, list):
        raise MalformedTreeError("a name has no meaning")
    match value:
        case ["value", constant]:
            return read_constant(constant)
        case ["tuple", list(items)]:
            return tuple(_read_meaning(item, scopes) for item in items)
        case ["list", list(items)]:
            return StaticList(_read_meaning(item, scopes) for item in items)
        case ["type", str(name), bool(is_dtype)] if name in BY_NAME:
            return TypeObject(BY_NAME[name], is_dtype)
        case ["opset", str(domain), int(version)]:
            return OpsetObject(domain, version)
        case ["opset", str(domain), int(version), dict(kinds)]:
            return OpsetObject(domain, version, open=_read_kinds(kinds))
        case ["operator", str(domain), int(version), str(name)]:
            return OpsetObject(domain, version).operator(name)
        case ["operator", str(domain), int(version), dict(kinds), str(name)]:
            return OpsetObject(domain, version, open=_read_kinds(kinds)).operator(name)
        case ["function", int(number)] if 0 <= number < len(scopes):
            return FunctionObject(scopes[number], scopes[number].node, scopes[number].is_script)
        case ["builtin", str(module), str(name)]:
            return BuiltinObject(module, name)
        case [
            "module",
            (
                "collections"
                | "functools"
                | "math"
                | "numpy"
                | "onnx"
                | "onnx.TensorProto"
                | "onnx.helper"
                | "onnx.numpy_helper"
            ) as name,
        ]:
            return ModuleObject(name)
        case ["module", ("typing" | "opwright" | "opwright.types" | "opwright.opsets") as name]:
            return ModuleObject(name)
        case ["typing", str(name)]:
            return TypingObject(name)
    raise MalformedTreeError(f"a name means {str(value)[:60]}, which is nothing")


def _read_kinds(kinds: dict[str, Json]) -> dict[str, dict[str, str]]:
    try:
        return declared_kinds(kinds)
    except TypeError as error:
        raise MalformedTreeError(str(error)) from None


def _check_parameters(node: ast.FunctionDef, interface: Interface) -> None:
    """The function has the parameters of its interface, and no others."""
    formal = node.args
    names = [item.arg for item in (*formal.posonlyargs, *formal.args, *formal.kwonlyargs)]
    if formal.vararg is not None:
        names.append(formal.vararg.arg)
    declared = [*(item.name for item in interface.inputs), *(item.name for item in interface.attributes)]
    if formal.kwarg is not None or sorted(names) != sorted(declared):
        raise MalformedTemplateError("its parameters are not those of the interface")
