"""A small library with real bodies: two versions, a variant per type, several outputs, calls, a mirror domain."""

from __future__ import annotations

from dataclasses import replace

from opwright.bundle.format import AttributeEntry, Bundle, InputEntry, OutputEntry
from opwright.bundle.write import write_bundle

from tests.link.conftest import Body, LibraryBuilder

DOUBLE_OR_FLOAT = ("float", "double")

_SCALE_1 = """<alpha>(x) => (y) {
    a = Constant<value_float: float = @alpha>()
    b = CastLike(a, x)
    y = Mul(x, b)
}"""
_SCALE_3 = _SCALE_1.replace("Mul(x, b)", "Mul(p, b)").replace("    a =", "    p = Abs(x)\n    a =")


def sample_library() -> Bundle:
    library = LibraryBuilder(name="acme-ops", domain="com.acme", mirror="acme.mirror")
    library.add(
        "Scale",
        [Body(_SCALE_1, (15, 24))],
        attributes=[AttributeEntry("alpha", "FLOAT", False, 0.5, "The factor.")],
        types=DOUBLE_OR_FLOAT,
    )
    library.add(
        "Split2",
        "(x) => (low, n) { low = Neg(x) n = Size(x) }",
        inputs=[InputEntry("x", "T", doc='A "value" \\ of any rank.')],
        outputs=[OutputEntry("low", "T"), OutputEntry("n", "int64", "How many.")],
        types=DOUBLE_OR_FLOAT,
    )
    library.add(
        "Limit",
        [
            Body("(x, most) => (y) { y = Min(x, most) }", variant=(("most", "present"),)),
            Body("(x) => (y) { y = Identity(x) }", variant=(("most", "absent"),)),
        ],
        inputs=[InputEntry("x", "T"), InputEntry("most", "T", optional=True)],
        since_version=2,
        types=DOUBLE_OR_FLOAT,
    )
    library.add(
        "Scale",
        [Body(_SCALE_3, (15, 24))],
        attributes=[
            AttributeEntry("alpha", "FLOAT", False, 0.10000000149011612),
            AttributeEntry("mode", "STRING", False, "up", choices=("up", "down")),
        ],
        since_version=3,
        types=DOUBLE_OR_FLOAT,
    )
    library.add(
        "Twice",
        [Body("(x) => (y) { a = com.acme.Scale(x) y = com.acme.Scale(a) }", (15, 24))],
        since_version=3,
        types=DOUBLE_OR_FLOAT,
        pins={"Scale": 1},
    )
    bundle = library.bundle()
    index = replace(bundle.index, summary="Ops of Acme.", requires=(("opwright", ">=0.1"),))
    return replace(bundle, index=index)


def bundle_bytes(bundle: Bundle) -> bytes:
    return write_bundle(bundle.index, bundle.bodies)
