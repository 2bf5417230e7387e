"""The node tests as Python of the standard's layout: a class of one function for each test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from opwright_build.propose.node_cases import NodeCase
from opwright_build.propose.python_text import array_text, needs_ml_dtypes, value_text
from opwright_build.propose.schema import PACKAGE
from opwright_build.propose.subject import Proposal
from opwright_build.templates import render
from opwright_build.verify.case_model import Array


@dataclass(frozen=True, slots=True)
class NodeTest:
    """A test as the template writes it. `arguments` are those of `make_node`, `values` lines that define arrays."""

    function: str
    name: str
    arguments: tuple[str, ...]
    empty_lists: tuple[tuple[str, str], ...]
    values: tuple[str, ...]
    inputs: str
    outputs: str


def render_node_tests(proposal: Proposal, cases: Sequence[NodeCase]) -> str:
    """The module `onnx/backend/test/case/node/<name>.py`."""
    arrays = [array for case in cases for _, array in _values(case)]
    return render(
        PACKAGE,
        "node_tests.py.jinja2",
        license=proposal.license,
        name=proposal.entry.name,
        domain=proposal.home.domain,
        version=proposal.entry.since_version,
        is_newest=proposal.is_newest,
        tests=[_test(proposal, case) for case in cases],
        ml_dtypes=any(needs_ml_dtypes(array) for array in arrays),
    )


def _test(proposal: Proposal, case: NodeCase) -> NodeTest:
    prefix = f"test_{proposal.home.prefix}{proposal.entry.name.lower()}_"
    inputs = [("" if item is None else item[0]) for item in case.inputs]
    kinds = {attribute.name: attribute.type for attribute in proposal.entry.attributes}
    given = sorted(case.attributes.items())
    arguments = [f"inputs={value_text(inputs)}", f"outputs={value_text([name for name, _ in case.outputs])}"]
    arguments += [f"{name}={value_text(value)}" for name, value in given if value not in ((), [])]
    names = _variables(case)
    values = [
        f"{variable} = {_indented(array_text(array))}"
        for variable, (_, array) in zip(names, _values(case), strict=True)
    ]
    count = sum(item is not None for item in case.inputs)
    return NodeTest(
        f"export_{case.name.removeprefix(prefix)}",
        case.name,
        tuple(arguments),
        tuple((name, kinds[name]) for name, value in given if value in ((), [])),
        tuple(values),
        ", ".join(names[:count]),
        ", ".join(names[count:]),
    )


def _values(case: NodeCase) -> Iterator[tuple[str, Array]]:
    yield from (item for item in case.inputs if item is not None)
    yield from case.outputs


def _variables(case: NodeCase) -> list[str]:
    """A local name for each array: lower case, apart from builtins and from each other."""
    names: list[str] = []
    for name, _ in _values(case):
        candidate = name.lower()
        if candidate in ("min", "max", "input", "range", "axis", "node", "np", "onnx"):
            candidate += "_"
        while candidate in names:
            candidate += "_"
        names.append(candidate)
    return names


def _indented(text: str) -> str:
    return text.replace("\n", "\n        ")
