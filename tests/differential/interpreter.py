"""What a program of the language means: its syntax tree run with Python's rules over the tensors of `values.py`.

Written from DESIGN section 4 alone. It decides by itself what a name, a branch, a loop and a call mean, and asks
neither the compiler nor Python's own evaluation of the text.
"""

from __future__ import annotations

import ast
from collections import namedtuple
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tests.differential import kernels
from tests.differential.expressions import BINARY, BUILTINS, Expressions, NamedTuple, Operator, Opset, Scope, rows
from tests.differential.noise import Noise
from tests.differential.values import (
    Closure,
    ElementTypeObject,
    OutOfScope,
    Refused,
    Tensor,
    name_of,
    to_tensor,
    truth,
)

STEP_LIMIT = 20_000
TYPES = {
    "FLOAT": "float",
    "DOUBLE": "double",
    "INT32": "int32",
    "INT64": "int64",
    "UINT8": "uint8",
    "BOOL": "bool",
}


class Unbound(Exception):
    """A name is read that has no value on this path: Python raises, so no accepted program may come here."""


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class _Return(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value
        super().__init__()


def run(
    text: str, inputs: Mapping[str, Any], outputs: Sequence[str], opset: int, noise: Noise, version: int | None = None
) -> tuple[list[Any], set[int], set[str]]:
    """The outputs of `F` in the text, as arrays of the element types `outputs`; the indexes of those that were numbers;
    and the constructs that were run.

    `version` is what `op.version` says, where it is not the opset that the text is written against. `inputs` gives
    each parameter an array, a number (an attribute, floats rounded to float32) or None; attributes are keyword-only
    parameters of `F`.
    """
    machine = Machine(text, opset, noise, version)
    arguments = {
        name: [Tensor(item) for item in value]
        if isinstance(value, list)
        else Tensor(value)
        if isinstance(value, np.ndarray)
        else kernels.attribute(value)
        for name, value in inputs.items()
    }
    node = machine.functions["F"]
    value = machine.call(node, [], {**machine.float_defaults(node, arguments), **arguments})
    values = value if isinstance(value, tuple) else (value,)
    if len(values) != len(outputs):
        raise Refused(f"{len(values)} values are returned, {len(outputs)} are declared")
    numbers = {index for index, item in enumerate(values) if not _holds_tensors(item, outputs[index])}
    return [_output(item, wanted) for item, wanted in zip(values, outputs, strict=True)], numbers, machine.covered


def _holds_tensors(value: Any, wanted: str) -> bool:
    """Whether an output has the element types of its tensors; else it is made of numbers."""
    if isinstance(value, (tuple, list)):
        return wanted.startswith("seq ") or any(_holds_tensors(item, wanted) for item in value)
    return isinstance(value, Tensor)


def _output(value: Any, wanted: str) -> Any:
    if wanted.startswith("seq "):
        if not isinstance(value, list):
            raise Refused("no sequence is returned")
        return [_output(item, wanted.removeprefix("seq ")) for item in value]
    if value is None:
        raise Refused("None is returned")
    tensor = to_tensor(value, ElementTypeObject(wanted).dtype)
    if name_of(tensor.dtype) != wanted:
        raise Refused(f"the output is {tensor.dtype}, {wanted} is declared")
    return tensor.array


class Machine(Expressions):
    """One run of a module: its functions, its constants, and how many steps it may still make."""

    def __init__(self, text: str, opset: int, noise: Noise, version: int | None = None) -> None:
        self.opset = opset
        self.version = opset if version is None else version
        self.noise = noise
        self.context = kernels.Context(opset, noise, self.call_closure)
        self.steps = 0
        self.unpacked = None
        self.covered: set[str] = set()
        self.functions: dict[str, ast.FunctionDef] = {}
        self.globals: Scope = {name: ElementTypeObject(element) for name, element in TYPES.items()}
        self.globals["op"] = Opset()
        self.tuples: dict[str, ast.ClassDef] = {}  # classes of typing.NamedTuple
        self.constants: dict[str, ast.expr] = {}  # evaluated when they are first read
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.FunctionDef):
                self.functions[statement.name] = statement
            elif isinstance(statement, ast.ClassDef):
                self.tuples[statement.name] = statement
            elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                self.constants[statement.targets[0].id] = statement.value

    # ------------------------------------------------------------------------------------------------ functions

    def call_closure(self, callee: Closure, positional: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        node = callee.node
        if callee.kind == "script":
            floats = {item.arg for item in _parameters(node) if _annotation(item) == "float"}
            given = {**dict(zip((item.arg for item in node.args.args), positional, strict=False)), **keywords}
            rounded = {
                name: kernels.attribute(float(value)) if name in floats else value for name, value in given.items()
            }
            return self.call(node, [], {**self.float_defaults(node, rounded), **rounded}, callee.scope)
        return self.call(node, positional, keywords, callee.scope, callee.defaults)

    def call(
        self,
        node: ast.FunctionDef,
        positional: Sequence[Any],
        keywords: Mapping[str, Any],
        enclosing: Scope | None = None,
        evaluated: Mapping[str, Any] = {},
    ) -> Any:
        """Binds arguments by Python's rules and runs the body. `evaluated`: the defaults of a function inside another,
        which were read where it was defined."""
        scope: Scope = dict.fromkeys(_assigned(node.body), _UNBOUND)
        if enclosing is not None:
            scope[_ENCLOSING] = enclosing
        arguments = [*node.args.posonlyargs, *node.args.args]
        names = [argument.arg for argument in arguments]
        by_keyword = [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)]
        bound = dict(zip(names, positional, strict=False))
        if node.args.vararg is not None:
            bound[node.args.vararg.arg] = tuple(positional[len(names) :])
            positional = positional[: len(names)]
        if len(positional) > len(names) or any(name in bound or name not in by_keyword for name in keywords):
            raise Refused(f"the arguments do not fit {node.name}")
        bound.update(keywords)
        defaults = dict(zip(reversed(names), reversed(node.args.defaults), strict=False))
        for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
            names.append(argument.arg)
            if default is not None:
                defaults[argument.arg] = default
        for name in names:
            if name not in bound:
                if name not in defaults:
                    raise Refused(f"{node.name} needs {name}")
                bound[name] = evaluated[name] if name in evaluated else self._evaluate(defaults[name], {})
        scope.update(bound)
        try:
            self._block(node.body, scope)
        except _Return as found:
            return found.value
        return None

    def float_defaults(self, node: ast.FunctionDef, given: Mapping[str, Any]) -> Scope:
        """A float attribute's default is rounded to float32 as any other value of it."""
        plain = [*node.args.posonlyargs, *node.args.args]
        defaults = [
            *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True),
            *zip(reversed(plain), reversed(node.args.defaults), strict=False),
        ]
        return {
            argument.arg: kernels.attribute(float(self._evaluate(default, {})))
            for argument, default in defaults
            if default is not None and argument.arg not in given and _annotation(argument) == "float"
        }

    def _step(self) -> None:
        self.steps += 1
        if self.steps > STEP_LIMIT:
            raise OutOfScope("too many steps")

    # ----------------------------------------------------------------------------------------------- statements

    def _block(self, statements: Sequence[ast.stmt], scope: Scope) -> None:
        for statement in statements:
            self._step()
            self._statement(statement, scope)

    def _statement(self, statement: ast.stmt, scope: Scope) -> None:
        cover = self.covered.add
        match statement:
            case ast.Assign(targets=targets, value=value):
                cover("assignment" if len(targets) == 1 else "chained assignment")
                self.unpacked = value if isinstance(targets[0], (ast.Tuple, ast.List)) else None
                found = self._evaluate(value, scope)
                for target in targets:
                    self._bind(target, found, scope)
            case ast.AnnAssign(target=target, value=value):
                cover("annotated assignment")
                if value is not None:
                    self._bind(target, self._evaluate(value, scope), scope)
            case ast.AugAssign(target=ast.Subscript() as target, op=symbol, value=value):
                cover("augmented item")
                owner, place = self._place(target, scope)
                owner[place] = self._binary(symbol, owner[place], self._evaluate(value, scope))
            case ast.AugAssign(target=ast.Name(id=name), op=symbol, value=value):
                left = self._read(name, scope)
                right = self._evaluate(value, scope)
                cover(f"augmented {BINARY[type(symbol)]}=")
                scope[name] = self._binary(symbol, left, right)
            case ast.If(test=test, body=body, orelse=orelse):
                self._block(body if self._truth(test, scope, "if") else orelse, scope)
            case ast.For():
                self._for(statement, scope)
            case ast.While():
                self._while(statement, scope)
            case ast.Return(value=value):
                cover("return")
                raise _Return(None if value is None else self._evaluate(value, scope))
            case ast.Expr(value=value):
                cover("expression statement")
                self._evaluate(value, scope)
            case ast.Delete(targets=targets):
                cover("del")
                for target in targets:
                    if isinstance(target, ast.Subscript):
                        owner, place = self._place(target, scope)
                        del owner[place]
                        continue
                    assert isinstance(target, ast.Name)
                    self._read(target.id, scope)
                    scope[target.id] = _UNBOUND
            case ast.Assert(test=test):
                cover("assert")
                if not truth(self._evaluate(test, scope)):
                    raise Refused("an assertion does not hold")
            case ast.FunctionDef(name=name):
                cover("nested def")
                scope[name] = Closure(statement, scope, "graph", self._defaults(statement.args, scope))
            case ast.Pass():
                cover("pass")
            case ast.Break():
                cover("break")
                raise _Break
            case ast.Continue():
                cover("continue")
                raise _Continue
            case ast.Match(subject=subject, cases=cases):
                self._match(self._evaluate(subject, scope), cases, scope)
            case _:
                raise Refused(f"{type(statement).__name__} is not part of the language")

    def _for(self, statement: ast.For, scope: Scope) -> None:
        items = self._evaluate(statement.iter, scope)
        if isinstance(items, Tensor):
            self.covered.add("for over rows")
            items = rows(items)
        if isinstance(items, dict):
            items = list(items)
        if not isinstance(items, (range, tuple, list, str)):
            raise Refused(f"`for` over {items!r}")
        over = "range" if isinstance(items, range) else "a list"
        self.covered.add(f"for over {over}, {'no trip' if not items else 'one trip' if len(items) == 1 else 'trips'}")
        for item in items:
            self._step()
            self._bind(statement.target, item, scope)
            try:
                self._block(statement.body, scope)
            except _Break:
                return
            except _Continue:
                continue
        if statement.orelse:
            self.covered.add("else of a for")
        self._block(statement.orelse, scope)

    def _match(self, subject: Any, cases: Sequence[ast.match_case], scope: Scope) -> None:
        """The first case that fits; where none does, nothing. Names that a pattern bound stay bound, as in Python."""
        for case in cases:
            self._step()
            if self._fits(case.pattern, subject, scope) and (
                case.guard is None or truth(self._evaluate(case.guard, scope))
            ):
                self.covered.add("match")
                self._block(case.body, scope)
                return

    def _fits(self, pattern: ast.pattern, subject: Any, scope: Scope) -> bool:
        match pattern:
            case ast.MatchValue(value=value):
                return truth(self._compare_pair(ast.Eq(), subject, self._evaluate(value, scope)))
            case ast.MatchSingleton(value=value):
                return subject is value
            case ast.MatchOr(patterns=patterns):
                return any(self._fits(item, subject, scope) for item in patterns)
            case ast.MatchAs(pattern=inner, name=name):
                if inner is not None and not self._fits(inner, subject, scope):
                    return False
                if name is not None:
                    scope[name] = subject
                return True
            case ast.MatchSequence(patterns=patterns):
                return isinstance(subject, (tuple, list)) and self._fits_items(patterns, list(subject), scope)
        raise OutOfScope(f"the interpreter does not know {type(pattern).__name__} in patterns")

    def _fits_items(self, patterns: Sequence[ast.pattern], items: list[Any], scope: Scope) -> bool:
        places = [place for place, item in enumerate(patterns) if isinstance(item, ast.MatchStar)]
        if not places:
            return len(items) == len(patterns) and all(
                self._fits(one, item, scope) for one, item in zip(patterns, items, strict=True)
            )
        (place,) = places
        after = len(patterns) - place - 1
        starred = patterns[place]
        assert isinstance(starred, ast.MatchStar)
        if len(items) < len(patterns) - 1:
            return False
        end = len(items) - after
        if not self._fits_items(patterns[:place], items[:place], scope):
            return False
        if not self._fits_items(patterns[place + 1 :], items[end:], scope):
            return False
        if starred.name is not None:
            scope[starred.name] = items[place:end]
        return True

    def _while(self, statement: ast.While, scope: Scope) -> None:
        trips = 0
        while self._truth(statement.test, scope, "while"):
            trips += 1
            self._step()
            try:
                self._block(statement.body, scope)
            except _Break:
                return
            except _Continue:
                continue
        self.covered.add("while, no trip" if not trips else "while, trips")
        if statement.orelse:
            self.covered.add("else of a while")
        self._block(statement.orelse, scope)

    def _bind(self, target: ast.expr, value: Any, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            scope[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            self.covered.add("unpacking")
            if isinstance(value, Tensor):
                value = rows(value)
            starred = [index for index, item in enumerate(target.elts) if isinstance(item, ast.Starred)]
            if starred and isinstance(value, (tuple, list)):
                self._bind_starred(target.elts, starred[0], list(value), scope)
                return
            if not isinstance(value, (tuple, list)) or len(value) != len(target.elts):
                raise Refused("another number of values than of names")
            for inner, item in zip(target.elts, value, strict=True):
                self._bind(inner, item, scope)
        elif isinstance(target, ast.Subscript):
            self.covered.add("item assigned")
            owner, place = self._place(target, scope)
            owner[place] = value
        else:
            raise Refused("only names are assigned")

    def _place(self, target: ast.Subscript, scope: Scope) -> tuple[list[Any], int]:
        """A list and the place in it that is assigned."""
        owner, place = self._evaluate(target.value, scope), self._evaluate(target.slice, scope)
        if isinstance(place, Tensor) and place.dtype.kind in "iu" and not place.array.ndim:
            place = int(place.array)
        if not isinstance(owner, list) or not isinstance(place, int):
            raise Refused(f"an item of {owner!r} is assigned")
        if not -len(owner) <= place < len(owner):
            raise OutOfScope("an index out of range")
        return owner, place

    def _bind_starred(self, targets: list[ast.expr], place: int, values: list[Any], scope: Scope) -> None:
        """`first, *rest = values`: the starred name takes a list of what the others leave."""
        after = len(targets) - place - 1
        if len(values) < len(targets) - 1:
            raise Refused("fewer values than names")
        starred = targets[place]
        assert isinstance(starred, ast.Starred)
        taken = [*values[:place], values[place : len(values) - after], *values[len(values) - after :]]
        for target, value in zip(targets, taken, strict=True):
            self._bind(target.value if isinstance(target, ast.Starred) else target, value, scope)

    def _read(self, name: str, scope: Scope) -> Any:
        if name in scope:
            if scope[name] is _UNBOUND:
                raise Unbound(name)
            return scope[name]
        if _ENCLOSING in scope:
            return self._read(name, scope[_ENCLOSING])
        if name in self.constants:
            self.globals[name] = self._evaluate(self.constants.pop(name), {})
        if name in self.globals:
            return self.globals[name]
        if name in self.tuples:
            return self._named_tuple(self.tuples[name])
        if name in self.functions:
            node = self.functions[name]
            return Closure(node, None, "script" if node.decorator_list else "helper")
        if name in BUILTINS or name in _KNOWN:
            return Operator(name)
        raise Unbound(name)

    def _check_printed(self, node: ast.Call, scope: Scope) -> None:
        for item in ast.walk(node):
            if isinstance(item, ast.Name) and item.id not in scope:
                try:
                    self._read(item.id, scope)
                except Unbound:
                    raise OutOfScope("what is printed is known nowhere") from None

    def _named_tuple(self, node: ast.ClassDef) -> NamedTuple:
        """`class A(NamedTuple)`: its fields in their order, and what is written after them as their defaults."""
        fields = [item for item in node.body if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)]
        names = [ast.unparse(item.target) for item in fields]
        defaults = [self._evaluate(item.value, {}) for item in fields if item.value is not None]
        return NamedTuple(namedtuple(node.name, names, defaults=defaults))


_KNOWN = frozenset(
    {"math", "np", "onnx", "TensorProto", "namedtuple", "range", "abs", "slice"}
    | {"Literal", "Sequence", "Opset", "graph", "script"}
)
_UNBOUND = object()
_ENCLOSING = ""  # the scope of the function around, where there is one


def _parameters(node: ast.FunctionDef) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def _annotation(argument: ast.arg) -> str:
    return argument.annotation.id if isinstance(argument.annotation, ast.Name) else ""


def _assigned(statements: Sequence[ast.stmt]) -> list[str]:
    """The names that a function binds anywhere are its own throughout; those of a comprehension are not."""
    found: list[str] = []
    pending: list[ast.AST] = list(statements)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            found.append(node.id)
        elif isinstance(node, ast.FunctionDef):
            found.append(node.name)
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name is not None:
            found.append(node.name)
            pending.extend(ast.iter_child_nodes(node))
        elif not isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.Lambda)):
            pending.extend(ast.iter_child_nodes(node))
    return found
