"""The element types that a body really takes, judged by onnx itself, apart from our own compiler.

`onnx.shape_inference` is asked about every element type that a spec declares or the index lists, for one type variable
at a time; the others are held at the first type that the index says they take. The answer is compared with both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from onnx import FunctionProto
from opwright.bundle.call_interface import ANY, inputs_of_call, split_type
from opwright.bundle.format import BodyEntry, Bundle, FunctionEntry, InputEntry
from opwright.elements import BY_NAME
from opwright.lang.facts import PRESENT

from opwright_build.verify.cases.bindings import resolve_type
from opwright_build.verify.items import is_sequence
from opwright_build.verify.run.inferred_types import FlatFunction, InferredTypes, flat_function
from opwright_build.verify.run.instantiated import BodyFunctions
from opwright_build.verify.run.models import (
    AttributeValue,
    Signature,
    inlined,
    one_node_model,
    output_types,
)
from opwright_build.verify.run.spread import Spread


@dataclass(frozen=True, slots=True)
class Admission:
    """What one body takes for one type variable: as the spec declares, as the index says, and as onnx finds.

    All in the order of ONNX's type codes. `found` holds those of the declared and the listed types that pass;
    `wrong_output` those for which an output has another element type than declared.
    """

    identity: str
    first_opset: int
    last_opset: int
    variant: tuple[tuple[str, str], ...]
    variable: str
    declared: tuple[str, ...]
    index: tuple[str, ...]
    found: tuple[str, ...]
    wrong_output: tuple[str, ...]


def admissions(
    bundle: Bundle,
    instantiated: BodyFunctions | None = None,
    only: Collection[str] | None = None,
    spread: Spread | None = None,
    fits_opset: Callable[[int], bool] = lambda opset: True,
) -> list[Admission]:
    """Every body and type variable of a library, in the order of its index; or of the versions of those identities, of
    the bodies of a spread, or of those that serve an opset which fits.

    `instantiated` are the functions that others have made of the bundle.
    """
    functions = BodyFunctions(bundle) if instantiated is None else instantiated
    bodies, inference = _FlatBodies(functions), InferredTypes()
    found: list[Admission] = []
    for entry in bundle.index.functions:
        if only is not None and entry.identity not in only:
            continue
        for body in entry.bodies if spread is None else spread.of(entry):
            if any(map(fits_opset, range(body.first_opset, body.last_opset + 1))):
                found.extend(_of_body(bodies, inference, entry, body))
    return found


class AdmissionMismatchError(Exception):
    """The index and onnx differ about the types of a body: a bug of the compiler, not of a spec."""


def require_agreement(found: Iterable[Admission]) -> None:
    """Raises AdmissionMismatchError, with a line for each difference."""
    lines = disagreements(found)
    if lines:
        raise AdmissionMismatchError("\n".join(lines))


def disagreements(found: Iterable[Admission]) -> list[str]:
    """Where onnx and the index differ, in a line each."""
    lines: list[str] = []
    for item in found:
        where = f"{item.identity}, opsets {item.first_opset} to {item.last_opset}, {item.variable}"
        wrongly = [kind for kind in item.index if kind not in item.found]
        missing = [kind for kind in item.declared if kind in item.found and kind not in item.index]
        results = [kind for kind in item.wrong_output if kind in item.index]
        if wrongly:
            lines.append(f"{where}: the index admits {_list(wrongly)}, onnx refuses them")
        if missing:
            lines.append(f"{where}: the index leaves out {_list(missing)}, onnx accepts them")
        if results:
            lines.append(f"{where}: with {_list(results)} an output has another type than declared")
    return lines


def _of_body(
    bodies: _FlatBodies, inference: InferredTypes, entry: FunctionEntry, body: BodyEntry
) -> Iterator[Admission]:
    admits, fixed = dict(body.admits), dict(body.variant)
    choice = {name: fixed.get(name, admits.get(name, kinds)[0]) for name, kinds in entry.types}
    function = bodies.of(entry, body, _signature(entry, body, choice))
    types_of = inference.at(function, body.last_opset)
    formals = [item for item in _formals(entry, body) if item.name in body.inputs]
    results = output_types(entry, body)
    variables = {split_type(item.type)[1] for item in formals} - {ANY}
    for variable, declared in entry.types:
        if variable not in variables:
            continue  # an attribute decides it, or the body does not look at it
        found: list[str] = []
        wrong: list[str] = []
        for kind in [fixed[variable]] if variable in fixed else _sorted({*declared, *admits.get(variable, ())}):
            bound = {**choice, variable: kind}
            outputs = types_of(tuple(_type_of(item, bound, fixed) for item in formals))
            if outputs is None:
                continue
            found.append(kind)
            pairs = [(item, got) for item, got in zip(results, outputs, strict=True) if got]
            if any(split_type(item)[1] in variables and got != resolve_type(bound, item) for item, got in pairs):
                wrong.append(kind)
        yield Admission(
            entry.identity,
            body.first_opset,
            body.last_opset,
            body.variant,
            variable,
            _sorted(declared),
            _sorted(admits.get(variable, declared)),
            tuple(found),
            tuple(wrong),
        )


def _signature(entry: FunctionEntry, body: BodyEntry, choice: Mapping[str, str]) -> Signature:
    """Any call that is right but for its types."""
    fixed = dict(body.variant)
    types = [_type_of(item, choice, fixed) for item in _formals(entry, body) if item.name in body.inputs]
    inputs = tuple((kind, None if is_sequence(kind) else 0) for kind in types)
    attributes = tuple(
        (item.name, item.type, _SAMPLES[item.type] if item.default is None else item.default)
        for item in entry.attributes
        if item.name in body.attributes
    )
    return Signature(inputs, attributes, tuple(_result_type(choice, kind) for kind in output_types(entry, body)))


def _formals(entry: FunctionEntry, body: BodyEntry) -> tuple[InputEntry, ...]:
    """The inputs of a call that the body is for: of a variadic one, as many as its variant says."""
    last = entry.inputs[-1] if entry.inputs else None
    count = dict(body.variant).get(last.name, "0") if last is not None and last.variadic else "0"
    return inputs_of_call(entry, len(entry.inputs) - 1 + int(count))


def _type_of(item: InputEntry, choice: Mapping[str, str], fixed: Mapping[str, str]) -> str:
    """The type of an input: where it may be of any, the variant says which, if that makes a difference."""
    if item.type != ANY:
        return resolve_type(choice, item.type)
    said = fixed.get(item.name, PRESENT)  # of an optional one it may be its presence alone
    return "float" if said == PRESENT else said


def _result_type(choice: Mapping[str, str], declared: str) -> str:
    return "" if split_type(declared)[1] == ANY else resolve_type(choice, declared)


_SAMPLES: Mapping[str, AttributeValue] = {
    "INT": 1,
    "FLOAT": 1.0,
    "STRING": "",
    "INTS": (0,),
    "FLOATS": (1.0,),
    "STRINGS": ("",),
}


class _FlatBodies:
    """Bodies with their callees inlined and their attributes set, each made once: the same one serves many variants,
    and functions that are equal but for their names. What a body means at an opset, and for types of its inputs, is
    asked of inference."""

    def __init__(self, functions: BodyFunctions) -> None:
        self._functions = functions
        self._made: dict[tuple[str, tuple[str, ...], object], FlatFunction] = {}

    def of(self, entry: FunctionEntry, body: BodyEntry, signature: Signature) -> FlatFunction:
        key = (body.body, body.attributes, signature.attributes)
        if key not in self._made:
            made = self._functions.of(entry, body, body.last_opset)
            functions = [FunctionProto.FromString(data) for data in made.functions]
            self._made[key] = flat_function(inlined(one_node_model(functions, signature, body.last_opset)))
        return self._made[key]


def _sorted(kinds: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(kinds, key=lambda kind: BY_NAME[kind].code))


def _list(kinds: Iterable[str]) -> str:
    return ", ".join(kinds) or "none"
