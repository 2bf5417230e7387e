"""Attributes of calls that their functions do not list, as attached ones have them, mean nothing and are left out.
Those that a function lists and gives no default cannot be left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import parser
from opwright import DiagnosticError, decompile

from tests.decompiler.make_models import make
from tests.decompiler.roundtrip import equal, imports_of, interface_of, run_ort

MODEL = """<ir_version: 10, opset_import: ["": 20, "f": 1]>
g (float[N] x) => (float[N] y, float[N] z) {
    y = f.act <alpha: float = 0.5, approximate: string = "none"> (x)
    z = f.act <approximate: string = "none"> (y)
}
<domain: "f", opset_import: ["": 20, "f": 1]> act <alpha: float = 0.25> (x) => (y) {
    y = f.inner <kind: string = "odd", slope: float = @alpha> (x)
}
<domain: "f", opset_import: ["": 20]> inner <slope> (x) => (y) { y = LeakyRelu <alpha: float = @slope> (x) }"""


@pytest.mark.parametrize("faithful", [False, True])
def test_they_are_left_out(faithful: bool, tmp_path: Path) -> None:
    model = parser.parse_model(MODEL)
    made = decompile(model, faithful=faithful)
    assert "approximate" not in made.text
    assert "kind" not in made.text
    assert "act(x, alpha=0.5)" in made.text
    made.write(tmp_path / "unlisted.py")
    again = make(tmp_path / "unlisted.py")
    assert isinstance(again, onnx.ModelProto)
    assert (interface_of(again), imports_of(again)) == (interface_of(model), imports_of(model))
    given = [np.array([-2, 3], np.float32)]
    assert all(map(equal, run_ort(again, given), run_ort(model, given)))


OMITTED = """<ir_version: 8, opset_import: ["": 20, "f": 1]> g (float[N] x, bool c) => (float[N] y, float[N] z) {{
    y = f.act <alpha: float = 0.5> (x)
    z = If (c) <then_branch = yes () => (float[N] a) {{ a = {} }}, else_branch = no () => (float[N] b) {{ b = Neg (x) }}
    >
}}
<domain: "f", opset_import: ["": 20, "f": 1]> outer (x) => (y) {{ y = {} }}
<domain: "f", opset_import: ["": 20]> act <alpha> (x) => (y) {{ y = LeakyRelu <alpha: float = @alpha> (x) }}"""


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize(("call", "inner"), [("f.act (x)", "Neg (x)"), ("f.outer (x)", "f.act (x)")])
def test_calls_without_an_attribute_that_has_no_default_are_refused(call: str, inner: str, faithful: bool) -> None:
    model = parser.parse_model(OMITTED.format(call, inner))
    onnx.checker.check_model(model, full_check=True)
    with pytest.raises(DiagnosticError, match="OW590") as caught:
        decompile(model, faithful=faithful)
    assert "a call of the function act without its attribute 'alpha'" in str(caught.value)
    given = "f.act <alpha: float = 2.0> (x)"
    assert decompile(parser.parse_model(OMITTED.format(given, given)), faithful=faithful).text
