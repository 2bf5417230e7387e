"""What a program of the language means: its syntax tree run with Python's rules over the tensors of `values.py`.

Written from DESIGN section 4 alone. It decides by itself what a name, a branch, a loop and a call mean, and asks
neither the compiler nor Python's own evaluation of the text.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tests.differential import kernels
from tests.differential.arithmetic import binary, check_number, unary
from tests.differential.noise import Noise
from tests.differential.values import (
    ElementTypeObject,
    OutOfScope,
    Refused,
    Tensor,
    convert_number,
    is_number,
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
BINARY = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
BUILTINS: dict[str, Callable[..., Any]] = {
    "bool": bool,
    "float": float,
    "int": int,
    "len": len,
    "max": max,
    "min": min,
    "round": round,
    "str": str,
    "sum": sum,
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


class _Opset:
    """The name `op`."""


class _Operator:
    def __init__(self, name: str) -> None:
        self.name = name


Scope = dict[str, Any]


def run(
    text: str, inputs: Mapping[str, Any], outputs: Sequence[str], opset: int, noise: Noise
) -> tuple[list[np.ndarray], set[str]]:
    """The outputs of `F` in the text, as arrays of the element types `outputs`, and the constructs that were run.

    `inputs` gives each parameter an array, a number (an attribute, floats rounded to float32) or None; attributes are
    keyword-only parameters of `F`.
    """
    machine = Machine(text, opset, noise)
    arguments = {
        name: Tensor(value) if isinstance(value, np.ndarray) else kernels.attribute(value)
        for name, value in inputs.items()
    }
    node = machine.functions["F"]
    value = machine.call(node, [], {**machine.float_defaults(node), **arguments})
    values = value if isinstance(value, tuple) else (value,)
    if len(values) != len(outputs):
        raise Refused(f"{len(values)} values are returned, {len(outputs)} are declared")
    return [_output(item, wanted) for item, wanted in zip(values, outputs, strict=True)], machine.covered


def _output(value: Any, wanted: str) -> np.ndarray:
    if value is None:
        raise Refused("None is returned")
    tensor = to_tensor(value, ElementTypeObject(wanted).dtype)
    if name_of(tensor.dtype) != wanted:
        raise Refused(f"the output is {tensor.dtype}, {wanted} is declared")
    return tensor.array


class Machine:
    """One run of a module: its functions, its constants, and how many steps it may still make."""

    def __init__(self, text: str, opset: int, noise: Noise) -> None:
        self.opset = opset
        self.noise = noise
        self.context = kernels.Context(opset, noise)
        self.steps = 0
        self.covered: set[str] = set()
        self.functions: dict[str, ast.FunctionDef] = {}
        self.globals: Scope = {name: ElementTypeObject(element) for name, element in TYPES.items()}
        self.globals["op"] = _Opset()
        self.constants: dict[str, ast.expr] = {}  # evaluated when they are first read
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.FunctionDef):
                self.functions[statement.name] = statement
            elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                self.constants[statement.targets[0].id] = statement.value

    # ------------------------------------------------------------------------------------------------ functions

    def call(self, node: ast.FunctionDef, positional: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        """Binds arguments by Python's rules and runs the body."""
        scope: Scope = dict.fromkeys(_assigned(node.body), _UNBOUND)
        arguments = [*node.args.posonlyargs, *node.args.args]
        names = [argument.arg for argument in arguments]
        by_keyword = [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)]
        bound = dict(zip(names, positional, strict=False))
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
                bound[name] = self._evaluate(defaults[name], {})
        scope.update(bound)
        try:
            self._block(node.body, scope)
        except _Return as found:
            return found.value
        return None

    def float_defaults(self, node: ast.FunctionDef) -> Scope:
        """A float attribute's default is rounded to float32 as any other value of it."""
        defaults = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        return {
            argument.arg: kernels.attribute(float(self._evaluate(default, {})))
            for argument, default in defaults
            if default is not None and isinstance(argument.annotation, ast.Name) and argument.annotation.id == "float"
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
                found = self._evaluate(value, scope)
                for target in targets:
                    self._bind(target, found, scope)
            case ast.AnnAssign(target=target, value=value):
                cover("annotated assignment")
                if value is not None:
                    self._bind(target, self._evaluate(value, scope), scope)
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
                    assert isinstance(target, ast.Name)
                    self._read(target.id, scope)
                    scope[target.id] = _UNBOUND
            case ast.Assert(test=test):
                cover("assert")
                if not truth(self._evaluate(test, scope)):
                    raise Refused("an assertion does not hold")
            case ast.Pass():
                cover("pass")
            case ast.Break():
                cover("break")
                raise _Break
            case ast.Continue():
                cover("continue")
                raise _Continue
            case _:
                raise Refused(f"{type(statement).__name__} is not part of the language")

    def _for(self, statement: ast.For, scope: Scope) -> None:
        items = self._evaluate(statement.iter, scope)
        if not isinstance(items, (range, tuple, list)):
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

    def _truth(self, node: ast.expr, scope: Scope, where: str) -> bool:
        value = self._evaluate(node, scope)
        kind = f"{value.dtype.kind} tensor" if isinstance(value, Tensor) else type(value).__name__
        self.covered.add(f"{where} of {kind}")
        return truth(value)

    def _binary(self, symbol: ast.AST, left: Any, right: Any) -> Any:
        name = BINARY[type(symbol)]
        tensors = [item for item in (left, right) if isinstance(item, Tensor)]
        if tensors:
            beside = "tensor" if len(tensors) == 2 else "number"
            self.covered.add(f"{tensors[0].dtype.kind} tensor {name} {beside}")
        else:
            self.covered.add(f"{type(left).__name__} {name} {type(right).__name__}")
        return binary(name, left, right, self.noise)

    def _bind(self, target: ast.expr, value: Any, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            scope[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            self.covered.add("unpacking")
            if not isinstance(value, (tuple, list)) or len(value) != len(target.elts):
                raise Refused("another number of values than of names")
            for inner, item in zip(target.elts, value, strict=True):
                self._bind(inner, item, scope)
        else:
            raise Refused("only names are assigned")

    def _read(self, name: str, scope: Scope) -> Any:
        if name in scope:
            if scope[name] is _UNBOUND:
                raise Unbound(name)
            return scope[name]
        if name in self.constants:
            self.globals[name] = self._evaluate(self.constants.pop(name), {})
        if name in self.globals:
            return self.globals[name]
        if name in self.functions:
            return self.functions[name]
        if name in BUILTINS or name in ("math", "range", "abs"):
            return _Operator(name)
        raise Unbound(name)

    # ---------------------------------------------------------------------------------------------- expressions

    def _evaluate(self, node: ast.expr, scope: Scope) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._read(name, scope)
            case ast.Tuple(elts=items):
                return tuple(self._evaluate(item, scope) for item in items)
            case ast.List(elts=items):
                return [self._evaluate(item, scope) for item in items]
            case ast.BinOp(left=left, op=symbol, right=right):
                first = self._evaluate(left, scope)
                return self._binary(symbol, first, self._evaluate(right, scope))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self._truth(operand, scope, "not")
            case ast.UnaryOp(op=symbol, operand=operand):
                self.covered.add(f"unary {UNARY[type(symbol)]}")
                return unary(UNARY[type(symbol)], self._evaluate(operand, scope))
            case ast.BoolOp(op=symbol, values=values):
                return self._decided(values, isinstance(symbol, ast.Or), scope)
            case ast.Compare():
                return self._compare(node, scope)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._evaluate(body if self._truth(test, scope, "conditional expression") else orelse, scope)
            case ast.Call():
                return self._call(node, scope)
            case ast.Attribute(value=owner, attr=name):
                return self._attribute(self._evaluate(owner, scope), name)
            case ast.Subscript(value=owner, slice=index):
                return self._item(self._evaluate(owner, scope), self._evaluate(index, scope))
        raise Refused(f"{type(node).__name__} is not part of the language")

    def _decided(self, values: Sequence[ast.expr], stops_at: bool, scope: Scope) -> Any:
        """`and`, `or`: the first operand that decides, else the last; those after it are not looked at."""
        word = "or" if stops_at else "and"
        for node in values[:-1]:
            value = self._evaluate(node, scope)
            if truth(value) is stops_at:
                self.covered.add(f"{word} that stops, {_kind(value)}")
                return value
        value = self._evaluate(values[-1], scope)
        self.covered.add(f"{word} that goes on, {_kind(value)}")
        return value

    def _compare(self, node: ast.Compare, scope: Scope) -> Any:
        left = self._evaluate(node.left, scope)
        if len(node.ops) > 1:
            self.covered.add("chained comparison")
        for position, (symbol, comparator) in enumerate(zip(node.ops, node.comparators, strict=True)):
            right = self._evaluate(comparator, scope)
            result = self._compare_pair(symbol, left, right)
            if position + 1 == len(node.ops) or not truth(result):
                return result
            left = right
        raise AssertionError

    def _compare_pair(self, symbol: ast.cmpop, left: Any, right: Any) -> Any:
        if isinstance(symbol, (ast.Is, ast.IsNot)):
            self.covered.add("is None")
            if left is not None and right is not None:
                raise Refused("`is` compares with None")
            return (left is right) is isinstance(symbol, ast.Is)
        if isinstance(symbol, (ast.In, ast.NotIn)):
            self.covered.add("in")
            if isinstance(left, Tensor) or any(isinstance(item, Tensor) for item in right):
                raise Refused("membership is static")
            return (left in right) is isinstance(symbol, ast.In)
        if isinstance(left, ElementTypeObject):
            self.covered.add("dtype compared")
            return (left == right) is isinstance(symbol, ast.Eq)
        return self._binary(symbol, left, right)

    def _attribute(self, owner: Any, name: str) -> Any:
        if isinstance(owner, _Opset):
            if name == "version":
                self.covered.add("op.version")
            return self.opset if name == "version" else _Operator(f"op.{name}")
        if isinstance(owner, _Operator) and owner.name == "math":
            value = getattr(math, name)
            return value if is_number(value) else _Operator(f"math.{name}")
        if isinstance(owner, Tensor) and name == "dtype":
            return ElementTypeObject(name_of(owner.dtype))
        raise Refused(f".{name} of {owner!r}")

    def _item(self, owner: Any, index: Any) -> Any:
        if isinstance(owner, (tuple, list)) and isinstance(index, int):
            self.covered.add("subscript of a static tuple")
            try:
                return owner[index]
            except IndexError:
                raise Refused("an index out of range") from None
        raise Refused(f"a subscript of {owner!r}")

    def _call(self, node: ast.Call, scope: Scope) -> Any:
        callee = self._evaluate(node.func, scope)
        positional: list[Any] = []
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                positional.extend(self._evaluate(argument.value, scope))
            else:
                positional.append(self._evaluate(argument, scope))
        keywords = {item.arg: self._evaluate(item.value, scope) for item in node.keywords if item.arg is not None}
        if isinstance(callee, ast.FunctionDef):
            self._step()
            self.covered.add("call of a helper" + (" by name" if keywords else ""))
            return self.call(callee, positional, keywords)
        if isinstance(callee, ElementTypeObject):
            self.covered.add("typed scalar")
            if len(positional) != 1 or not is_number(positional[0]):
                raise Refused("a typed scalar is made of one number")
            return convert_number(positional[0], callee.dtype)
        if not isinstance(callee, _Operator):
            raise Refused(f"{callee!r} is called")
        self.covered.add(callee.name)
        if callee.name.startswith("op."):
            return kernels.call(callee.name.removeprefix("op."), positional, keywords, self.context)
        return self._call_python(callee.name, positional)

    def _call_python(self, name: str, arguments: list[Any]) -> Any:
        if name == "range":
            return range(*(_integer(item) for item in arguments))
        if name == "abs":
            return unary("abs", arguments[0])
        if any(isinstance(item, Tensor) for item in arguments):
            raise Refused(f"{name} takes static values")
        function = getattr(math, name.removeprefix("math.")) if name.startswith("math.") else BUILTINS[name]
        try:
            value = function(*arguments)
        except (ArithmeticError, ValueError) as error:
            raise OutOfScope(f"Python raises {error}") from None
        except TypeError as error:
            raise Refused(str(error)) from None
        check_number(value)
        return value


_UNBOUND = object()


def _kind(value: Any) -> str:
    return "tensor" if isinstance(value, Tensor) else type(value).__name__


def _integer(value: Any) -> int:
    """A bound of `range`: an int, or a tensor of one integer."""
    if isinstance(value, Tensor):
        if value.dtype.kind not in "iu":
            raise Refused("`range` takes ints")
        if value.array.size != 1:
            raise OutOfScope("a bound of `range` is one integer")
        return int(value.array.reshape(()))
    if isinstance(value, float) or not isinstance(value, int):
        raise Refused("`range` takes ints")
    return int(value)


def _assigned(statements: Sequence[ast.stmt]) -> list[str]:
    """The names that a function binds anywhere are its own throughout."""
    return [
        node.id
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del))
    ]
