"""What an expression of the language means. See `interpreter.py`, which runs statements and functions."""

from __future__ import annotations

import ast
import math
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.differential import kernels
from tests.differential.arithmetic import binary, check_number, unary
from tests.differential.indexing import Slice, item_of, make_slice, read_slice
from tests.differential.noise import Noise
from tests.differential.values import (
    CODES,
    DTYPES,
    Closure,
    ElementTypeObject,
    Fixed,
    OutOfScope,
    Refused,
    Tensor,
    convert_number,
    is_number,
    name_of,
    of_numpy,
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
    "divmod": divmod,
    "enumerate": enumerate,
    "float": float,
    "int": int,
    "len": len,
    "list": list,
    "max": max,
    "min": min,
    "pow": pow,
    "print": lambda *values, **how: None,  # its arguments are read like those of any call
    "reversed": reversed,
    "round": round,
    "str": str,
    "sum": sum,
    "tuple": tuple,
    "zip": zip,
}
CHANGING = ("append", "clear", "extend", "insert", "pop", "reverse")  # methods of lists
_OF_LISTS = frozenset({"enumerate", "len", "list", "reversed", "tuple", "zip"})

Scope = dict[str, Any]


class Opset:
    """The name `op`."""


class Operator:
    """`op.Add`, `math.sqrt`, `len`: something that is called."""

    def __init__(self, name: str) -> None:
        self.name = name


class NamedTuple:
    """A namedtuple, which makes its tuples."""

    def __init__(self, kind: Callable[..., Any]) -> None:
        self.kind = kind


class Method:
    """`ys.append`, `d.get`."""

    def __init__(self, owner: list[Any] | dict[Any, Any], name: str) -> None:
        self.owner = owner
        self.name = name


