"""What an expression of the language means. See `interpreter.py`, which runs statements and functions."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import Any

from tests.differential import kernels
from tests.differential.arithmetic import binary, check_number, unary
from tests.differential.indexing import Slice, item_of, read_slice
from tests.differential.noise import Noise
from tests.differential.values import (
    Closure,
    ElementTypeObject,
    OutOfScope,
    Refused,
    Tensor,
    convert_number,
    is_number,
    name_of,
    truth,
)

BINARY = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.LShift: "<<",
    ast.RShift: ">>",
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
    "all": all,
    "any": any,
    "bool": bool,
    "enumerate": enumerate,
    "float": float,
    "int": int,
    "len": len,
    "list": list,
    "max": max,
    "min": min,
    "print": lambda *values, **how: None,  # its arguments are read like those of any call
    "reversed": reversed,
    "round": round,
    "str": str,
    "sum": sum,
    "tuple": tuple,
    "zip": zip,
}
_OF_LISTS = frozenset({"enumerate", "len", "list", "reversed", "tuple", "zip"})

Scope = dict[str, Any]


class Opset:
    """The name `op`."""


class Operator:
    """`op.Add`, `math.sqrt`, `len`: something that is called."""

    def __init__(self, name: str) -> None:
        self.name = name


class Method:
    """`ys.append`."""

    def __init__(self, owner: list[Any], name: str) -> None:
        self.owner = owner
        self.name = name


class Expressions:
    """Evaluates expressions; what names mean, and how functions are called, is the machine's."""

    opset: int
    noise: Noise
    context: kernels.Context
    covered: set[str]

    def _read(self, name: str, scope: Scope) -> Any:
        raise NotImplementedError

    def _bind(self, target: ast.expr, value: Any, scope: Scope) -> None:
        raise NotImplementedError

    def _step(self) -> None:
        raise NotImplementedError

    def call_closure(self, callee: Closure, positional: Sequence[Any], keywords: dict[str, Any]) -> Any:
        raise NotImplementedError

    def _evaluate(self, node: ast.expr, scope: Scope) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._read(name, scope)
            case ast.Tuple(elts=items):
                return tuple(self._items(items, scope))
            case ast.List(elts=items):
                return self._items(items, scope)
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
            case ast.Slice(lower=lower, upper=upper, step=step):
                parts = [None if part is None else self._evaluate(part, scope) for part in (lower, upper, step)]
                return Slice(*parts)
            case ast.Subscript(value=owner, slice=index):
                return self._item(self._evaluate(owner, scope), index, scope)
            case ast.ListComp(elt=made, generators=generators) | ast.GeneratorExp(elt=made, generators=generators):
                self.covered.add("comprehension")
                found: list[Any] = []
                self._comprehend(made, generators, dict(scope), found)
                return found
            case ast.Lambda() | ast.Dict() | ast.JoinedStr() | ast.NamedExpr():
                raise OutOfScope(f"this interpreter does not know {type(node).__name__}")
        raise Refused(f"{type(node).__name__} is not part of the language")

    def _items(self, nodes: Sequence[ast.expr], scope: Scope) -> list[Any]:
        """Expressions side by side, starred ones opened."""
        found: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                self.covered.add("starred")
                found.extend(self._evaluate(node.value, scope))
            else:
                found.append(self._evaluate(node, scope))
        return found

    def _comprehend(
        self, made: ast.expr, generators: Sequence[ast.comprehension], scope: Scope, found: list[Any]
    ) -> None:
        """One `for` of a comprehension and all further ones; its names are its own."""
        if not generators:
            found.append(self._evaluate(made, scope))
            return
        for item in self._evaluate(generators[0].iter, scope):
            self._step()
            self._bind(generators[0].target, item, scope)
            if all(truth(self._evaluate(test, scope)) for test in generators[0].ifs):
                self._comprehend(made, generators[1:], scope, found)

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
        if isinstance(left, (ElementTypeObject, str)):
            self.covered.add("dtype compared" if isinstance(left, ElementTypeObject) else "text compared")
            return (left == right) is isinstance(symbol, ast.Eq)
        return self._binary(symbol, left, right)

    def _attribute(self, owner: Any, name: str) -> Any:
        if isinstance(owner, Opset):
            if name == "version":
                self.covered.add("op.version")
            return self.version if name == "version" else Operator(f"op.{name}")
        if isinstance(owner, Operator) and owner.name == "math":
            value = getattr(math, name)
            return value if is_number(value) else Operator(f"math.{name}")
        if isinstance(owner, Tensor):
            self.covered.add(f".{name}")
            if name == "dtype":
                return ElementTypeObject(name_of(owner.dtype))
            if name == "shape":
                return owner.array.shape
            if name == "rank":
                return owner.array.ndim
        if isinstance(owner, ElementTypeObject) and name == "dtype":
            return owner
        if isinstance(owner, list):
            return Method(owner, name)
        raise Refused(f".{name} of {owner!r}")

    # ------------------------------------------------------------------------------------------------ subscripts

    def _item(self, owner: Any, node: ast.expr, scope: Scope) -> Any:
        nodes = node.elts if isinstance(node, ast.Tuple) else [node]
        index = [self._evaluate(item, scope) for item in nodes]
        if isinstance(owner, (ElementTypeObject, Operator)):
            return owner  # `FLOAT["N"]`
        if isinstance(owner, Tensor):
            self.covered.update(f"subscript {_index_kind(item)}" for item in index)
            if sum(isinstance(item, (Tensor, list)) for item in index) > 1:
                self.covered.add("subscripts together")
            return item_of(owner, index)
        if not isinstance(owner, (tuple, list, str, range)) or len(index) != 1:
            raise Refused(f"a subscript of {owner!r}")
        only = index[0]
        kind = "text" if isinstance(owner, str) else "a list" if isinstance(owner, list) else "a tuple"
        self.covered.add(f"{'slice' if isinstance(only, Slice) else 'item'} of {kind}")
        if isinstance(only, Slice):
            return owner[read_slice(only)]
        try:
            return owner[int(only.array) if isinstance(only, Tensor) else only]
        except IndexError:
            raise OutOfScope("an index out of range") from None

    # ----------------------------------------------------------------------------------------------------- calls

    def _call(self, node: ast.Call, scope: Scope) -> Any:
        callee = self._evaluate(node.func, scope)
        positional = self._items(node.args, scope)
        keywords: dict[str, Any] = {}
        for item in node.keywords:
            if item.arg is None:
                raise Refused("`**` in a call")
            keywords[item.arg] = self._evaluate(item.value, scope)
        if isinstance(callee, Closure):
            self._step()
            self.covered.add(f"call of a {callee.kind}" + (" by name" if keywords else ""))
            return self.call_closure(callee, positional, keywords)
        if isinstance(callee, ElementTypeObject):
            self.covered.add("typed scalar")
            if len(positional) != 1 or not is_number(positional[0]):
                raise Refused("a typed scalar is made of one number")
            return convert_number(positional[0], callee.dtype)
        if isinstance(callee, Method):
            if callee.name not in ("append", "extend") or len(positional) != 1:
                raise Refused(f"lists have no {callee.name}")
            self.covered.add(callee.name)
            callee.owner.extend(positional if callee.name == "append" else positional[0])
            return None
        if not isinstance(callee, Operator):
            raise Refused(f"{callee!r} is called")
        self.covered.add(callee.name)
        if callee.name.startswith("op."):
            return kernels.call(callee.name.removeprefix("op."), positional, keywords, self.context)
        return self._call_python(callee.name, positional, keywords)

    def _call_python(self, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        if name == "range":
            return range(*(integer(item) for item in arguments))
        if name == "abs":
            if is_number(arguments[0]):
                self.covered.add("abs of a number")
            return unary("abs", arguments[0])
        if name == "len" and isinstance(arguments[0], Tensor):
            if not arguments[0].array.ndim:
                raise OutOfScope("a tensor of rank 0 has no length")
            return len(arguments[0].array)
        if name == "int" and arguments and isinstance(arguments[0], bool):
            self.covered.add("int of a bool")
        if name == "len" and isinstance(arguments[0], list):
            self.covered.add("len of a list")
        if name == "print":
            return None
        if name not in _OF_LISTS and any(isinstance(item, Tensor) for item in _opened(arguments)):
            raise Refused(f"{name} takes numbers")
        function = getattr(math, name.removeprefix("math.")) if name.startswith("math.") else BUILTINS[name]
        try:
            value = function(*arguments, **keywords)
        except (ArithmeticError, ValueError) as error:
            raise OutOfScope(f"Python raises {error}") from None
        except TypeError as error:
            raise Refused(str(error)) from None
        if name in ("enumerate", "zip", "reversed"):
            return list(value)
        check_number(value)
        return value


def _opened(arguments: Sequence[Any]) -> list[Any]:
    return [inner for item in arguments for inner in (item if isinstance(item, (tuple, list)) else (item,))]


def _kind(value: Any) -> str:
    return "tensor" if isinstance(value, Tensor) else type(value).__name__


def _index_kind(item: Any) -> str:
    if isinstance(item, Tensor):
        return "mask" if item.dtype.kind == "b" else "tensor" if item.array.ndim else "scalar"
    if isinstance(item, Slice):
        return "slice" if item.step is None else "slice with step"
    return {type(None): "None", type(...): "...", tuple: "list", list: "list"}.get(type(item), type(item).__name__)


def integer(value: Any) -> int:
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
