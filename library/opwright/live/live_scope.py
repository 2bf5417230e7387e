"""What the names of a live function mean: its cells, its globals, Python's builtins, as objects of the compiler.

Each is read when the function is compiled, and recorded: the next compilation compares."""

from __future__ import annotations

import ast
import builtins
import collections
import enum
import functools
import math
import sys
from collections.abc import Callable, Iterable
from dataclasses import is_dataclass
from types import BuiltinFunctionType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

from opwright.diagnostics.diagnostic import Diagnostic
from opwright.elements import ElementType
from opwright.functions import OnnxFunction, graph, script
from opwright.graphs.ndarrays import element_of_dtype, python_number
from opwright.lang import ir
from opwright.lang.lower.module_scope import evaluate_static
from opwright.lang.meaning import static
from opwright.lang.meaning.annotations import Alias, Annotation, last_name
from opwright.lang.meaning.numpy_values import FUNCTIONS
from opwright.lang.meaning.objects import (
    MISSING,
    ArrayObject,
    BuiltinObject,
    FunctionObject,
    ModuleObject,
    NamespaceObject,
    OperatorObject,
    OpsetObject,
    PartialObject,
    RecordObject,
    ScriptObject,
    TensorObject,
    TypeObject,
    TypingObject,
)
from opwright.lang.meaning.operands import StaticDict
from opwright.lang.meaning.resolve import BUILTIN_NAMES, ONNX_FUNCTIONS, TYPING_MODULES, ModuleScope, import_of_opset
from opwright.lang.text.source import Span
from opwright.lang.text.syntax import Module
from opwright.live.evaluated_annotations import name_of_type, read_object
from opwright.live.function_source import recover_helper
from opwright.live.libraries import InstalledLibraries, opset_object, opset_of_module
from opwright.live.proto_functions import ProtoFunction
from opwright.live.reads import ARRAY_BYTES, NESTING, Reads
from opwright.live.tensor_objects import is_tensor_object, tensor_data
from opwright.opsets.opset import Opset
from opwright.packaged import LibraryFunction
from opwright.types import Tensor

_UNSET = object()
_AS_PARAMETER = "make it a parameter, and give it with `to_model_proto(initializers={...})`"
_LANGUAGE_MODULES = ("collections", "functools", "math", "numpy", "typing", "opwright")
_TYPING_MODULES = (*TYPING_MODULES, "types")  # the last has the class of `list[int]`