class Expressions:
    """Evaluates expressions; what names mean, and how functions are called, is the machine's."""

    opset: int
    noise: Noise
    context: kernels.Context
    covered: set[str]
    unpacked: ast.expr | None  # what a statement takes apart, which says how many results it has

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
            case ast.DictComp(key=key, value=value, generators=generators):
                self.covered.add("comprehension")
                pairs: list[Any] = []
                self._comprehend(ast.Tuple([key, value], ast.Load()), generators, dict(scope), pairs)
                return dict(pairs)
            case ast.Lambda(args=arguments, body=body):
                self.covered.add("lambda")
                made_of = ast.FunctionDef("<lambda>", arguments, [ast.Return(body)], [])
                return Closure(made_of, scope, "lambda", self._defaults(arguments, scope))
            case ast.Dict(keys=keys, values=values):
                self.covered.add("dict")
                return self._dict(keys, values, scope)
            case ast.JoinedStr(values=pieces):
                self.covered.add("f-string")
                return "".join(self._piece(piece, scope) for piece in pieces)
            case ast.NamedExpr(target=target, value=inner):
                self.covered.add("walrus")
                bound = self._evaluate(inner, scope)
                self._bind(target, bound, scope)
                return bound
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

    def _defaults(self, arguments: ast.arguments, scope: Scope) -> Scope:
        """What a function inside another takes for an argument that is left out: read where it is defined."""
        names = [item.arg for item in (*arguments.posonlyargs, *arguments.args)]
        pairs = [
            *zip(reversed(names), reversed(arguments.defaults), strict=False),
            *zip((item.arg for item in arguments.kwonlyargs), arguments.kw_defaults, strict=True),
        ]
        return {name: self._evaluate(default, scope) for name, default in pairs if default is not None}

    def _dict(self, keys: Sequence[ast.expr | None], values: Sequence[ast.expr], scope: Scope) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key, value in zip(keys, values, strict=True):
            if key is None:
                inner = self._evaluate(value, scope)
                if not isinstance(inner, dict):
                    raise Refused("`**` of what is no dictionary")
                found.update(inner)
                continue
            name = self._evaluate(key, scope)
            if isinstance(name, (Tensor, list, dict)):
                raise Refused(f"{name!r} is no key")
            found[name] = self._evaluate(value, scope)
        return found

    def _piece(self, piece: ast.expr, scope: Scope) -> str:
        """A part of an f-string."""
        if not isinstance(piece, ast.FormattedValue):
            return str(self._evaluate(piece, scope))
        value = self._evaluate(piece.value, scope)
        if any(isinstance(item, Tensor) for item in _opened([value])):
            raise OutOfScope("the text of a tensor")
        form = "" if piece.format_spec is None else str(self._evaluate(piece.format_spec, scope))
        change: dict[int, Callable[[Any], Any]] = {ord("r"): repr, ord("s"): str, ord("a"): ascii}
        try:
            return format(change[piece.conversion](value) if piece.conversion in change else value, form)
        except (TypeError, ValueError) as error:
            raise OutOfScope(f"Python raises {error}") from None

    def _comprehend(
        self, made: ast.expr, generators: Sequence[ast.comprehension], scope: Scope, found: list[Any]
    ) -> None:
        """One `for` of a comprehension and all further ones; its names are its own."""
        if not generators:
            found.append(self._evaluate(made, scope))
            return
        items = self._evaluate(generators[0].iter, scope)
        for item in rows(items) if isinstance(items, Tensor) else items:
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
            of_run_time = isinstance(left, Tensor)
            known = not isinstance(right, Tensor) and not any(isinstance(item, Tensor) for item in right)
            if not known or (of_run_time and not isinstance(right, (tuple, list))):
                raise Refused("membership is static")
            is_equal = (truth(self._binary(ast.Eq(), left, item)) for item in right)
            return (any(is_equal) if of_run_time else left in right) is isinstance(symbol, ast.In)
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
        if isinstance(owner, Operator) and owner.name == "np":
            value = getattr(np, name)
            return value if value is None or is_number(value) else Operator(f"np.{name}")
        if isinstance(owner, Operator) and owner.name in ("TensorProto", "onnx.TensorProto"):
            return _ELEMENT_CODES[name]
        if isinstance(owner, Operator) and owner.name in ("onnx", "onnx.helper", "onnx.numpy_helper"):
            return Operator(f"{owner.name}.{name}")
        if isinstance(owner, Tensor):
            self.covered.add(f".{name}")
            if name == "dtype":
                return ElementTypeObject(name_of(owner.dtype))
            if name == "shape":
                return owner.array.shape
            if name in ("rank", "ndim"):
                return owner.array.ndim
            if name == "size":
                return owner.array.size
            if name == "T":
                return type(owner)(owner.array.T)
        if isinstance(owner, ElementTypeObject) and name == "dtype":
            return owner
        if isinstance(owner, (list, dict)):
            return Method(owner, name)
        if isinstance(owner, tuple) and name in getattr(owner, "_fields", ()):
            self.covered.add("namedtuple")
            return getattr(owner, name)
        raise Refused(f".{name} of {owner!r}")

    # ------------------------------------------------------------------------------------------------ subscripts

    def _item(self, owner: Any, node: ast.expr, scope: Scope) -> Any:
        if isinstance(node, ast.Tuple):
            index = self._items(node.elts, scope)
        else:
            only = self._evaluate(node, scope)
            index = list(only) if isinstance(only, tuple) and isinstance(owner, Tensor) else [only]
        if isinstance(owner, dict):
            return self._entry(owner, index[0] if len(index) == 1 else tuple(index))
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

    def _entry(self, owner: dict[Any, Any], key: Any) -> Any:
        if isinstance(key, (Tensor, list, dict)):
            raise Refused(f"{key!r} is no key")
        if key not in owner:
            raise OutOfScope("Python raises KeyError")
        return owner[key]

    # ----------------------------------------------------------------------------------------------------- calls

    def _call(self, node: ast.Call, scope: Scope) -> Any:
        callee = self._evaluate(node.func, scope)
        if isinstance(callee, Operator) and callee.name == "print":
            self._check_printed(node, scope)
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
        if isinstance(callee, NamedTuple):
            self.covered.add("namedtuple")
            try:
                return callee.kind(*positional, **keywords)
            except TypeError as error:
                raise Refused(str(error)) from None
        if isinstance(callee, Method) and isinstance(callee.owner, dict):
            return self._of_dict(callee.owner, callee.name, positional)
        if isinstance(callee, Method):
            assert isinstance(callee.owner, list)
            if callee.name not in CHANGING or keywords:
                raise Refused(f"lists have no {callee.name}")
            self.covered.add(callee.name)
            try:
                return getattr(callee.owner, callee.name)(*positional)
            except IndexError:
                raise OutOfScope("an index out of range") from None
            except TypeError as error:
                raise Refused(str(error)) from None
        if not isinstance(callee, Operator):
            raise Refused(f"{callee!r} is called")
        self.covered.add(callee.name)
        if callee.name == "op.Split" and "num_outputs" not in keywords and node is not self.unpacked:
            raise OutOfScope("how many parts op.Split gives follows from what takes them")
        if callee.name.startswith("op."):
            return kernels.call(callee.name.removeprefix("op."), positional, keywords, self.context)
        return self._call_python(callee.name, positional, keywords)

    def _check_printed(self, node: ast.Call, scope: Scope) -> None:
        """The compiler looks at the names of the function alone that are printed."""
        raise NotImplementedError

    def _of_dict(self, owner: dict[Any, Any], name: str, arguments: list[Any]) -> Any:
        self.covered.add(f"{name} of a dict")
        if name in ("items", "keys", "values") and not arguments:
            return list(getattr(owner, name)())
        if name == "get" and 1 <= len(arguments) <= 2 and not isinstance(arguments[0], (Tensor, list, dict)):
            return owner.get(*arguments)
        raise Refused(f"dictionaries have no {name}")

    def _call_numpy(self, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        """numpy's own result, of known values."""
        self.covered.add(f"np.{name}")
        given = [_for_numpy(item) for item in arguments]
        named = {key: _for_numpy(item) for key, item in keywords.items()}
        try:
            with np.errstate(all="ignore"):
                return of_numpy(getattr(np, name)(*given, **named))
        except (ArithmeticError, TypeError, ValueError) as error:
            raise OutOfScope(f"numpy raises {error}") from None

    def _sum_of_tensors(self, items: Any, start: Any = 0) -> Any:
        """Python's `sum`: the items added one by one, to 0 first."""
        if not isinstance(items, (tuple, list)):
            raise OutOfScope("the sum of a tensor's rows")
        for item in items:
            start = self._binary(ast.Add(), start, item)
        return start

    def _call_python(self, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
        if name.startswith("np."):
            return self._call_numpy(name.removeprefix("np."), arguments, keywords)
        if name == "onnx.helper.make_tensor":
            self.covered.add("make_tensor")
            return _made_tensor(*arguments, **keywords)
        if name == "onnx.numpy_helper.from_array":
            self.covered.add("from_array")
            return arguments[0]
        if name == "namedtuple":
            return NamedTuple(namedtuple(*arguments, **keywords))
        if name == "slice":
            self.covered.add("slice()")
            return make_slice(*arguments)
        if name == "enumerate" and isinstance(arguments[0], Tensor):
            self.covered.add("enumerate of a tensor")
        if name in ("enumerate", "list", "reversed", "zip"):
            arguments = [rows(item) if isinstance(item, Tensor) else item for item in arguments]
        if name == "enumerate" and any(isinstance(item, Tensor) for item in arguments[0]):
            self.covered.add("enumerate of a list")
        if name == "range":
            return range(*(integer(item) for item in arguments))
        if name == "abs":
            if is_number(arguments[0]):
                self.covered.add("abs of a number")
            return unary("abs", arguments[0])
        if name in ("int", "float", "bool", "round", "abs") and any(isinstance(item, Fixed) for item in arguments):
            raise OutOfScope("what Python makes of numpy's arrays")
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
        if name == "sum" and any(isinstance(item, Tensor) for item in _opened(arguments)):
            return self._sum_of_tensors(*arguments)
        if name == "bool" and len(arguments) == 1 and isinstance(arguments[0], Tensor):
            return truth(arguments[0])
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
        for item in value if isinstance(value, tuple) else (value,):
            check_number(item)
        return value


def rows(value: Tensor) -> list[Any]:
    """The parts of a tensor along its first axis."""
    if not value.array.ndim:
        raise OutOfScope("a tensor of rank 0 has no rows")
    return [of_numpy(item) if isinstance(value, Fixed) else Tensor(item) for item in value.array]


_ELEMENT_CODES = {"FLOAT": 1, "UINT8": 2, "INT32": 6, "INT64": 7, "BOOL": 9, "DOUBLE": 11}


def _made_tensor(name: str, data_type: int, dims: Sequence[int], vals: Any) -> Fixed:
    """`onnx.helper.make_tensor`."""
    dtype = next((DTYPES[known] for known, code in CODES.items() if code == data_type), None)
    if dtype is None:
        raise OutOfScope("an element type that the interpreter does not know")
    items = list(vals) if isinstance(vals, (list, tuple)) else [vals]
    if len(items) != math.prod(dims) or not all(is_number(item) for item in items):
        raise Refused("the values do not fit the shape")
    return Fixed(np.array([convert_number(item, dtype).array for item in items], dtype).reshape(tuple(dims)))


def _for_numpy(value: Any) -> Any:
    """A known value as numpy takes it."""
    if isinstance(value, Fixed):
        return value.array
    if isinstance(value, Operator) and value.name.startswith("np."):
        return getattr(np, value.name.removeprefix("np."))
    if isinstance(value, (tuple, list)):
        return [_for_numpy(item) for item in value]
    if isinstance(value, Tensor):
        raise Refused("numpy is called on a tensor of the function")
    if value is not None and not isinstance(value, (bool, int, float, str)):
        raise Refused(f"numpy is called on {value!r}")
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
