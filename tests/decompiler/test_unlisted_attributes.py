"""Attributes of calls that their functions do not list, as attached ones have them, mean nothing and are left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import parser
from opwright import decompile

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