class LiveScope(ModuleScope):
    """The names around one function. `script_of` gives what the compiler sees of a function under `@script`."""

    def __init__(
        self,
        function: FunctionType,
        module: Module,
        node: ast.FunctionDef,
        report: Callable[[Diagnostic], None],
        script_of: Callable[[OnnxFunction], ScriptObject],
        reads: Reads,
    ) -> None:
        super().__init__(module, InstalledLibraries(), evaluate_static, report)
        self.function = function
        self.node = node
        self._cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        self._script_of = script_of
        self._reads = reads
        self._found_in_lists: dict[int, tuple[Any, Any]] = {}  # by id, with the list itself, which keeps its id
        for name in ("__defaults__", "__kwdefaults__"):
            reads.note(getattr(function, name), getattr, function, name)
        self._defaults = _defaults(function, node)

    # --------------------------------------------------------------------------------------------- look-ups

    def lookup(self, name: str, span: Span, local: Iterable[str] = ()) -> Any:
        """What a name means that the function does not bind; MISSING after its diagnostic has been reported."""
        found = self._known.get(name, _UNSET)
        if found is not _UNSET:
            return found
        value = self.read(name)
        if value is _UNSET:
            return self._undefined(name, span, local)
        found = self.meaning(value, name, span)
        if found is not MISSING:
            self._known[name] = found
        return found

    def read(self, name: str) -> Any:
        """The object that the name is bound to now, as Python finds it; noted."""
        cell = self._cells.get(name)
        if cell is not None:
            value = _contents(cell)
            self._reads.note(value, _contents, cell)
            return value
        value = _lookup(self.function.__globals__, name)
        self._reads.note(value, _lookup, self.function.__globals__, name)
        return value

    def stands_for(self, node: ast.expr) -> str | Alias | Annotation | None:
        value = self._named(node)
        if value is _UNSET:
            return last_name(node)
        name = name_of_type(value)
        return read_object(value, self.function) if name is None else name

    def _named(self, node: ast.expr) -> Any:
        """The object that a name is, also a dotted one; _UNSET where it is none."""
        if isinstance(node, ast.Name):
            return self.read(node.id)
        holder = self._named(node.value) if isinstance(node, ast.Attribute) else _UNSET
        if not isinstance(node, ast.Attribute) or holder is _UNSET:
            return _UNSET
        value = _attribute(holder, node.attr)
        self._reads.note(value, _attribute, holder, node.attr)
        return value

    def constant(self, node: ast.expr) -> Any:
        """The value of a default: Python evaluated it when the function was defined."""
        if id(node) in self._defaults:
            return self.meaning(self._defaults[id(node)], "a default", (node.lineno, node.col_offset, *_end(node)))
        return super().constant(node)

    def attribute(self, owner: Any, name: str, span: Span) -> Any:
        if not isinstance(owner, NamespaceObject):
            return super().attribute(owner, name, span)
        holder = owner.value
        value = _attribute(holder, name)
        self._reads.note(value, _attribute, holder, name)
        if value is not _UNSET:
            return self.meaning(value, name, span)
        label = getattr(holder, "__name__", type(holder).__name__)
        self._fail("OW302", f"`{label}` has no `{name}`", span, "it is read when the function is built", "")
        return MISSING

    def _undefined(self, name: str, span: Span, local: Iterable[str]) -> Any:
        if name in self._cells:
            self._fail(
                "OW302",
                f"`{name}` has no value yet",
                span,
                "the function around this one has not bound it when this one is compiled",
                "bind it before",
            )
            return MISSING
        return self._builtin(name, span, local)

    def newer_opset(self, domain: str, version: int) -> str:
        return import_of_opset(domain, version)

    # --------------------------------------------------------------------------------------------- meanings

    def meaning(self, value: Any, name: str, span: Span, depth: int = 0) -> Any:
        """A live Python object as an object of the compiler; MISSING after its diagnostic has been reported."""
        kind = type(value)
        if value is None or kind in (bool, int, float, str, range):
            return self._static(value, name, span)
        if kind is OnnxFunction or isinstance(value, Opset):
            return self._callable(value)
        if isinstance(value, enum.Enum):
            return value.value if isinstance(value, (int, str)) else NamespaceObject(value)
        if kind in (tuple, list, dict, functools.partial) or (isinstance(value, tuple) and is_record(kind)):
            return self._nested(value, name, span, depth)
        if is_tensor_object(value):
            return self._tensor(value, name, span)
        found = self._callable(value) or self._from_numpy(value, name, span)
        if found is not None:
            return found
        if isinstance(value, ModuleType):
            return self._module(value)
        if isinstance(value, (bool, int, float, str, tuple)):
            plain: Any = next(base for base in (int, float, str, tuple) if isinstance(value, base))
            return self.meaning(plain(value), name, span, depth)
        if isinstance(value, (type, SimpleNamespace)):
            return self._class(value)
        if kind.__module__ in _TYPING_MODULES:
            return TypingObject(name)
        if isinstance(value, ElementType):
            return TypeObject(value, True)
        self._fail(
            "OW352",
            f"`{name}` is a {kind.__name__}, which cannot be part of a graph",
            span,
            "global names may be numbers, strings, lists of them, small arrays, functions, types, "
            "opsets, enumerations and modules",
            "make a NamedTuple of it, whose fields are constants, or pass its values as inputs or attributes"
            if is_dataclass(value)
            else "pass its values as inputs or attributes",
        )
        return MISSING

    def _static(self, value: Any, name: str, span: Span) -> Any:
        try:
            return static.checked(value, given=True)
        except static.StaticError as error:
            self._fail(error.code, f"`{name}` is too large", span, str(error), "")
            return MISSING

    def _nested(self, value: Any, name: str, span: Span, depth: int) -> Any:
        """What holds others. Each list is looked into once: one may hold another many times, or itself."""
        if depth == 0:
            self._found_in_lists = {}
        found, _ = self._found_in_lists.get(id(value), (_UNSET, None))
        if found is _UNSET:
            kind = type(value)
            if kind is dict:
                found = self._entries(value, name, span, depth)
            elif kind is functools.partial:
                found = self._partial(value, name, span, depth)
            else:
                found = self._items(value if kind in (tuple, list) else tuple(value), name, span, depth)
                if found is not MISSING and kind not in (tuple, list):
                    found = static.StaticNamed(_record_type(kind), found)
            self._found_in_lists[id(value)] = found, value
        return found

    def _items(self, value: Any, name: str, span: Span, depth: int) -> Any:
        if depth >= NESTING:
            self._fail("OW311", f"`{name}` is nested too deeply", span, f"lists nest at most {NESTING} deep", "")
            return MISSING
        kinds = {*map(type, value)}
        if kinds <= {bool, float, str} or (kinds == {int} and max(map(int.bit_length, value)) <= static.INTEGER_BITS):
            items = tuple(value)  # none of which means anything but itself
        else:
            items = tuple(self.meaning(item, name, span, depth + 1) for item in value)
        if isinstance(value, list):
            items = static.StaticList(items)
        return MISSING if any(item is MISSING for item in items) else self._static(items, name, span)

    def _tensor(self, value: Any, name: str, span: Span) -> Any:
        data = tensor_data(value)
        if data is not None and len(data.data) <= ARRAY_BYTES:
            return TensorObject(data)
        self._fail(
            "OW352",
            f"the tensor `{name}` cannot be part of a graph",
            span,
            f"it lies in another file, is of no known type, or has more than {ARRAY_BYTES:,} bytes",
            _AS_PARAMETER,
        )
        return MISSING

    def _entries(self, value: dict[Any, Any], name: str, span: Span, depth: int) -> Any:
        keys = self._items(tuple(value), name, span, depth)
        values = self._items(tuple(value.values()), name, span, depth)
        if keys is MISSING or values is MISSING:
            return MISSING
        if not all(map(_is_key, keys)):
            self._fail(
                "OW352",
                f"`{name}` has keys that mean nothing in a graph",
                span,
                "keys are numbers, texts, operators and functions",
                "",
            )
            return MISSING
        try:
            return StaticDict(dict(zip(keys, values, strict=True)))
        except static.StaticError as error:  # two keys may be one
            self._fail(error.code, f"`{name}` has keys that are not told apart", span, str(error), "")
            return MISSING

    def _partial(self, value: functools.partial[Any], name: str, span: Span, depth: int) -> Any:
        for part in ("args", "keywords"):
            self._reads.note(getattr(value, part), getattr, value, part)
        function = self.meaning(value.func, name, span, depth + 1)
        positional = self._items(value.args, name, span, depth)
        keywords = self._items(tuple(value.keywords.values()), name, span, depth)
        if MISSING in (function, positional, keywords):
            return MISSING
        return PartialObject(function, positional, dict(zip(value.keywords, keywords, strict=True)))

    def _callable(self, value: Any) -> Any:
        if isinstance(value, OnnxFunction):
            return self._script_of(value)
        if isinstance(value, ProtoFunction):
            return value.callee
        if isinstance(value, Opset):
            return OpsetObject(value.domain, value.named, value.signatures, value.open)
        if isinstance(value, LibraryFunction):
            return OperatorObject(opset_object(value.opset), value.name)
        if value is script or value is graph:
            return TypingObject("script" if value is script else "graph")
        listed = _listed_function(value)
        if listed is not None:
            return listed
        if isinstance(value, FunctionType):
            return self._helper(value)
        operator = sys.modules.get("opwright.opsets.operator")
        if operator is not None and isinstance(value, operator.Operator):
            opset = value.opset
            return OperatorObject(OpsetObject(opset.domain, opset.named, opset.signatures, opset.open), value.name)
        label = getattr(value, "__name__", None)
        if isinstance(value, (BuiltinFunctionType, type)) and isinstance(label, str):
            if getattr(math, label, None) is value and label in static.MATH_FUNCTIONS:
                return BuiltinObject("math", label)
            if getattr(builtins, label, None) is value and label in BUILTIN_NAMES:
                return BuiltinObject("", label)
        return None

    def _helper(self, function: FunctionType) -> Any:
        """A plain function: it is inlined where it is called, with the names around itself."""
        known = self._reads.helpers.get(function)
        if known is not None:
            return known
        found = recover_helper(function)
        if isinstance(found, Diagnostic):
            self.report(found)
            return MISSING
        module, node = found
        code = function.__code__
        self._reads.note(code, getattr, function, "__code__")
        scope = LiveScope(function, module, node, self.report, self._script_of, self._reads)
        made = self._reads.helpers[function] = FunctionObject(scope, node)
        return made

    def _from_numpy(self, value: Any, name: str, span: Span) -> Any:
        numpy = sys.modules.get("numpy")
        if numpy is None:
            return None
        if isinstance(value, numpy.generic):
            number = python_number(value)
            if number is not None:
                return self._static(static.of_numpy(number), name, span)
            element = element_of_dtype(value.dtype)
            if element is None or element.kind == "string":
                return None
            return ArrayObject(_tensor_data(numpy.asarray(value), element), is_scalar=True)
        if isinstance(value, numpy.dtype) or (isinstance(value, type) and issubclass(value, numpy.generic)):
            element = element_of_dtype(numpy.dtype(value))
            return None if element is None else TypeObject(element, of_numpy=isinstance(value, type))
        if not isinstance(value, numpy.ndarray):
            return None
        if type(value) not in (numpy.ndarray, numpy.memmap):
            self._fail(
                "OW352",
                f"the array `{name}` cannot be part of a graph",
                span,
                f"it is a {type(value).__name__}, whose operators are others than those of an array",
                "make a plain array of it: `np.asarray(...)`",
            )
            return MISSING
        element = element_of_dtype(value.dtype)
        if value.dtype.kind == "O" and not all(isinstance(item, str) for item in value.flat):
            element = None
        if element is None or value.nbytes > ARRAY_BYTES:
            self._fail(
                "OW352",
                f"the array `{name}` cannot be part of a graph",
                span,
                f"its elements are {value.dtype}"
                if element is None
                else f"it has {value.nbytes:,} bytes, and {ARRAY_BYTES:,} are the most",
                "pass it as an input" if element is None else _AS_PARAMETER,
            )
            return MISSING
        return ArrayObject(_tensor_data(value, element))

    def _module(self, value: ModuleType) -> Any:
        if value.__name__ in _LANGUAGE_MODULES:
            return ModuleObject(value.__name__)
        if value.__name__ in _TYPING_MODULES:
            return ModuleObject("typing")
        opset = opset_of_module(value)
        return NamespaceObject(value) if opset is None else opset

    def _class(self, value: Any) -> Any:
        if value is Opset:
            return TypingObject("Opset")
        if isinstance(value, type) and is_record(value):
            defaults = {key: self.meaning(item, key, (0, 0, 0, 0)) for key, item in _defaults_of(value).items()}
            return RecordObject(_record_type(value), defaults)
        if isinstance(value, type) and issubclass(value, Tensor):
            return TypingObject("Tensor") if value.dtype is None else TypeObject(value.dtype)
        return NamespaceObject(value)


