"""A function's interface from its `def` line and from what is declared about it elsewhere."""

from __future__ import annotations

import ast
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import field
from enum import Enum, auto

from opwright.diagnostics.diagnostic import Diagnostic
from opwright.elements import ElementType
from opwright.lang.ir import AttributeLiteral
from opwright.lang.meaning.annotations import (
    ANY,
    Annotation,
    Names,
    TensorAnnotation,
    read_annotation,
    why_not_understood,
)
from opwright.lang.meaning.attribute_values import convert_attribute
from opwright.lang.meaning.numpy_values import number_of
from opwright.lang.meaning.objects import MISSING, ArrayObject, TypeObject
from opwright.lang.text.source import Source, Span, span_of
from opwright.lang.value_class import record


@record
class DeclaredValue:
    """`type` is a type variable of the declaration or an element type's name; `rank` None when it is unknown.

    `shape` says more than `rank` where dimensions are declared. `wrap` names what the tensor is an item of, outermost
    first: `seq`, `optional`.
    """

    type: str
    rank: int | None = None
    shape: tuple[int | str | None, ...] | None = None
    wrap: tuple[str, ...] = ()

    @property
    def dimensions(self) -> tuple[int | str | None, ...] | None:
        """The shape as far as it is declared; None when even the rank is unknown."""
        if self.shape is not None:
            return self.shape
        return None if self.rank is None else (None,) * self.rank

    @property
    def shape_text(self) -> str:
        """The dimensions as messages show them: `[N, ?, 3]`."""
        dims = self.dimensions or ()
        return f"[{', '.join('?' if dim is None else str(dim) for dim in dims)}]"


@record
class Declaration:
    """What is known of a function in addition to its source text: identity, element types, output names.

    `outputs` None: they are named after what the function returns, and `returns` holds the types that are declared for
    them, None for one that is not. `inferred`: the type variables are what the body makes of them, so they may become
    equal to each other or to one element type; otherwise they are promises, which the body may only narrow.
    `variadic_output`: the last one of `outputs` stands for as many as the function returns.
    """

    domain: str
    name: str
    since_version: int
    inputs: Mapping[str, DeclaredValue] = field(default_factory=dict)
    outputs: Mapping[str, DeclaredValue] | None = field(default_factory=dict)
    types: Mapping[str, tuple[ElementType, ...]] = field(default_factory=dict)
    returns: tuple[DeclaredValue | None, ...] | None = None
    inferred: bool = False
    variadic_output: bool = False


class Arity(Enum):
    REQUIRED = auto()
    OPTIONAL = auto()
    VARIADIC = auto()


@record
class Input:
    """A parameter that takes a tensor, or a sequence of tensors; `annotation` is what the `def` says of its type.

    `must_be_given`: it may be None, and has no default, so that a call must say so. `has_gaps`: of a variadic one each
    item may be None.
    """

    name: str
    arity: Arity
    span: Span
    annotation: TensorAnnotation = ANY
    must_be_given: bool = False
    has_gaps: bool = False


@record
class AttributeDeclaration:
    """`kind` is ONNX's attribute type; `choices` the values of a `Literal`; `is_bool`: a Python bool, stored as INT.

    `required`: it cannot be None. `must_be_given`: it can, and has no default, so that a call must say so.
    """

    name: str
    kind: str
    required: bool
    default: AttributeLiteral | None
    is_bool: bool
    choices: tuple[int, ...] | tuple[str, ...]
    span: Span
    must_be_given: bool = False


@record
class Interface:
    inputs: tuple[Input, ...]
    attributes: tuple[AttributeDeclaration, ...]

    @property
    def must_be_given(self) -> tuple[str, ...]:
        """The parameters that may be None and have no default."""
        inputs = [item.name for item in self.inputs if item.must_be_given]
        return (*inputs, *(item.name for item in self.attributes if item.must_be_given))


