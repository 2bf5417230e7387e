"""What static source takes from opwright, without running anything: imports in all their forms, and `Opset(...)`."""

from __future__ import annotations

import opwright
import pytest

from tests.lang.static_text import compile_text

BODY = "\n\ndef F(x):\n    return {}\n"


@pytest.mark.parametrize(
    ("imports", "result"),
    [
        ("from opwright import opset18 as op", "op.Abs(x)"),
        ("from opwright.opsets import opset18 as op", "op.Abs(x)"),
        ("from opwright.opsets import opset18", "opset18.Abs(x)"),
        ("from opwright.opsets import latest as op", "op.Abs(x)"),
        ("from opwright import opsets", "opsets.opset18.Abs(x)"),
        ("import opwright", "opwright.opset18.Abs(x)"),
        ("import opwright", "opwright.opsets.opset18.Abs(x)"),
        ("import opwright.opsets", "opwright.opset18.Abs(x)"),
        ("import opwright as ow", "ow.opset18.Cast(ow.opset18.Abs(x), to=ow.FLOAT)"),
        ("import opwright.opsets as known", "known.opset18.Abs(x)"),
        ("import opwright.types as types, opwright\nop = opwright.opset18", "op.Cast(x, to=types.FLOAT)"),
        ("from opwright.types import FLOAT\nfrom opwright import opset18 as op", "op.Cast(x, to=FLOAT)"),
        ('from opwright import Opset\nop = Opset("", 18)', "op.Abs(x)"),
        ('from opwright import Opset\nop = Opset("ai.onnx", version=18)', "op.Abs(x)"),
        ('import opwright\nVERSION = 17 + 1\nop = opwright.Opset(version=VERSION, domain="")', "op.Abs(x)"),
        ('from opwright import Opset\nop = Opset("", 18, None)', "op.Abs(x)"),
        ('from opwright import Opset\nml = Opset("ai.onnx.ml", 3)', 'ml.Normalizer(x, norm="MAX")'),
        ("from opwright import Opset", 'Opset("", 18).Abs(x)'),
    ],
)
def test_what_opwright_offers(imports: str, result: str) -> None:
    text = imports + BODY.format(result)
    types = ("float",) if "ml" in text else ("float", "double", "int64")
    assert [(item.code, item.message) for item in compile_text(text, types)] == []
    names: dict[str, object] = {}
    exec(compile(text, "text", "exec"), names)  # Python takes it as well
    assert opwright.script()(names["F"]).name == "F"


@pytest.mark.parametrize(
    ("imports", "result", "code", "message"),
    [
        ("from opwright.opsets import opset99", "opset99.Abs(x)", "OW302", "`opwright.opsets.opset99` is not known"),
        ("from opwright.opsets import FLOAT", "x", "", ""),
        ("from opwright.opsets import FLOAT", "FLOAT(x)", "OW302", "`opwright.opsets.FLOAT`"),
        ("from opwright.types import opset18", "opset18.Abs(x)", "OW302", "`opwright.types.opset18`"),
        ("from opwright.eager import Tensor", "Tensor(x)", "OW310", "`opwright.eager` cannot be imported"),
        ("from opwright import Opset\nop = Opset('')", "op.Abs(x)", "OW204", "needs its `version`"),
        ("from opwright import Opset\nop = Opset()", "op.Abs(x)", "OW204", "needs its `domain`"),
        ("from opwright import Opset\nop = Opset('', 1, None, 1, 2)", "op.Abs(x)", "OW203", "a domain and a version"),
        ("from opwright import Opset\nop = Opset(*('', 1))", "op.Abs(x)", "OW203", "a domain and a version"),
        ("from opwright import Opset\nop = Opset('', 1, domain='')", "op.Abs(x)", "OW203", "given twice"),
        ("from opwright import Opset\nop = Opset('', 1, name='')", "op.Abs(x)", "OW205", "has no `name`"),
        ("from opwright import Opset\nop = Opset('', 1, **{})", "op.Abs(x)", "OW205", "has no `**`"),
        ("from opwright import Opset\nop = Opset('', True)", "op.Abs(x)", "OW304", "a positive int"),
        ("from opwright import Opset\nop = Opset('', 0)", "op.Abs(x)", "OW304", "a positive int"),
        ("from opwright import Opset\nop = Opset('', '1')", "op.Abs(x)", "OW304", "a positive int"),
        ("from opwright import Opset\nop = Opset(1, 1)", "op.Abs(x)", "OW304", "is a string"),
        ("from opwright import Opset\nop = Opset(NAME, 1)", "op.Abs(x)", "OW302", "`NAME` is not defined"),
        (
            "from opwright import Opset\nop = Opset('com.acme', 1, signatures={'F': 1})",
            "op.F(x)",
            "OW304",
            "the signatures of an opset cannot be given here",
        ),
        ("from opwright import Opset\nop = Opset('com.acme', 1)", "op.F(x)", "OW201", "F"),
        ("from opwright import Opset\nop = Opset('com.acme', 1, open=False)", "op.F(x)", "OW201", "F"),
        ("from opwright import Opset\nop = Opset('com.acme', 1, open=True)", "op.F(x, n=1.5)", "", ""),
        ("from opwright import Opset\nop = Opset('com.acme', 1, open=True)", "op.F(x, n=[])", "OW207", "`n` of F"),
        ("from opwright import Opset\nop = Opset('com.acme', 1, open={'F': {'n': 'INTS'}})", "op.F(x, n=[])", "", ""),
        (
            "from opwright import Opset\nop = Opset('com.acme', 1, open={'F': 1})",
            "op.F(x)",
            "OW304",
            "the value of `open`",
        ),
        ("from opwright import Opset\nop = Opset('com.acme', 1, open=x)", "op.F(x)", "OW304", "the value of `open`"),
        ("from opwright import Opset\nop = Opset('', 18, open=True)", "op.Abs(x, n=1)", "OW205", "Abs"),
        ("from opwright import Opset", "Opset('', 18, x).Abs(x)", "OW304", "the signatures"),
        ("from opwright import Opset", "Opset(x, 18).Abs(x)", "OW304", "is a string"),
    ],
)
def test_what_it_does_not(imports: str, result: str, code: str, message: str) -> None:
    found = compile_text(imports + BODY.format(result))
    assert [item.code for item in found] == ([code] if code else [])
    assert all(message in item.message for item in found)
    assert all(item.place is not None and item.place.line for item in found)
