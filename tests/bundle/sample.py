"""A small library with every feature that the index has."""

from __future__ import annotations

import math
from hashlib import sha256

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

LEAF = f"body1:{sha256(b'leaf').hexdigest()}"
TOP = f"body1:{sha256(b'top').hexdigest()}"
BODIES = {TOP: b"the bytes of top", LEAF: b"those of leaf"}


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
    leaf = FunctionEntry(
        domain="com.acme",
        name="Leaf",
        since_version=1,
        summary="Leaf.",
        doc="Two\nlines.",
        deprecated=True,
        inputs=(
            InputEntry("X", "T", rank=2, doc="A matrix."),
            InputEntry("more", "int64", optional=True, variadic=True),
        ),
        outputs=(OutputEntry("Y", "T", "Its leaf."), OutputEntry("n", "int64")),
        attributes=attributes,
        types=(("T", ("float", "double")), ("Z", ("int64",))),
        bodies=(
            BodyEntry(13, 14, (("T", "float"), ("more", "absent")), LEAF, ("X",), ("axis",), (("T", ("float",)),)),
            BodyEntry(15, 28, (), TOP, ("X", "more"), ("axis", "alpha"), (("T", ("float", "double")),)),
        ),
    )
    call = CallEntry("com.acme", "Leaf", 1, (("T", "float"), ("more", "absent")), LEAF)
    top = FunctionEntry(
        "com.acme", "Top", 3, "Top.", "", False, (), (OutputEntry("Y", "float"),), (), (),
        (BodyEntry(13, 28, (), TOP, (), (), (), (call,)),),
    )  # fmt: skip
    return Index(
        library="acme-ops",
        version="1.2.0",
        package="acme_ops",
        summary="Ops of Acme.",
        license="Apache-2.0",
        opsets=(13, 28),
        onnx="1.23.2",
        domains=(DomainEntry("com.acme", 3, "com.acme"),),
        functions=(leaf, top),
        requires=(("opwright", ">=0.1"),),
    )


BUNDLE = write_bundle(sample_index(), BODIES, {"source/x.json": b"[]"})
