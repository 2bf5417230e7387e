"""Operators that nothing describes, of an opset that is open: what a call of one implies of its signature."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from opwright.elements import BY_NAME
from opwright.opsets.signatures import AttributeSpec, Formal, Option, Signature

Kinds = tuple[tuple[str, str], ...]  # attributes with ONNX's names of their kinds, sorted
KINDS = frozenset(["INT", "INTS", "FLOAT", "FLOATS", "STRING", "STRINGS", "TENSOR", "GRAPH"])
_TENSORS = tuple(f"tensor({name})" for name in BY_NAME)
_SEQUENCES = tuple(f"seq({item})" for item in _TENSORS)
_ANYTHING = (*_TENSORS, *_SEQUENCES, *(f"optional({item})" for item in (*_TENSORS, *_SEQUENCES)))


class ImpliedSignature(Signature):
    """What is known of an operator that nothing describes: that it takes what a call gives it. Of its results, there
    may be any number, nothing is known."""

    __slots__ = ()


@cache
def implied_signature(domain: str, name: str, version: int, inputs: int, kinds: Kinds) -> ImpliedSignature:
    """The signature of a call with so many inputs, any of which may be absent, and with attributes of these kinds."""
    made = ImpliedSignature.__new__(ImpliedSignature)
    made.domain, made.name, made.since_version = domain, name, version
    made.deprecated, made.deterministic = False, False
    types = [f"T{index}" for index in range(inputs)]
    made.inputs = tuple(Formal(f"input {type_[1:]}", type_, Option.OPTIONAL, True, 0) for type_ in types)
    made.outputs = (Formal("outputs", "R", Option.VARIADIC, False, 1),)
    made.min_inputs, made.max_inputs = 0, inputs
    made.min_outputs, made.max_outputs = 1, 1 << 31
    made.attributes = {key: AttributeSpec(key, kind, False, None) for key, kind in kinds}
    made.admitted = dict.fromkeys((*types, "R"), _ANYTHING)
    made.derive()
    made.positions = {}  # inputs have no names
    return made


def declared_kinds(given: object) -> dict[str, dict[str, str]]:
    """The kinds of attributes by operator, as an open opset says them. TypeError for anything else."""
    if given is True:
        return {}
    if isinstance(given, Mapping) and all(isinstance(kinds, Mapping) for kinds in given.values()):
        found = {str(name): {str(key): kind for key, kind in kinds.items()} for name, kinds in given.items()}
        if all(kind in KINDS for kinds in found.values() for kind in kinds.values()):
            return found
    listed = ", ".join(sorted(KINDS))
    raise TypeError(f"`open` is True, or the kinds of attributes by operator, of {listed}; it is {given!r}")


def sorted_kinds(kinds: Mapping[str, str]) -> Kinds:
    return tuple(sorted(kinds.items()))
