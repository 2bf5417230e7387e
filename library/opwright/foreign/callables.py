"""Functions that may stand behind a node: what the node says of a call, and what the call says of the node."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from types import ModuleType
from typing import Any

from onnx import AttributeProto, NodeProto, helper

from opwright.bundle.format import Bundle
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.eager.arguments import bind_arguments, opsets_of
from opwright.eager.described import Described, describe_function
from opwright.functions import OnnxFunction
from opwright.graphs.ids import FunctionId
from opwright.graphs.ndarrays import plain_values
from opwright.graphs.walk import GRAPH_KINDS
from opwright.lang.meaning.attribute_values import code_of, convert_attribute
from opwright.lang.meaning.interface import Arity, Input
from opwright.link.library_forms import AnyLibrary, given_library
from opwright.live.compiled import target_opset
from opwright.opsets.domains import normal_domain
from opwright.packaged import LibraryFunction

Callable = OnnxFunction | LibraryFunction
Linked = Callable | AnyLibrary


@dataclass(frozen=True, slots=True)
class Functions:
    """Scripts by the id of the nodes that mean them, and libraries."""

    scripts: Mapping[FunctionId, OnnxFunction]
    libraries: tuple[Bundle, ...]


def each_of(given: Linked | Iterable[Linked]) -> Iterable[Linked]:
    """One, or several."""
    return [given] if isinstance(given, Callable | Bundle | str | PathLike | ModuleType) else given


def gather(given: Iterable[Linked]) -> Functions:
    """The functions and libraries that are given, each once.

    DiagnosticError: OW682 where two functions have one id, OW683 for what is neither a function nor a library, OW510 to
    OW518 where a path or a name leads to no library.
    """
    scripts: dict[FunctionId, OnnxFunction] = {}
    libraries: dict[int, Bundle] = {}
    for item in given:
        if isinstance(item, OnnxFunction):
            identity = script_id(item)
            if scripts.setdefault(identity, item) is not item:
                raise DiagnosticError([_two(item)])
        elif isinstance(item, LibraryFunction | Bundle | str | PathLike | ModuleType):
            bundle = item.bundle if isinstance(item, LibraryFunction) else given_library(item)
            libraries[id(bundle)] = bundle
        else:
            raise DiagnosticError([no_function(item)])
    return Functions(scripts, tuple(libraries.values()))


def script_id(function: OnnxFunction) -> FunctionId:
    return normal_domain(function.domain), function.name, function.overload


def _two(function: OnnxFunction) -> Diagnostic:
    return Diagnostic(
        "OW682",
        f"two functions are {function.domain}::{function.name}",
        reason="a node says which function it calls by domain and name, so that a model has one of each",
        help='give one of them another name or domain: `@script(Opset("com.acme", 1), name="...")`',
    )


def expect_function(value: object) -> Callable:
    """The function that is given; DiagnosticError (OW683) for what is none."""
    if not isinstance(value, Callable):
        raise DiagnosticError([no_function(value)])
    return value


def no_function(item: object) -> Diagnostic:
    return Diagnostic(
        "OW683",
        f"an object of {type(item).__name__} is no function that a node can call",
        reason="a function under `@script`, one of a library, or a library is taken",
        help="put `@script()` before the function; `opwright.find_bundle` opens a library",
    )


# ----------------------------------------------------------------------------------------- from calls to nodes


def emitted_domain(function: Callable) -> str:
    """The domain that nodes which call it have."""
    if isinstance(function, OnnxFunction):
        return function.domain
    domains = function.bundle.index.domains
    return next((item.mirror for item in domains if item.name == function.domain), function.domain)


def version_of(function: Callable) -> int:
    return function.opset.version if isinstance(function, OnnxFunction) else function.since_version


def newest_opset_of(function: Callable) -> int:
    """The default opset of the function's own source; of one of a library, the newest that it has a body for."""
    if isinstance(function, OnnxFunction):
        return target_opset(function, None)
    return max(opsets_of(function.entry))


def oldest_opset_of(function: Callable) -> int | None:
    """The oldest default opset that the function of a library has a body for; None for a script, which is compiled for
    the opset of each model."""
    return None if isinstance(function, OnnxFunction) else min(opsets_of(function.entry))


def formals_of(function: OnnxFunction) -> list[Input]:
    """Its inputs in the order that nodes have: one that stands for any number is the last there."""
    return sorted(describe_function(function).interface.inputs, key=lambda item: item.arity is Arity.VARIADIC)


@dataclass(frozen=True, slots=True)
class Parameter:
    """An input or an attribute; where it is required, a call has to give it."""

    name: str
    required: bool


def parameters_of(function: Callable) -> tuple[list[Parameter], list[Parameter]]:
    """Its inputs and its attributes, each in the order in which they are declared."""
    if isinstance(function, OnnxFunction):
        interface = describe_function(function).interface
        inputs = [Parameter(item.name, item.arity is Arity.REQUIRED) for item in interface.inputs]
        return inputs, [Parameter(item.name, item.required) for item in interface.attributes]
    entry = function.entry
    inputs = [Parameter(item.name, not (item.optional or item.variadic)) for item in entry.inputs]
    return inputs, [Parameter(item.name, item.required) for item in entry.attributes]


