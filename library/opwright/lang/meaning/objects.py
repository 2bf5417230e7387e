"""What a name can mean: modules, opsets, operators, functions, types, builtins."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from opwright.elements import ElementType
from opwright.lang.meaning.static import Comparable, RecordType, StaticError, unknown_equality
from opwright.lang.value_class import record
from opwright.opsets.signatures import Signature, is_known_domain

if TYPE_CHECKING:
    from onnx import GraphProto

    from opwright.diagnostics.diagnostic import Related
    from opwright.lang.ir import TensorData, Type, Value
    from opwright.lang.meaning.function_unit import Unit
    from opwright.lang.meaning.operands import Operand
    from opwright.lang.meaning.resolve import ModuleScope
    from opwright.variants import Key

    Run = Callable[[list[Operand]], Operand]


class NamedObject(Comparable):
    """What a name means that is no value of the graph. `described` is what it is called in messages."""

    __slots__ = ()

    @property
    def described(self) -> str:
        raise NotImplementedError

    def equals(self, other: object) -> bool:
        """One object may be two of the compiler's: that these differ says nothing."""
        if self is other:
            return True
        if type(self) is type(other):
            raise unknown_equality()
        return False

    def is_same(self, other: object) -> bool:
        """Whether the two are one object in Python; StaticError where that is not known."""
        raise StaticError("OW304", "it is not known which objects of Python the two are")


class SingleObject(NamedObject):
    """What is equal to itself alone in Python."""

    __slots__ = ()

    def is_same(self, other: object) -> bool:
        return self.equals(other)


class ModuleObject(SingleObject):
    """An imported module that the language knows: math, numpy, typing, opwright."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def described(self) -> str:
        return f"the module `{self.name}`"

    def equals(self, other: object) -> bool:
        return isinstance(other, ModuleObject) and self.name == other.name


class FileObject(SingleObject):
    """An imported file of the library, whose names are those of `scope`."""

    __slots__ = ("scope",)

    def __init__(self, scope: ModuleScope) -> None:
        self.scope = scope

    @property
    def described(self) -> str:
        return f"the module `{self.scope.module.source.name}`"

    def equals(self, other: object) -> bool:
        return isinstance(other, FileObject) and self.scope is other.scope


class OpsetObject(NamedObject):
    """The operators of a domain. `version` is what the source says; for the default domain the build retargets it."""

    __slots__ = ("domain", "open", "signatures", "version")

    def __init__(
        self,
        domain: str,
        version: int,
        signatures: Mapping[str, Signature] | None = None,
        open: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        self.domain = domain
        self.version = version
        self.open = open  # where it has operators that nothing describes: the kinds of attributes that are said
        self.signatures = signatures or {}  # of operators that the installed onnx does not know

    def operator(self, name: str) -> OperatorObject:
        return OperatorObject(self, name)

    @property
    def describes_operators(self) -> bool:
        """Whether its operators are certainly those of an opset, and no functions of a library."""
        return is_known_domain(self.domain) or bool(self.signatures) or self.open is not None

    @property
    def described(self) -> str:
        return "an opset"

    def equals(self, other: object) -> bool:
        if not isinstance(other, OpsetObject) or (self.domain, self.version) != (other.domain, other.version):
            return False
        return (self.signatures == other.signatures and self.open == other.open) or super().equals(other)


class OperatorObject(SingleObject):
    __slots__ = ("name", "opset")

    def __init__(self, opset: OpsetObject, name: str) -> None:
        self.opset = opset
        self.name = name

    @property
    def described(self) -> str:
        return f"the operator {self.name}"

    def equals(self, other: object) -> bool:
        """A function that a library does not change is one object at several versions of its domain, and it is no
        operator that an opset of the domain has."""
        if not isinstance(other, OperatorObject) or (self.name, self.opset.domain) != (other.name, other.opset.domain):
            return False
        if self.opset is not other.opset and not (self.opset.describes_operators and other.opset.describes_operators):
            raise unknown_equality()
        return self.opset.equals(other.opset)

    def __eq__(self, other: object) -> bool:
        """As a key of a dictionary. StaticError where Python's answer is not known."""
        return self.equals(other)

    def __hash__(self) -> int:
        return hash((self.opset.domain, self.name))


class FunctionObject(SingleObject):
    """A function of a source file: a helper that is inlined where it is called.

    `is_script`: it stands under `@script`, so that its `float` attributes hold what float32 does.
    """

    __slots__ = ("is_script", "node", "scope")

    frame: object = None  # the call that it stands in: none
    run: Run | None = None

    def __init__(self, scope: ModuleScope, node: ast.FunctionDef, is_script: bool = False) -> None:
        self.scope = scope
        self.node = node
        self.is_script = is_script

    @property
    def described(self) -> str:
        return f"the function `{self.node.name}`"

    def default(self, node: ast.expr) -> Operand:
        """The value of a parameter's default."""
        return self.scope.constant(node)

    def equals(self, other: object) -> bool:
        """Two of one text may be one function, or closures over different values."""
        if not isinstance(other, FunctionObject) or _place(self.node) != _place(other.node):
            return False
        return (self.node is other.node and self.scope is other.scope) or super().equals(other)

    def __eq__(self, other: object) -> bool:
        """As a key of a dictionary. StaticError where Python's answer is not known."""
        return self.equals(other)

    def __hash__(self) -> int:
        return hash(_place(self.node))


