"""`@script` and `@graph`: Python functions that are ONNX functions too.

On the public import path: decorating reads nothing and compiles nothing. That happens when a proto is asked for, or
the function is called on arrays.
"""

from __future__ import annotations

import time

from opwright.first_use import find
from opwright.opsets.opset import Opset

TYPE_CHECKING = False  # importing `typing` costs more than everything here
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path
    from types import FunctionType
    from typing import Any, Generic, Literal, overload

    from onnx import FunctionProto, ModelProto
    from typing_extensions import ParamSpec, TypeVar

    from opwright.types import Array

    Decorated = TypeVar("Decorated", bound=Callable[..., Any])
    P = ParamSpec("P", default=...)
    R = TypeVar("R", default=Any, covariant=True)
else:
    P = R = None

    class Generic:
        """As `typing` has it, for annotations alone."""

        def __class_getitem__(cls, parameters):
            return cls


LOCAL_DOMAIN = "opwright.local"
LOCAL_OPSET = Opset(LOCAL_DOMAIN, 1)
STARTED = time.time()  # a source file that is younger may not be the one whose functions live here


class OnnxFunction(Generic[P, R]):
    """A Python function that is an ONNX function: callable on arrays, and compiled to protos on request.

    `opset` is the domain that it belongs to and that domain's version; without one it is `opwright.local`, which is
    good for the functions inside a model. `default_opset` says which ai.onnx opset it is compiled for unless another
    is asked for. `name`, `overload` and `names` (of inputs and outputs) are what ONNX calls it and them, where that is
    not what Python does.
    """

    def __init__(
        self,
        function: FunctionType,
        opset: Opset | None = None,
        default_opset: Opset | None = None,
        name: str = "",
        overload: str = "",
        names: Mapping[str, str] | None = None,
    ) -> None:
        self.__wrapped__ = function
        self.__name__ = function.__name__
        self.name = name or function.__name__
        self.overload = overload
        self.names = names
        self.__qualname__ = function.__qualname__
        self.__module__ = function.__module__
        self.__doc__ = function.__doc__
        self.opset = LOCAL_OPSET if opset is None else opset
        self.default_opset = default_opset
        self.compiled: dict[Any, Any] = {}  # by opset: what opwright.live.compiled keeps
        self.whole: Any = None  # what opwright.eager.whole keeps

    @property
    def domain(self) -> str:
        return self.opset.domain

    def __reduce__(self) -> str:
        return self.__qualname__  # a function is pickled as the name under which its module has it

    def __repr__(self) -> str:
        return f"<OnnxFunction {self.domain}::{self.name}>"

    if TYPE_CHECKING:  # as its annotations say; and on arrays, which they do not mention

        @overload
        def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R: ...
        @overload
        def __call__(self, array: Array, /, *args: Any, **kwargs: Any) -> Any: ...

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Runs the Python body, operator by operator at first, later as one graph where that is the same (see
        `whole_functions`): numpy arrays in, numpy arrays out. DiagnosticError for what the language refuses."""
        return _call(self, args, kwargs)

    def to_function_proto(
        self,
        opset: Opset | int | None = None,
        *,
        variant: Mapping[str, object] | None = None,
        opset_imports: Mapping[str, int] | None = None,
        profile: Literal["portable", "overload"] = "portable",
    ) -> FunctionProto:
        """The function as a FunctionProto for a default-domain opset.

        `variant` answers its static questions, where it asks any: an element type for an input or a type variable
        (`{"X": FLOAT}`), `"absent"` or `"present"` for an optional input. `opset_imports` says exactly which opsets the
        function imports, by domain. `profile`: the variant stands in the name (`clip__low_absent`), or in the overload,
        which onnxruntime finds since 1.27, and in a model's graph alone. Raises DiagnosticError when it does not
        compile, or has several variants and `variant` leaves more than one; ValueError for an opset that the installed
        onnx does not know, and for another profile.
        """
        made: FunctionProto = find("function_proto")(self, opset, variant or {}, opset_imports, profile)
        return made

    def to_function_protos(
        self,
        opset: Opset | int | None = None,
        *,
        variant: Mapping[str, object] | None = None,
        profile: Literal["portable", "overload"] = "portable",
    ) -> list[FunctionProto]:
        """Every variant as a FunctionProto, told apart by name or, with `profile="overload"`, by overload: those that
        `variant` leaves. Raises what `to_function_proto` does."""
        made: list[FunctionProto] = find("function_protos")(self, opset, variant or {}, profile)
        return made

    def to_model_proto(
        self,
        *,
        input_types: Sequence[object] | Mapping[str, object] | None = None,
        output_types: Sequence[object] | Mapping[str, object] | None = None,
        opset: Opset | int | None = None,
        ir_version: int | None = None,
        functions: Collection[OnnxFunction | str] | None = None,
        kept_functions: Sequence[OnnxFunction] = (),
        producer_name: str = "opwright",
        doc_string: str | None = None,
        names: Mapping[str, str] | None = None,
        opset_imports: Mapping[str, int] | None = None,
        initializers: Mapping[str, object] | None = None,
        input_defaults: Mapping[str, object] | None = None,
        external_data: str | Path | None = None,
        exact_types: bool = False,
        strict: bool = False,
        places: bool = False,
        profile: Literal["portable", "overload"] = "portable",
        attributes: Mapping[str, object] | None = None,
        **named_attributes: object,
    ) -> ModelProto:
        """A model whose graph is the function's body.

        Inputs have the types of their annotations or of `input_types` (in order, or by name; `FLOAT["N", 3]`), outputs
        those of `output_types`, of the annotations or those that follow. An optional input is left out unless it has a
        type there. Attributes are given by value, else by their defaults; those whose names are taken here stand in
        `attributes`. `functions` names the called functions that
        stay functions of the model (default: all); the others are inlined. `kept_functions` are those under `@script`
        that the model has even where nothing calls them. `ir_version` is the lowest that will do.

        `names` are the names in ONNX of inputs and outputs that have no name in Python: `{"x": "x:0"}`.
        `opset_imports` says exactly which opsets the model imports, by domain. `initializers` are the tensors (numpy
        arrays, SparseTensorProtos) that the model carries for parameters that are then no inputs; `input_defaults`
        those of inputs that need not be given. Of both, those of a megabyte and more are written to the file
        `external_data`, if one is named; the model is to be saved in its folder. `exact_types`: outputs have the types
        that annotations declare, no inferred sizes or ranks. `places`: each node is named by its line,
        and has it in its metadata (`opwright.explain_failures`). `profile`: variants of functions are told apart by
        name, or those that the graph calls by overload, for onnxruntime 1.27 and later and IR 10.

        Inputs and outputs of known element type and unknown rank have no shape in the model; a DiagnosticWarning
        names them all (not with `exact_types`, which asks for them), and `strict` refuses them. Raises
        DiagnosticError; ValueError for an opset that the installed onnx does not know, and for another profile, and
        TypeError for an option of another kind.
        """
        from pathlib import Path

        from opwright.graphs.initializers import Carried
        from opwright.model_options import ModelOptions
        from opwright.variants import Profile

        options = ModelOptions(
            opset=opset,
            input_types=input_types,
            output_types=output_types,
            ir_version=ir_version,
            functions=functions,
            kept_functions=kept_functions,
            producer_name=producer_name,
            doc_string=doc_string,
            names=names or {},
            opset_imports=opset_imports,
            carried=Carried(initializers, input_defaults, None if external_data is None else Path(external_data)),
            exact_types=exact_types,
            strict=strict,
            places=places,
            profile=Profile(profile),
        )
        made: ModelProto = find("model_proto")(self, {**(attributes or {}), **named_attributes}, options)
        return made


def _first_call(function: OnnxFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Eager mode is imported when something is called."""
    global _call
    _call = find("call_function")
    return _call(function, args, kwargs)