def read_interface(
    source: Source,
    function: ast.FunctionDef,
    evaluate: Callable[[ast.expr], object],
    report: Callable[[Diagnostic], None],
    names: Names,
    read: Callable[[ast.arg], Annotation | None] | None = None,
) -> Interface:
    """The parameters of a `def`. `evaluate` gives the static value of a default; problems go to `report`. What a
    parameter's annotation means `read` says, or without it its syntax; `names` says what names in it stand for.
    """
    read = read or (lambda argument: read_annotation(argument.annotation, names=names))
    inputs: list[Input] = []
    attributes: list[AttributeDeclaration] = []
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    for argument, default in [
        *zip(positional, defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]:
        annotation = read(argument)
        if annotation is None:
            report(_bad_annotation(source, argument, names))
        elif annotation.kind is None:
            inputs.append(_input(source, argument, annotation, default, report))
        else:
            attributes.append(_attribute(source, argument, annotation, default, evaluate, report))
    if arguments.vararg is not None:
        found = read(arguments.vararg)
        if found is None:
            report(_bad_annotation(source, arguments.vararg, names))
        else:
            name, span = arguments.vararg.arg, span_of(arguments.vararg)
            inputs.append(Input(name, Arity.VARIADIC, span, found.tensor, has_gaps=found.optional))
    if arguments.kwarg is not None:
        report(
            Diagnostic(
                "OW316",
                f"`**{arguments.kwarg.arg}` cannot be a parameter of an ONNX function",
                source.place(span_of(arguments.kwarg)),
                reason="every attribute of an ONNX function has a name and a type",
                help="name the attributes: `alpha: float = 1.0`",
            )
        )
    return Interface(tuple(inputs), tuple(attributes))


def _input(
    source: Source,
    argument: ast.arg,
    annotation: Annotation,
    default: ast.expr | None,
    report: Callable[[Diagnostic], None],
) -> Input:
    if default is None:
        arity = Arity.OPTIONAL if annotation.optional else Arity.REQUIRED
        return Input(argument.arg, arity, span_of(argument), annotation.tensor, annotation.optional)
    if not (isinstance(default, ast.Constant) and default.value is None):
        report(
            Diagnostic(
                "OW318",
                f"the input `{argument.arg}` has a default other than None",
                source.place(span_of(default)),
                reason="an ONNX input is given or absent; only attributes have default values",
                help=f"write `{argument.arg}=None` for an optional input, or annotate it "
                f"(`{argument.arg}: float = ...`) to make it an attribute",
            )
        )
    return Input(argument.arg, Arity.OPTIONAL, span_of(argument), annotation.tensor)


def _attribute(
    source: Source,
    argument: ast.arg,
    annotation: Annotation,
    default: ast.expr | None,
    evaluate: Callable[[ast.expr], object],
    report: Callable[[Diagnostic], None],
) -> AttributeDeclaration:
    assert annotation.kind is not None
    held: AttributeLiteral | None = None
    if default is not None:
        value = evaluate(default)
        if isinstance(value, ArrayObject) and value.is_scalar:
            value = number_of(value.data)
        if isinstance(value, TypeObject) and annotation.kind == "INT":
            value = value.element.code  # `to: int = FLOAT.dtype`
        if value is not None and not _holds_missing(value):  # which has been reported
            held = convert_attribute(value, annotation.kind)
            if held is None or (annotation.choices and value not in annotation.choices):
                report(
                    Diagnostic(
                        "OW318",
                        f"the default{_shown(value)} of `{argument.arg}` does not have the declared type",
                        source.place(span_of(default)),
                        reason=f"the annotation makes it an attribute of type {annotation.kind}"
                        + (f" with one of the values {annotation.choices!r}" if annotation.choices else ""),
                        help="change the default or the annotation",
                    )
                )
    return AttributeDeclaration(
        argument.arg,
        annotation.kind,
        default is None and not annotation.optional,
        held,
        annotation.is_bool,
        annotation.choices,
        span_of(argument),
        default is None and annotation.optional,
    )


def _holds_missing(value: object) -> bool:
    return value is MISSING or (isinstance(value, tuple) and any(map(_holds_missing, value)))


def _shown(value: object) -> str:
    """Numbers and texts; other objects have no short text."""
    plain = isinstance(value, (bool, int, float, str))
    return f" `{reprlib.repr(value)}`" if plain else ""


def _bad_annotation(source: Source, argument: ast.arg, names: Names) -> Diagnostic:
    return Diagnostic(
        "OW317",
        f"the annotation of `{argument.arg}` is not understood",
        source.place(span_of(argument.annotation or argument)),
        reason=why_not_understood(
            argument.annotation, names, "it says neither which kind of attribute nor which tensor type this is"
        ),
        help="attributes are `int`, `float`, `str`, `bool`, `Sequence[...]` of these, `Optional` or `Literal`; "
        "inputs are tensor types such as `FLOAT[...]`, or have no annotation",
    )