def _place(node: ast.FunctionDef) -> tuple[str, int, int]:
    return node.name, node.lineno, node.col_offset


class TracedObject(FunctionObject):
    """A function that is called instead of read: `run` gives what it returns for values of its parameters.

    Of `node` there is the head alone.
    """

    __slots__ = ("run",)

    def __init__(self, scope: ModuleScope, node: ast.FunctionDef, run: Run) -> None:
        super().__init__(scope, node)
        self.run = run


class NestedObject(SingleObject):
    """A `def` inside a function: where it stands, the call around it, and its defaults, evaluated at the `def`."""

    __slots__ = ("defaults", "frame", "node", "scope")

    is_script = False
    run: Run | None = None

    def __init__(
        self, node: ast.FunctionDef, frame: object, scope: ModuleScope, defaults: dict[ast.expr, Operand]
    ) -> None:
        self.node = node
        self.frame = frame
        self.scope = scope
        self.defaults = defaults

    @property
    def described(self) -> str:
        return f"the function `{self.node.name}`"

    def default(self, node: ast.expr) -> Operand:
        """The value of a parameter's default."""
        return self.defaults[node]

    def equals(self, other: object) -> bool:
        """Two of one `def` may be one function: control flow that meets makes another object of it."""
        if isinstance(other, NestedObject) and self.node is not other.node:
            return False
        return super().equals(other)

    def __eq__(self, other: object) -> bool:
        """As a key of a dictionary. StaticError where Python's answer is not known."""
        return self.equals(other)

    def __hash__(self) -> int:
        return hash(self.node)


class PartialObject(SingleObject):
    """What `functools.partial` makes: a function, and the arguments that each of its calls begins with."""

    __slots__ = ("function", "keywords", "positional")

    def __init__(self, function: Operand, positional: tuple[Operand, ...], keywords: Mapping[str, Operand]) -> None:
        self.function = function
        self.positional = positional
        self.keywords = keywords

    @property
    def described(self) -> str:
        return "a function with some of its arguments"

    def __eq__(self, other: object) -> bool:
        """As a key of a dictionary. StaticError where Python's answer is not known."""
        return self.equals(other)

    def __hash__(self) -> int:
        return hash(PartialObject)  # two of the compiler's may be one of Python's


class GraphObject(NamedObject):
    """A graph that a node of a model holds, given to a template: `proto` is its GraphProto, `imports` the versions of
    the domains that its operators are of.
    """

    __slots__ = ("imports", "proto")

    def __init__(self, proto: GraphProto, imports: Mapping[str, int]) -> None:
        self.proto = proto
        self.imports = imports

    @property
    def name(self) -> str:
        return str(self.proto.name)

    @property
    def described(self) -> str:
        return "this object"


@record
class ScriptVariant:
    """One variant as its callers see it: what its proto is named by (`label`), takes and gives.

    `returns_tuple`: its results are a tuple in Python, of one too.
    """

    variant: Key
    label: Key
    signature: Signature
    inputs: tuple[Value, ...]
    outputs: tuple[Type, ...]
    attributes: tuple[str, ...]
    pure: bool
    rank_sources: tuple[tuple[int, ...] | None, ...]  # of each output: the inputs that say by theirs which it has
    ranks_like: tuple[int | None, ...]  # of each output: the input whose very rank it has
    returns_tuple: bool = False


@record
class Script:
    """A function under `@script`, compiled for one opset. `parameters` are those that may be given by position.

    `origin` is what was compiled, or the proto. `template`: only a call can say what its body is.
    `must_be_given`: parameters that may be None and have no default. `errors`: why there are no variants.
    """

    domain: str
    version: int
    name: str
    parameters: tuple[str, ...]
    variadic: bool
    signature: Signature
    variants: tuple[ScriptVariant, ...]
    origin: object = None
    template: Unit | None = None
    must_be_given: tuple[str, ...] = ()
    errors: tuple[Related, ...] = ()