def _is_key(operand: Any) -> bool:
    return (
        operand is None
        or isinstance(operand, (bool, int, float, str, OperatorObject, FunctionObject, PartialObject, ScriptObject))
        or (isinstance(operand, tuple) and not isinstance(operand, static.StaticList) and all(map(_is_key, operand)))
    )


_OWN = frozenset(  # what `namedtuple` gives a class, and what a `class` statement adds in one Python or another
    [
        *vars(collections.namedtuple("_Pair", "a b")),
        *("__annotate__", "__annotate_func__", "__annotations__", "__annotations_cache__"),
        *("__firstlineno__", "__orig_bases__", "__static_attributes__"),
    ]
)


def is_record(kind: type) -> bool:
    """Whether it is a class of `namedtuple` or `NamedTuple` that defines no operators."""
    if kind.__bases__ != (tuple,) or not isinstance(vars(kind).get("_fields"), tuple):
        return False
    return all(name in _OWN for name in vars(kind) if name.startswith("__"))


def _record_type(kind: type) -> static.RecordType:
    return static.RecordType(kind.__name__, tuple(vars(kind)["_fields"]))


def _defaults_of(kind: type) -> dict[str, Any]:
    return dict(vars(kind)["_field_defaults"])


def _listed_function(value: Any) -> BuiltinObject | None:
    """A function of numpy or onnx that the compiler evaluates itself; None for any other."""
    label = getattr(value, "__name__", None)
    if not callable(value) or not isinstance(label, str):
        return None
    if value is collections.namedtuple:
        return BuiltinObject("collections", "namedtuple")
    if value is functools.partial:
        return BuiltinObject("functools", "partial")
    numpy = sys.modules.get("numpy")
    if label in FUNCTIONS and numpy is not None and getattr(numpy, label, None) is value:
        return BuiltinObject("numpy", label)
    if label in ONNX_FUNCTIONS and getattr(sys.modules.get(ONNX_FUNCTIONS[label]), label, None) is value:
        return BuiltinObject("onnx", label)
    return None


