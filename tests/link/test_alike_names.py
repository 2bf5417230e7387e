"""A model's own function that calls one of a library by the same local name, in the graph of a node."""

from __future__ import annotations

import numpy as np
from opwright.link.apply import attach
from opwright.link.detach import detach

from tests.link.conftest import LibraryBuilder, parse, run_everywhere

BRANCHES = """y = If (c) <
    then_branch = t () => (float[m] v0) {{ v0 = {then}(x) }},
    else_branch = e () => (float[m] v1) {{ v1 = Neg(x) }}>"""


def test_it_gives_what_the_inlined_model_gives() -> None:
    library = LibraryBuilder()
    branches = BRANCHES.format(then="Abs")
    library.add("F", f"(x) => (y) {{ s = ReduceMax <keepdims = 0> (x) c = Equal(s, s) {branches} }}")
    own = BRANCHES.format(then="com.acme.F")
    model = parse(
        f"""<ir_version: 8, opset_import: ["": 18, "my": 1, "com.acme": 1]>
        g (bool c, float[2] x) => (float[2] y) {{ y = my.F(c, x) }}
        <domain: "my", opset_import: ["": 18, "com.acme": 1]> F (c, x) => (y) {{ {own} }}"""
    )
    attached = attach(model, [library.bundle()])
    x = np.array([2, -3], np.float32)
    assert np.array_equal(run_everywhere(attached, c=np.array(True), x=x)[0], np.abs(x))
    assert np.array_equal(run_everywhere(attached, c=np.array(False), x=x)[0], -x)
    assert detach(attached) == model