def output_names(function: OnnxFunction) -> list[str]:
    """The names of its outputs; where it takes any number of inputs, those that it has for two."""
    several = {item.name: "2" for item in formals_of(function) if item.arity is Arity.VARIADIC}
    return list(function.to_function_protos(variant=several)[0].output)


def overload_of(function: Callable) -> str:
    return function.overload if isinstance(function, OnnxFunction) else ""


@dataclass(frozen=True, slots=True)
class Bound:
    """The arguments of a call as a node has them: inputs in order (None where absent), attributes."""

    inputs: tuple[Any, ...]
    attributes: tuple[AttributeProto, ...]


def bind(function: Callable, args: Sequence[object], kwargs: Mapping[str, object]) -> Bound:
    """The same call as a node. The arguments are known to be right: the call has been recorded before."""
    if isinstance(function, LibraryFunction):
        inputs, attributes = bind_arguments(function.entry, args, kwargs)
        kinds = {item.name: item.type for item in function.entry.attributes}
        made = [_attribute(name, value, kinds[name]) for name, value in attributes]
        return Bound(_without_last_absent(inputs), tuple(made))
    described = describe_function(function)
    given = described.signature.bind(*args, **kwargs).arguments
    inputs = []
    for item in formals_of(function):
        value = given.get(item.name)
        inputs += list(value or ()) if item.arity is Arity.VARIADIC else [value]
    made = []
    for attribute in described.interface.attributes:
        value = given.get(attribute.name)
        if value is not None:
            made.append(_attribute(attribute.name, value, attribute.kind))
    return Bound(_without_last_absent(inputs), tuple(made))


def by_name(
    function: OnnxFunction, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """The same arguments, each by its name; as they are where Python cannot bind them, or some stand for `*xs`."""
    described = describe_function(function)
    try:
        given = described.signature.bind(*args, **kwargs).arguments
    except TypeError:
        return args, kwargs
    variadic = {item.name for item in described.interface.inputs if item.arity is Arity.VARIADIC}
    return (args, kwargs) if variadic & given.keys() else ([], given)


def _attribute(name: str, value: object, kind: str) -> AttributeProto:
    plain = plain_values(value)
    converted: Any = convert_attribute(code_of(plain) if kind == "INT" else plain, kind)
    return helper.make_attribute(name, converted, attr_type=AttributeProto.AttributeType.Value(kind))


def _without_last_absent(inputs: Sequence[Any]) -> tuple[Any, ...]:
    count = len(inputs)
    while count and inputs[count - 1] is None:
        count -= 1
    return tuple(inputs[:count])


# ----------------------------------------------------------------------------------------- from nodes to calls


def call_of(
    function: OnnxFunction, node: NodeProto, inputs: Sequence[object]
) -> tuple[list[object], dict[str, object]]:
    """The arguments with which Python makes the call that a node is. DiagnosticError (OW681) where it is none."""
    described = describe_function(function)
    formals = formals_of(function)
    variadic = bool(formals) and formals[-1].arity is Arity.VARIADIC
    if len(inputs) > len(formals) and not variadic:
        names = ", ".join(f"`{item.name}`" for item in formals)
        reason = f"its inputs are {names}" if formals else "it has no inputs"
        raise DiagnosticError(
            [_no_call(f"`{function.name}` takes {len(formals)} inputs, and the node has {len(inputs)}", reason)]
        )
    several = list(inputs[len(formals) - 1 :]) if variadic else []
    named = dict(zip((item.name for item in formals if item.arity is not Arity.VARIADIC), inputs, strict=False))
    values = {name: value for name, value in named.items() if value is not None}
    values |= _attributes(function, described, node)
    if not several:
        return [], values
    positional: list[object] = []
    for parameter in described.signature.parameters.values():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            break
        positional.append(
            values.pop(parameter.name, None if parameter.default is parameter.empty else parameter.default)
        )
    return [*positional, *several], values


def _attributes(function: OnnxFunction, described: Described, node: NodeProto) -> dict[str, object]:
    declared = {item.name: item for item in described.interface.attributes}
    found: dict[str, object] = {}
    for attribute in node.attribute:
        item = declared.get(attribute.name)
        if item is None:
            names = ", ".join(f"`{name}`" for name in declared)
            reason = f"its attributes are {names}" if names else "it has no attributes"
            raise DiagnosticError([_no_call(f"`{function.name}` has no attribute `{attribute.name}`", reason)])
        value = None if attribute.type in GRAPH_KINDS else plain_value(attribute)
        converted = convert_attribute(value, item.kind)
        if converted is None:
            kind = AttributeProto.AttributeType.Name(attribute.type)
            text = f"the attribute `{attribute.name}` of `{function.name}` is of kind {item.kind}, and {kind} is given"
            raise DiagnosticError([_no_call(text, "the kind of an attribute is part of a function's interface")])
        found[item.name] = bool(converted) if item.is_bool else converted
    return found


def plain_value(attribute: AttributeProto) -> Any:
    """The value of an attribute in Python; texts as `str`."""
    value = helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if attribute.type == AttributeProto.STRINGS:
        return [item.decode("utf-8", "replace") for item in value]
    return list(value) if attribute.type in (AttributeProto.INTS, AttributeProto.FLOATS) else value


def _no_call(message: str, reason: str) -> Diagnostic:
    return Diagnostic("OW681", message, reason=reason, help="call it as its signature says")
