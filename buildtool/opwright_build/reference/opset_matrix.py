"""Which body serves which opset, what chooses among variants, and what prevents the opsets that have none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import onnx
from onnx import FunctionProto
from opwright.bundle.format import BodyEntry, Bundle, FunctionEntry
from opwright.lang.facts import RANK

from opwright_build.reference.markdown import cell, code, codes, span, spans, table
from opwright_build.report.obstacles import identity_of, obstacles

DIGITS = 8  # of a digest
_ONE = "the only one"


def variant_axes(entry: FunctionEntry) -> list[str]:
    """What tells the variants apart: an axis a line, and the values that it can have."""
    values: dict[str, dict[str, None]] = {}
    for body in entry.bodies:
        for axis, value in body.variant:
            values.setdefault(axis, {})[value] = None
    return table(
        ("chosen by", "what that is", "among"),
        [(code(axis), _meaning(entry, axis), codes(found)) for axis, found in values.items()],
    )


def bodies_table(bundle: Bundle, entry: FunctionEntry) -> list[str]:
    """A row for each variant, a column for each class of opsets: the first digits of the body's digest."""
    classes = opset_classes(entry)
    rows: dict[tuple[tuple[str, str], ...], dict[tuple[int, int], BodyEntry]] = {}
    for body in entry.bodies:
        rows.setdefault(body.variant, {})[body.first_opset, body.last_opset] = body
    lines: list[list[str]] = []
    for variant, found in rows.items():
        newest = max(found.values(), key=lambda body: body.last_opset)
        cells = [code(_short(found[item].body)) if item in found else "-" for item in classes]
        lines.append([_key(variant), *cells, str(_nodes(bundle.bodies[newest.body]))])
    return table(("variant", *(span(*item) for item in classes), "nodes"), lines)


_TEMPLATE = "A template: its body is made for each call, and is verified where a vector needs the same one."


def templates_table(entry: FunctionEntry) -> list[str]:
    """The opsets at which bodies are made for each call, and what a call is asked first: further questions depend on
    the answers."""
    lines = table(
        ("opsets", "template", "asks first for"),
        [(span(t.first_opset, t.last_opset), code(_short(t.template)), codes(t.axes)) for t in entry.templates],
    )
    return [_TEMPLATE, "", *lines] if lines else []


def opset_classes(entry: FunctionEntry) -> list[tuple[int, int]]:
    """The ranges of opsets that share their bodies, in order."""
    return sorted({(body.first_opset, body.last_opset) for body in entry.bodies})


def prevented(entry: FunctionEntry, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A line for each reason why opsets have no body, or not for each variant and element type."""
    for item in obstacles(row for row in rows if identity_of(row) == entry.identity):
        named = f"{code(item.operator)} at {code(item.place)}: " if item.operator else f"{code(item.place)}: "
        which = f", for {code(item.which)}" if item.which else ""
        yield f"Not at {spans(item.opsets)}{which}: {named}{cell(item.reason)}."


def opsets_text(entry: FunctionEntry) -> str:
    """All opsets that have a body, as `13-28`."""
    ranges = [*opset_classes(entry), *((item.first_opset, item.last_opset) for item in entry.templates)]
    return spans({opset for first, last in ranges for opset in range(first, last + 1)})


_PRESENCE = "whether the input is there"


def _meaning(entry: FunctionEntry, axis: str) -> str:
    if axis in dict(entry.types):
        return "the element type"
    if axis.endswith(RANK):
        return "the rank of the input"
    if any(item.name == axis for item in entry.inputs):
        return "how many there are" if entry.inputs[-1].variadic and entry.inputs[-1].name == axis else _PRESENCE
    return "the attribute's value" if any(item.name == axis for item in entry.attributes) else "the type of the input"


def _key(variant: Sequence[tuple[str, str]]) -> str:
    return code(", ".join(f"{axis}={value}" for axis, value in variant)) or _ONE


def _short(digest: str) -> str:
    return digest.partition(":")[2][:DIGITS]


def _nodes(data: bytes) -> int:
    """Nodes of a body, those of subgraphs too, constants left out; a call counts as one."""
    pending: list[onnx.NodeProto] = list(FunctionProto.FromString(data).node)
    count = 0
    while pending:
        node = pending.pop()
        count += node.op_type != "Constant"
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                pending.extend(graph.node)
    return count
