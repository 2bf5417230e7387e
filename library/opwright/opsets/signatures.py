"""Operator signatures: what an operator of a domain accepts at an opset, read once from the installed onnx schemas.

Sets of element types are bit masks (`1 << code`), since they are met millions of times in a build.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import cache
from typing import Any

from opwright.elements import BY_CODE, BY_NAME, ElementType
from opwright.opsets.domains import normal_domain
from opwright.opsets.record import Record
from opwright.opsets.records import record_of
from opwright.suggest import close_in_any_case


class Option(Enum):
    REQUIRED = "required"
    OPTIONAL = "optional"
    VARIADIC = "variadic"


class Formal:
    """A formal input or output. `type` is a type variable of the signature or an ONNX type (`tensor(int64)`)."""

    __slots__ = ("homogeneous", "min_arity", "name", "option", "type")

    def __init__(self, name: str, type_: str, option: Option, homogeneous: bool, min_arity: int) -> None:
        self.name = name
        self.type = type_
        self.option = option
        self.homogeneous = homogeneous
        self.min_arity = min_arity


class AttributeSpec:
    """A formal attribute. `kind` is ONNX's (`INT`, `FLOATS`, `GRAPH`); `default` None where there is none."""

    __slots__ = ("default", "kind", "name", "required")

    def __init__(self, name: str, kind: str, required: bool, default: Any) -> None:
        self.name = name
        self.kind = kind
        self.required = required
        self.default = default


class Signature:
    """An operator at one schema version. `admitted` maps a type variable to ONNX types, `masks` to a bit mask.
    `record` is what is known of the operator beyond its schema."""

    __slots__ = (
        "admitted",
        "attributes",
        "deprecated",
        "deterministic",
        "domain",
        "explicit_defaults",
        "input_masks",
        "inputs",
        "kinds",
        "masks",
        "max_inputs",
        "max_outputs",
        "min_inputs",
        "min_outputs",
        "name",
        "needs_attributes",
        "outputs",
        "positions",
        "record",
        "since_version",
        "takes_graphs",
        "variadic",
    )

    def __init__(self, schema: Any) -> None:
        self.domain: str = schema.domain
        self.name: str = schema.name
        self.since_version: int = schema.since_version
        self.deprecated: bool = schema.deprecated
        self.deterministic: bool = schema.node_determinism.name != "NonDeterministic"
        self.min_inputs: int = schema.min_input
        self.max_inputs: int = schema.max_input
        self.min_outputs: int = schema.min_output
        self.max_outputs: int = schema.max_output
        self.inputs = tuple(_formal(item) for item in schema.inputs)
        self.outputs = tuple(_formal(item) for item in schema.outputs)
        self.attributes = {name: _attribute(item) for name, item in sorted(schema.attributes.items())}
        self.admitted: dict[str, tuple[str, ...]] = {
            item.type_param_str: tuple(sorted(item.allowed_type_strs)) for item in schema.type_constraints
        }
        self.derive()

    def derive(self) -> None:
        """Fills what checking a call asks for again and again from the fields that describe the operator."""
        self.record: Record = record_of(self.domain, self.name)
        admitted, attributes = self.admitted, self.attributes
        self.masks = {name: tensor_mask(types) for name, types in admitted.items()}
        self.input_masks = tuple([tensor_mask(admitted.get(item.type, (item.type,))) for item in self.inputs])
        kinds = self.kinds = {name: (spec.kind, spec.required) for name, spec in attributes.items()}
        self.positions = {item.name: index for index, item in enumerate(self.inputs) if item.name not in attributes}
        self.needs_attributes = bool(kinds) and any(required for _, required in kinds.values())
        self.takes_graphs = bool(kinds) and any(kind in ("GRAPH", "GRAPHS") for kind, _ in kinds.values())
        self.variadic = bool(self.inputs) and self.inputs[-1].option is Option.VARIADIC
        self.explicit_defaults: dict[str, Any] | None = None  # kept by the compiler, in its own form

    @property
    def identity(self) -> str:
        return f"{self.domain or 'ai.onnx'}::{self.name}@{self.since_version}"

    def wants_list(self, name: str) -> bool:
        """Whether an input is a list of numbers: a tensor of rank 1, though it hold one number alone."""
        return name in self.record.lists

    def refuses_rank_0(self, name: str) -> bool:
        """Whether runtimes refuse a tensor of rank 0 as that input."""
        return name in self.record.lists and not self.record.takes_one_number

    @property
    def has_lists(self) -> bool:
        """Whether any of its inputs is a list of numbers."""
        return bool(self.record.lists)


def as_signature(given: Any) -> Signature:
    """The signature of an onnx schema; a signature is one already. TypeError for anything else."""
    from onnx.defs import OpSchema

    if isinstance(given, OpSchema):
        return Signature(given)
    if isinstance(given, Signature):
        return given
    raise TypeError(f"the signature of an operator is an onnx.defs.OpSchema, not {type(given).__name__}")


def _formal(item: Any) -> Formal:
    option = {"Single": Option.REQUIRED, "Optional": Option.OPTIONAL, "Variadic": Option.VARIADIC}[item.option.name]
    return Formal(item.name, item.type_str, option, item.is_homogeneous, item.min_arity)