class ScriptObject(SingleObject):
    """A function under `@script`: calls of it stay calls.

    `at` gives what callers must know of it at an opset, and has it compiled if need be.
    `without_sizes` gives the types of a variant's outputs when nothing is known of the sizes that its annotations say,
    and None where its body is then another one. `is_proto`: the function exists as a proto alone, whose body may rely
    on all that it declares; sizes that are not known are checked when the model runs.
    """

    __slots__ = ("__weakref__", "at", "is_proto", "name", "without_sizes")

    def __init__(
        self,
        name: str,
        at: Callable[[int], Script],
        without_sizes: Callable[[Key], tuple[Type, ...] | None],
        is_proto: bool = False,
    ) -> None:
        self.name = name
        self.at = at
        self.without_sizes = without_sizes
        self.is_proto = is_proto

    @property
    def described(self) -> str:
        return f"the function `{self.name}`"

    def equals(self, other: object) -> bool:
        """Two of one name may be one function, or two that were defined one after the other."""
        if isinstance(other, ScriptObject) and self.name != other.name:
            return False
        return super().equals(other)

    def __eq__(self, other: object) -> bool:
        """As a key of a dictionary. StaticError where Python's answer is not known."""
        return self.equals(other)

    def __hash__(self) -> int:
        return hash(self.name)


class NamespaceObject(NamedObject):
    """A live module, class or namespace: its attributes are read when the function is built."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def equals(self, other: object) -> bool:
        """Modules, classes and members of enumerations are equal to themselves alone, unless they say otherwise."""
        if isinstance(other, NamespaceObject) and self.value is other.value:
            return True
        if all(_is_equal_to_itself_alone(item) for item in (self, other)):
            return False
        raise unknown_equality()

    def is_same(self, other: object) -> bool:
        return isinstance(other, NamespaceObject) and self.value is other.value

    @property
    def makes_tuples(self) -> bool:
        """Whether it is a class that `namedtuple` or `NamedTuple` has made."""
        return isinstance(self.value, type) and issubclass(self.value, tuple) and hasattr(self.value, "_fields")

    @property
    def described(self) -> str:
        return "a module or class"


def _is_equal_to_itself_alone(item: object) -> bool:
    return not isinstance(item, NamespaceObject) or type(item.value).__eq__ is object.__eq__


class ForeignObject:
    """An object of Python that has no meaning in a graph: refused where it is used."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


class ArrayObject:
    """A small array that the function captures: `data` is its `ir.TensorData`.

    `is_scalar`: it is a scalar of numpy whose type is none of Python's numbers. An operator takes it as a tensor of
    that type, and an attribute as its number.
    """

    __slots__ = ("data", "is_scalar")

    def __init__(self, data: TensorData, is_scalar: bool = False) -> None:
        self.data = data
        self.is_scalar = is_scalar


class RecordObject(NamedObject):
    """A class that `namedtuple` or `NamedTuple` makes, with the values of its defaults."""

    __slots__ = ("defaults", "record")

    def __init__(self, record: RecordType, defaults: Mapping[str, Operand]) -> None:
        self.record = record
        self.defaults = defaults

    @property
    def name(self) -> str:
        return self.record.name

    @property
    def described(self) -> str:
        return f"the namedtuple `{self.name}`"


class TensorObject(NamedObject):
    """A TensorProto, or a tensor of onnx_ir: what an attribute holds. `data` is its `ir.TensorData`."""

    __slots__ = ("data",)

    def __init__(self, data: TensorData) -> None:
        self.data = data

    @property
    def described(self) -> str:
        return "a TensorProto"


class TypeObject(NamedObject):
    """`FLOAT`, `INT64["N"]`: an element type, usable as annotation, as dtype attribute, and to make typed scalars.

    `is_dtype`: it is that of a tensor, `x.dtype`, which equals every class of its element type. Those differ among
    themselves in Python, and which of them this is has not been kept. `of_numpy`: it is a scalar type of numpy.
    """

    __slots__ = ("element", "is_dtype", "of_numpy")

    def __init__(self, element: ElementType, is_dtype: bool = False, of_numpy: bool = False) -> None:
        self.element = element
        self.is_dtype = is_dtype
        self.of_numpy = of_numpy

    def equals(self, other: object) -> bool:
        return self == other

    def __eq__(self, other: object) -> bool:
        """StaticError where Python's answer is not known."""
        if self is other:
            return True
        if not isinstance(other, TypeObject) or self.element is not other.element:
            return False
        if not (self.is_dtype or other.is_dtype):
            name = self.element.name.upper()
            raise StaticError("OW304", f"two types are compared; compare a dtype with one, as in `x.dtype == {name}`")
        return True

    @property
    def described(self) -> str:
        return f"the type {self.element.name.upper()}"


class BuiltinObject(SingleObject):
    """A builtin of Python (`len`) or a function of `math`, numpy or onnx.helper (`math.sqrt`)."""

    __slots__ = ("module", "name")

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.name = name

    @property
    def described(self) -> str:
        return f"the builtin `{self.name}`"

    def equals(self, other: object) -> bool:
        """Two names may stand for one function of Python."""
        same = isinstance(other, BuiltinObject) and (self.module, self.name) == (other.module, other.name)
        return same or super().equals(other)


class TypingObject(NamedObject):
    """A name that serves annotations alone."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def described(self) -> str:
        return f"the typing name `{self.name}`"


class Missing:
    """What is left of a name that cannot be used; its diagnostic has been reported."""

    __slots__ = ()


MISSING = Missing()
