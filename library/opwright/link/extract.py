"""A function of a library taken by itself, outside any model."""

from __future__ import annotations

from collections.abc import Mapping

from onnx import FunctionProto

from opwright.bundle.format import BodyEntry, Bundle, FunctionEntry
from opwright.link.instantiate import instantiate
from opwright.link.naming import bodies_at


def function_protos(
    bundle: Bundle, entry: FunctionEntry, opset: int | None, variant: Mapping[str, str]
) -> list[FunctionProto]:
    """The function and its callees, callees first, in the domains that they are emitted in.

    `opset` None means the newest that has a body. ValueError when no body is for that opset and variant, or when
    several fit that are not the same.
    """
    if opset is None:
        opset = max((body.last_opset for body in entry.bodies), default=0)
    body = _one_body(entry, opset, variant)
    mirrors = {domain.name: domain.mirror for domain in bundle.index.domains}
    domain = mirrors.get(entry.domain, entry.domain)
    return instantiate(bundle.index, bundle.bodies, entry, body, opset=opset, domain=domain)


def _one_body(entry: FunctionEntry, opset: int, variant: Mapping[str, str]) -> BodyEntry:
    bodies = bodies_at(entry, opset)
    if not bodies:
        ranges = sorted({(body.first_opset, body.last_opset) for body in entry.bodies})
        shown = ", ".join(f"{first} to {last}" for first, last in ranges) or "none"
        raise ValueError(f"{entry.identity} has no body for opset {opset}; it has bodies for the opsets {shown}")
    axes = dict.fromkeys(axis for body in bodies for axis, _ in body.variant)
    for axis in variant:
        if axis not in axes and axis not in dict(entry.types):
            raise ValueError(f"{entry.identity} has no axis {axis}; it has {', '.join(axes) or 'one body for all'}")
    fitting = [body for body in bodies if _fits(body, variant)]
    if not fitting:
        built = "; ".join(",".join(f"{axis}={value}" for axis, value in body.variant) for body in bodies)
        raise ValueError(f"{entry.identity} has no such variant; it has {built or 'bodies for other types'}")
    if len({(body.body, body.inputs, body.attributes) for body in fitting}) > 1:
        missing = [axis for axis in axes if axis not in variant]
        raise ValueError(f"{entry.identity} has several variants; say which {', '.join(missing)} is meant")
    return fitting[0]


def _fits(body: BodyEntry, variant: Mapping[str, str]) -> bool:
    admits = dict(body.admits)
    given = dict(body.variant)
    return all(
        given[axis] == value if axis in given else value in admits.get(axis, (value,))
        for axis, value in variant.items()
    )
