"""The node tests of a proposal: chosen from the vectors that the function is verified by."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import onnx
from onnx import GraphProto, NodeProto, helper
from opwright.bundle.format import FunctionEntry

from opwright_build.propose.readable import snake
from opwright_build.propose.subject import BodySet, Proposal, Variant
from opwright_build.verify.case_model import Array, Case, ExpectedItems, Items, ToleranceJudge
from opwright_build.verify.items import parts_of, tensor_in, tensors_of
from opwright_build.verify.run.case_bodies import bodies_for

LARGEST = 512  # elements in all tensors of a test: more than that is unreadable in a source file
_FAVOURITE = "float"


@dataclass(frozen=True, slots=True)
class NodeCase:
    """One node test. `inputs` are the interface's, None where absent; `outputs` the first ones."""

    name: str
    case: Case
    inputs: tuple[tuple[str, Array] | None, ...]
    outputs: tuple[tuple[str, Array], ...]
    attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChosenCases:
    """`left_out` are the names of rows that are too large to stand in a source file; `not_tensors` of those that have
    sequences or graphs, which these files do not write; `too_coarse` of tests that bodies pass by the spec's tolerance,
    and not by the standard's, which no test can change."""

    cases: tuple[NodeCase, ...]
    left_out: tuple[str, ...]
    not_tensors: tuple[str, ...]
    too_coarse: tuple[str, ...] = ()

    def without(self, names: Collection[str]) -> ChosenCases:
        """Less those tests, which are too coarse."""
        kept = tuple(case for case in self.cases if case.name not in names)
        return replace(self, cases=kept, too_coarse=tuple(case.name for case in self.cases if case.name in names))


def choose_cases(proposal: Proposal, collected: Iterable[Case], existing: Iterable[str] = ()) -> ChosenCases:
    """Each row of the spec once, in float where it can be, and as many more as it takes to see every element type.

    The standard's own cases serve only where the spec has no rows: they are in its suite already. `existing` are the
    names of its tests, which no other test gets.
    """
    entry = proposal.entry
    usable = _judged(entry, collected)
    rows = [case for case in usable if isinstance(case.judge, ToleranceJudge)] or usable
    by_row: dict[str, list[Case]] = {}
    strange: dict[str, None] = {}
    for case in rows:
        if _is_of_tensors(case):
            by_row.setdefault(row_of(case), []).append(case)
        else:
            strange[row_of(case)] = None
    small = {row: cases for row, cases in by_row.items() if _size(cases[0]) <= LARGEST}
    chosen = [min(cases, key=_preference) for cases in small.values()]
    chosen += _missing_types(entry, chosen, [case for cases in small.values() for case in cases])
    names: dict[str, None] = dict.fromkeys(existing)
    made = []
    for case in chosen:
        suffix = "" if case is min(small[row_of(case)], key=_preference) else f"_{'_'.join(case.bindings.values())}"
        name = _free(f"test_{proposal.home.prefix}{entry.name.lower()}_{_word(row_of(case))}{suffix}", names)
        made.append(as_node_case(entry, case, name))
    return ChosenCases(tuple(made), tuple(row for row in by_row if row not in small), tuple(strange))


def usable_cases(proposal: Proposal, collected: Iterable[Case]) -> list[Case]:
    """The cases of the proposed version that are of tensors, those of the standard's suite too."""
    return [case for case in _judged(proposal.entry, collected) if _is_of_tensors(case)]


def _judged(entry: FunctionEntry, collected: Iterable[Case]) -> list[Case]:
    return [
        case
        for case in collected
        if case.identity == entry.identity and case.expected and None not in case.expected and not case.error
    ]


def variant_for(proposal: Proposal, bodies: BodySet, case: Case) -> Variant | None:
    """The variant of a set that a case runs on; None where there is none."""
    fitting = [body for body in bodies_for(proposal.entry, case) if body.first_opset <= bodies.opset <= body.last_opset]
    for variant in bodies.variants:
        if variant.body in fitting:
            admits = dict(variant.body.admits)
            if all(kind in admits.get(name, (kind,)) for name, kind in case.bindings.items()):
                return variant
    return None


def make_node(proposal: Proposal, case: NodeCase) -> NodeProto:
    """The call, with the interface's names for values and no more attributes than the case gives."""
    node = NodeProto(op_type=proposal.entry.name)
    if proposal.home.domain:
        node.domain = proposal.home.domain
    node.input.extend("" if item is None else item[0] for item in case.inputs)
    node.output.extend(name for name, _ in case.outputs)
    kinds = {attribute.name: attribute.type for attribute in proposal.entry.attributes}
    for name, value in sorted(case.attributes.items()):
        kind = onnx.AttributeProto.AttributeType.Value(kinds[name])
        plain = list(value) if isinstance(value, tuple) else value
        node.attribute.append(helper.make_attribute(name, plain, attr_type=kind))
    return node


def as_node_case(entry: FunctionEntry, case: Case, test: str) -> NodeCase:
    """The case, which is one of tensors, as a node test of that name."""
    assert case.expected is not None
    named = zip(_input_names(entry, len(case.inputs)), case.inputs, strict=False)
    inputs = [None if value is None else (name, tensor_in(value)) for name, value in named]
    while inputs and inputs[-1] is None:
        inputs.pop()
    results = [
        (_apart(output.name, entry), part.array)
        for output, expected in zip(entry.outputs, case.expected, strict=False)
        for part in parts_of(expected)
    ]
    return NodeCase(test, case, tuple(inputs), tuple(results), case.attributes)


def _is_of_tensors(case: Case) -> bool:
    values = (*case.inputs, *(case.expected or ()), *case.attributes.values())
    return not any(isinstance(value, Items | ExpectedItems | GraphProto) for value in values)


def _input_names(entry: FunctionEntry, count: int) -> Iterator[str]:
    for item in entry.inputs:
        if not item.variadic:
            yield item.name
        else:
            yield from (f"{item.name}_{index}" for index in range(count - len(entry.inputs) + 1))


def _apart(name: str, entry: FunctionEntry) -> str:
    return f"{name}_out" if any(item.name == name for item in entry.inputs) else name


def row_of(case: Case) -> str:
    """The name of the vector that the case was made of."""
    return case.name.partition("[")[0]


def _preference(case: Case) -> int:
    return sum(kind != _FAVOURITE for kind in case.bindings.values())


def _size(case: Case) -> int:
    given = [array for value in case.inputs for array in tensors_of(value)]
    wanted = [part.array for answer in case.expected or () for part in parts_of(answer)]
    return sum(array.size for array in (*given, *wanted))


def _missing_types(entry: FunctionEntry, chosen: Sequence[Case], others: Sequence[Case]) -> list[Case]:
    """For each pair of a type variable and an element type that no chosen case has, the first case that has it."""
    seen = {pair for case in chosen for pair in case.bindings.items()}
    more: list[Case] = []
    for name, admitted in entry.types:
        for kind in admitted:
            found = next((case for case in others if case.bindings.get(name) == kind), None)
            if (name, kind) not in seen and found is not None:
                more.append(found)
                seen.update(found.bindings.items())
    return more


def _word(text: str) -> str:
    return re.sub(r"\W+", "_", snake(text.removeprefix("test_"))).strip("_")


def _free(name: str, taken: dict[str, None]) -> str:
    candidate, count = name, 1
    while candidate in taken:
        count += 1
        candidate = f"{name}_{count}"
    taken[candidate] = None
    return candidate