def _attribute(item: Any) -> AttributeSpec:
    from onnx import helper

    default = helper.get_attribute_value(item.default_value) if item.default_value.name else None
    if isinstance(default, bytes):
        default = default.decode("utf-8")
    elif isinstance(default, list):
        default = tuple(entry.decode("utf-8") if isinstance(entry, bytes) else entry for entry in default)
    return AttributeSpec(item.name, item.type.name, item.required, default)


def mask_of(elements: tuple[ElementType, ...] | list[ElementType]) -> int:
    """The bit mask of element types."""
    return _mask_of(tuple(elements))


@cache
def _mask_of(elements: tuple[ElementType, ...]) -> int:
    mask = 0
    for item in elements:
        mask |= 1 << item.code
    return mask


@cache
def elements_of(mask: int) -> tuple[ElementType, ...]:
    """The element types of a bit mask, in the order of their ONNX codes."""
    return tuple(item for code, item in BY_CODE.items() if mask >> code & 1)


def tensor_element(type_string: str) -> ElementType | None:
    """`tensor(float)` -> float; None for anything that is not a tensor."""
    if type_string.startswith("tensor(") and type_string.endswith(")"):
        return BY_NAME.get(type_string[7:-1])
    return None


@cache
def tensor_mask(types: tuple[str, ...]) -> int:
    """The element types among ONNX types of tensors."""
    return mask_of([found for found in map(tensor_element, types) if found is not None])


def item_types(types: tuple[str, ...], opening: str) -> tuple[str, ...]:
    """The types of the items of those among some types whose texts begin with `opening`: `seq(`, `map(int64, `."""
    items = [text[len(opening) : -1] for text in types if text.startswith(opening)]
    # (ONNX writes `map(int64, float)`, whose values are tensors.)
    return tuple([f"tensor({item})" for item in items] if opening.startswith("map(") else items)


ALL_ELEMENTS = mask_of(list(BY_CODE.values()))


_LARGEST = 2**31 - 1  # the versions that onnx takes


@cache
def signature(domain: str, name: str, opset: int) -> Signature | None:
    """The operator's signature at that opset of its domain, or None."""
    from onnx import defs

    domain = normal_domain(domain)
    if not 1 <= opset <= _LARGEST or not defs.has(name, opset, domain):
        return None
    return _signature(domain, name, defs.get_schema(name, opset, domain).since_version)


@cache
def _signature(domain: str, name: str, since_version: int) -> Signature:
    from onnx import defs

    return Signature(defs.get_schema(name, since_version, domain))


@cache
def history(domain: str, name: str) -> tuple[int, ...]:
    """Every since_version of the operator, ascending; empty when the domain has none of that name."""
    return _histories(normal_domain(domain)).get(name, ())


def later_version_with(called: Signature, formals: Sequence[Formal], index: int, element: str) -> int | None:
    """The first later version of the operator that takes tensors of that element type there, or gives them: `formals`
    are the operator's inputs or its outputs. None where there is none, or it is deprecated."""
    name = formals[min(index, len(formals) - 1)].name
    for version in history(called.domain, called.name):
        later = signature(called.domain, called.name, version)
        if version <= called.since_version or later is None or later.deprecated:
            continue
        items = later.inputs if formals is called.inputs else later.outputs
        formal = next((item for item in items if item.name == name), None)
        if formal is not None and f"tensor({element})" in later.admitted.get(formal.type, (formal.type,)):
            return version
    return None


@cache
def last_opset(domain: str, name: str, since_version: int) -> int:
    """The last opset at which the operator is what it is since that version, found without a look at all others."""
    for opset in range(newest_opset(domain), since_version, -1):
        found = signature(domain, name, opset)
        if found is not None and found.since_version == since_version:
            return opset
    return since_version


@cache
def _histories(domain: str) -> dict[str, tuple[int, ...]]:
    from onnx import defs

    found: dict[str, list[int]] = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == domain:
            found.setdefault(schema.name, []).append(schema.since_version)
    return {name: tuple(sorted(versions)) for name, versions in sorted(found.items())}


@cache
def operators_at(domain: str, opset: int) -> tuple[str, ...]:
    """The operators that the domain has at that opset, by name."""
    names = _histories(normal_domain(domain))
    return tuple(name for name in names if signature(domain, name, opset) is not None)


@cache
def elements_at(opset: int) -> int:
    """The element types that any operator of the standard takes or gives at an opset, as a bit mask."""
    mask = 0
    for name in operators_at("", opset):
        found = signature("", name, opset)
        assert found is not None
        for admitted in (*found.masks.values(), *found.input_masks):
            mask |= admitted
    return mask


def is_known_domain(domain: str) -> bool:
    return not normal_domain(domain) or bool(_histories(domain))


def similar(domain: str, name: str) -> tuple[str, ...]:
    """Names of operators of the domain that look like `name`, best first."""
    return tuple(close_in_any_case(name, _histories(normal_domain(domain))))


@cache
def newest_opset(domain: str = "") -> int:
    """The newest opset of the domain that the installed onnx knows; 0 where it knows none."""
    from onnx import defs

    if not normal_domain(domain):
        return int(defs.onnx_opset_version())
    histories = _histories(normal_domain(domain)).values()
    return max((version for versions in histories for version in versions), default=0)
