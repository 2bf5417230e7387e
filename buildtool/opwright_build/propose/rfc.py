"""The document that a proposal is read by: why, what there is already, what is specified, and what comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from onnx import FunctionProto
from opwright.variants import Key

from opwright_build.propose.body_text import NoTextError, body_text
from opwright_build.propose.differentiation import Differentiation
from opwright_build.propose.documentation import sections
from opwright_build.propose.node_cases import NodeCase
from opwright_build.propose.python_text import array_text, value_text
from opwright_build.propose.schema import PACKAGE
from opwright_build.propose.shipped_body import Comparison
from opwright_build.propose.subject import Proposal
from opwright_build.templates import render
from opwright_build.verify.case_model import Array

FILE = "RFC.md"
_MOST_ELEMENTS = 16  # of an array that is shown
_MOST_BODIES = 12
_MOST_NODES = 40


@dataclass(frozen=True, slots=True)
class Background:
    """`words` are the author's own, the text of `proposal.md`, empty where there is none. `existing` are the names of
    the node tests that the standard has of the operator."""

    words: str = ""
    existing: tuple[str, ...] = ()


def render_rfc(
    proposal: Proposal,
    background: Background,
    cases: Sequence[NodeCase],
    differentiation: Mapping[str, Differentiation],
    inference: str,
    remaining: Sequence[str],
    comparison: Comparison | None = None,
) -> str:
    """`inference` is a sentence on types and shapes, `remaining` what is left for a person, `comparison` that with the
    body that the library ships."""
    bodies = [
        (item.opset, _facts(variant.key), _text(variant.function))
        for item in proposal.sets
        for variant in item.variants
    ]
    return render(
        PACKAGE,
        "rfc.md.jinja2",
        entry=proposal.entry,
        domain=proposal.home.domain or proposal.home.name,
        words=background.words.strip(),
        previous=proposal.previous,
        operators=sorted({node.op_type for item in proposal.sets for v in item.variants for node in v.function.node}),
        existing=background.existing,
        specification=sections(proposal),
        inference=inference,
        comparison=comparison,
        bodies=bodies[:_MOST_BODIES],
        more_bodies=max(len(bodies) - _MOST_BODIES, 0),
        differentiation=[
            (name.removeprefix("-> "), name.startswith("-> "), item.value) for name, item in differentiation.items()
        ],
        cases=[_case(case) for case in cases],
        remaining=remaining,
    )


def _facts(key: Key) -> str:
    return ", ".join(f"`{axis}`: {value}" for axis, value in key)


def _text(function: FunctionProto) -> str:
    if len(function.node) > _MOST_NODES:
        return f"({len(function.node)} nodes, see the schema)"
    try:
        return body_text(function)
    except NoTextError as error:
        return f"(no text: {error})"


def _case(case: NodeCase) -> tuple[str, list[str]]:
    lines = [f"{name} = {value_text(value)}" for name, value in sorted(case.attributes.items())]
    lines += [f"{name} = {_array(array)}" for name, array in (item for item in case.inputs if item is not None)]
    lines += [f"-> {name} = {_array(array)}" for name, array in case.outputs]
    return case.name, lines


def _array(array: Array) -> str:
    return array_text(array) if array.size <= _MOST_ELEMENTS else f"{array.dtype.name}{list(array.shape)}, see the test"