def _lookup(names: dict[str, Any], name: str) -> Any:
    return names.get(name, _UNSET)


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _UNSET


def _attribute(owner: Any, name: str) -> Any:
    return getattr(owner, name, _UNSET)


def _end(node: ast.expr) -> tuple[int, int]:
    return (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)


def _defaults(function: FunctionType, node: ast.FunctionDef) -> dict[int, Any]:
    """The values of the defaults, by the expressions that they came from."""
    found: dict[int, Any] = {}
    values = function.__defaults__ or ()
    for default, value in zip(node.args.defaults, values, strict=False):
        found[id(default)] = value
    for argument, expression in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        if expression is not None and argument.arg in (function.__kwdefaults__ or {}):
            found[id(expression)] = (function.__kwdefaults__ or {})[argument.arg]
    return found


def _tensor_data(value: Any, element: ElementType) -> ir.TensorData:
    import numpy

    if element.kind == "string":
        return ir.TensorData(element, value.shape, tuple(str(item).encode() for item in value.ravel()))
    if element.bits < 8:
        from onnx import numpy_helper

        return ir.TensorData(element, value.shape, numpy_helper.from_array(value).raw_data)
    little = numpy.ascontiguousarray(value.astype(value.dtype.newbyteorder("<"), copy=False))
    return ir.TensorData(element, value.shape, little.tobytes())