_call: Callable[[OnnxFunction, tuple[Any, ...], dict[str, Any]], Any] = _first_call


if TYPE_CHECKING:

    @overload
    def script(function: Callable[P, R], /) -> OnnxFunction[P, R]: ...
    @overload
    def script(
        opset: Opset | None = None,
        default_opset: Opset | None = None,
        *,
        name: str = "",
        overload: str = "",
        names: Mapping[str, str] | None = None,
    ) -> _Script: ...


def script(
    opset: Any = None,
    default_opset: Opset | None = None,
    *,
    name: str = "",
    overload: str = "",
    names: Mapping[str, str] | None = None,
) -> Any:
    """Makes a function an ONNX function: `@script()`, `@script`, `@script(Opset("com.acme", 1), default_opset=op)`.

    `opset` is the domain that the function belongs to; `default_opset` the opset of ai.onnx that it is compiled for,
    where no other is asked for (default: the one whose operators it uses). `name` is the function's name in ONNX,
    `overload` its overload, and `names` those of inputs and outputs, where they are not Python's:
    `@script(Opset("aten", 1), name="add.Tensor", names={"self_": "self"})`. TypeError when something else than a
    function is decorated.
    """
    if opset is None or isinstance(opset, Opset):
        return _Script(opset, default_opset, name, overload, names)
    return _Script(None, default_opset, name, overload, names)(opset)


class _Script:
    """`script(...)` before it has been given its function."""

    __slots__ = ("called", "default_opset", "opset")

    def __init__(
        self,
        opset: Opset | None,
        default_opset: Opset | None,
        name: str,
        overload: str,
        names: Mapping[str, str] | None,
    ) -> None:
        self.opset = opset
        self.default_opset = default_opset
        self.called = name, overload, names

    if TYPE_CHECKING:

        @overload
        def __call__(self, function: OnnxFunction[P, R], /) -> OnnxFunction[P, R]: ...
        @overload
        def __call__(self, function: Callable[P, R], /) -> OnnxFunction[P, R]: ...

    def __call__(self, function: Any) -> OnnxFunction:
        if isinstance(function, OnnxFunction):
            function = function.__wrapped__
        if not hasattr(function, "__code__"):
            raise TypeError(f"script decorates functions, not {type(function).__name__}")
        return OnnxFunction(function, self.opset, self.default_opset, *self.called)


if TYPE_CHECKING:

    @overload
    def graph(function: Decorated, /) -> Decorated: ...
    @overload
    def graph() -> Callable[[Decorated], Decorated]: ...


def graph(function: Any = None) -> Any:
    """Marks a nested function that is passed to an operator as a graph attribute: `op.Scan(..., body=step)`.

    It changes nothing: any nested function may be passed.
    """
    return _same if function is None else function


def _same(function: Decorated) -> Decorated:
    return function
