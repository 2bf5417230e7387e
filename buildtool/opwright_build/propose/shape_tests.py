"""Tests of type and shape inference, as methods of the standard's `TestShapeInference`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from opwright_build.propose.inference import Dims, InferenceRules, ShapeKind, infer_at
from opwright_build.propose.node_cases import NodeCase, variant_for
from opwright_build.propose.python_text import value_text
from opwright_build.propose.readable import snake
from opwright_build.propose.schema import PACKAGE
from opwright_build.propose.subject import Proposal
from opwright_build.templates import render
from opwright_build.verify.dtypes import element_of

_MOST = 12


@dataclass(frozen=True, slots=True)
class ShapeTest:
    """One test: values as (name, element type, shape), the node's arguments, and what is inferred."""

    name: str
    inputs: tuple[tuple[str, str, str], ...]
    node_inputs: str
    node_outputs: str
    attributes: tuple[str, ...]
    outputs: tuple[tuple[str, str, str], ...]


def make_shape_tests(proposal: Proposal, rules: InferenceRules, cases: Sequence[NodeCase]) -> list[ShapeTest]:
    """One test for each combination of variant and ranks at known sizes, and one at sizes that are not known."""
    tests: list[ShapeTest] = []
    seen: set[object] = set()
    for case in cases:
        variant = None if proposal.first is None else variant_for(proposal, proposal.first, case.case)
        ranks = tuple(None if item is None else item[1].ndim for item in case.inputs)
        key = (None if variant is None else variant.key, ranks, tuple(sorted(case.attributes.items())))
        if len(tests) >= _MOST or key in seen:
            continue
        seen.add(key)
        base = case.name.removeprefix("test_")
        tests.append(_test(proposal, rules, case, base, None))
        if any(ranks) and all(rule.kind is ShapeKind.SAME for rule in rules.shapes):
            tests.append(_test(proposal, rules, case, f"{base}_symbolic", _symbols(case)))
    return tests


def render_shape_tests(proposal: Proposal, tests: Sequence[ShapeTest]) -> str:
    return render(
        PACKAGE,
        "shape_tests.py.jinja2",
        name=proposal.entry.name,
        domain=proposal.home.domain,
        version=proposal.entry.since_version,
        class_name=f"Test{proposal.entry.name}ShapeInference",
        license=proposal.license,
        tests=tests,
    )


def _symbols(case: NodeCase) -> list[Dims]:
    shapes = [item[1].shape for item in case.inputs if item is not None]
    return [tuple(f"d{at}" for at in range(len(shape))) for shape in shapes]


def _test(
    proposal: Proposal, rules: InferenceRules, case: NodeCase, name: str, symbols: Sequence[Dims] | None
) -> ShapeTest:
    given = [item for item in case.inputs if item is not None]
    shapes: Sequence[Dims] = symbols if symbols is not None else [array.shape for _, array in given]
    inputs = tuple(
        (value, element_of(array).name.upper(), _shape_text(shape))
        for (value, array), shape in zip(given, shapes, strict=True)
    )
    return ShapeTest(
        name=f"test_{snake(name)}",
        inputs=inputs,
        node_inputs=value_text(["" if item is None else item[0] for item in case.inputs]),
        node_outputs=value_text([value for value, _ in case.outputs]),
        attributes=tuple(f"{attribute}={value_text(value)}" for attribute, value in sorted(case.attributes.items())),
        outputs=tuple(_outputs(proposal, rules, case, shapes)),
    )


def _outputs(
    proposal: Proposal, rules: InferenceRules, case: NodeCase, shapes: Sequence[Dims]
) -> Iterator[tuple[str, str, str]]:
    by_input = dict(zip([at for at, item in enumerate(case.inputs) if item is not None], shapes, strict=True))
    inferred = infer_at(proposal, case, shapes) if rules.through_body else None
    for position, (name, array) in enumerate(case.outputs):
        rule = rules.shapes[position]
        typed = rules.through_body or rules.types[position].at(proposal.entry, case) is not None
        shape: Dims | None = None
        if rule.kind is ShapeKind.SAME:
            shape = by_input[rule.input]
        elif rule.kind is ShapeKind.BROADCAST:
            shape = tuple(np.broadcast_shapes(*(item[1].shape for item in case.inputs if item is not None)))
        elif rule.kind is ShapeKind.RANK:
            shape = (None,) * rule.rank
        elif inferred is not None:
            shape = inferred[position]
        yield name, element_of(array).name.upper() if typed else "UNDEFINED", _shape_text(shape)


def _shape_text(shape: Dims | None) -> str:
    if shape is None:
        return "None"
    dims = ["None" if dim is None else value_text(dim) for dim in shape]
    return f"({', '.join(dims)}{',' if len(dims) == 1 else ''})"
