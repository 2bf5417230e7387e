"""A small library with every feature that the index has, and real bodies."""

from __future__ import annotations

import math

import onnx.parser
from opwright.bundle.format import (
    AttributeEntry,
    BodyEntry,
    CallEntry,
    DomainEntry,
    FunctionEntry,
    Index,
    InputEntry,
    OutputEntry,
)
from opwright.bundle.write import write_bundle
from opwright.protos.canonical import Callee, CanonicalBody, canonicalise


def _body(text: str, callees: dict[tuple[str, str, str], Callee] | None = None) -> CanonicalBody:
    head = '<domain: "com.acme", opset_import: ["": 18, "com.acme": 1]>'
    return canonicalise(onnx.parser.parse_function(f"{head} F {text}"), callees=callees or {})


_NARROW = _body("<axis>(X) => (Y, n) { Y = Softmax<axis: int = @axis>(X) n = Size(X) }")
_WIDE = _body(
    "<axis, alpha>(X, more) => (Y, n) {"
    " s = Softmax<axis: int = @axis>(X) Y = LeakyRelu<alpha: float = @alpha>(s) n = Size(more) }"
)
_TOP = _body(
    "() => (Y) { x = Constant<value = float[2] {1.0, 3.0}>() Y, n = com.acme.Leaf<axis = 0>(x) }",
    {("com.acme", "Leaf", ""): _NARROW.callee},
)
TOP = _TOP.digest
BODIES = {body.digest: body.proto for body in (_NARROW, _WIDE, _TOP)}


def sample_index() -> Index:
    attributes = (
        AttributeEntry("axis", "INT", False, -1),
        AttributeEntry("alpha", "FLOAT", False, 0.10000000149011612, "A slope."),
        AttributeEntry("limit", "FLOAT", False, math.inf),
        AttributeEntry("floats", "FLOATS", False, (0.5, -0.0, -math.inf)),
        AttributeEntry("mode", "STRING", False, "größe", choices=("größe", "ring")),
        AttributeEntry("dims", "INTS", False, ()),
        AttributeEntry("words", "STRINGS", False, ("a", "")),
        AttributeEntry("kind", "INT", True, choices=(0, 1), is_bool=True),
    )
    narrow = (("more", "absent"),)
    leaf = FunctionEntry(
        domain="com.acme",
        name="Leaf",
        since_version=1,
        summary="Leaf.",
        doc="Two\nlines.",
        deprecated=True,
        inputs=(InputEntry("X", "T", rank=2, doc="A matrix."), InputEntry("more", "T", optional=True)),
        outputs=(OutputEntry("Y", "T", "Its leaf."), OutputEntry("n", "int64")),
        attributes=attributes,
        types=(("T", ("float", "double")),),
        bodies=(
            BodyEntry(13, 18, narrow, _NARROW.digest, ("X",), ("axis",), (("T", ("float", "double")),)),
            BodyEntry(
                13, 18, (("more", "present"),), _WIDE.digest, ("X", "more"), ("axis", "alpha"), (("T", ("float",)),)
            ),
        ),
    )
    many = FunctionEntry(
        "com.acme", "Many", 2, "Many.", "", False, (InputEntry("xs", "T", variadic=True),), (OutputEntry("Y", "T"),),
        (), (("T", ("float", "int64")), ("Z", ("int64",))), (),
    )  # fmt: skip
    top = FunctionEntry(
        "com.acme", "Top", 3, "Top.", "", False, (), (OutputEntry("Y", "float"),), (), (),
        (BodyEntry(13, 18, (), TOP, (), (), (), (CallEntry("com.acme", "Leaf", 1, narrow, _NARROW.digest),)),),
    )  # fmt: skip
    return Index(
        library="acme-ops",
        version="1.2.0",
        package="acme_ops",
        summary="Ops of Acme.",
        license="Apache-2.0",
        opsets=(13, 18),
        onnx="1.23.2",
        domains=(DomainEntry("com.acme", 3, "com.acme"),),
        functions=(leaf, many, top),
        requires=(("opwright", ">=0.1"),),
    )


BUNDLE = write_bundle(sample_index(), BODIES, {"source/x.json": b"[]"})
