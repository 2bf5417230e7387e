"""Every function that takes a model takes it in every form, and gives it back in the same one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx_ir
import pytest
from onnx import ModelProto
from opwright import (
    attach,
    compare,
    convert,
    decompile,
    detach,
    inspect,
    plan_attach,
    plan_upgrade,
    polyfill,
    proto_function,
    upgrade,
)
from opwright.bundle.format import Bundle
from opwright.bundle.write import write_bundle

from tests.forms.conftest import TEXT, Form, ONNXProgram, X, as_onnx_ir_says, proto_of, session_of
from tests.link.conftest import SWISH, make_acme, parse


def assert_same_form(given: Any, made: Any) -> None:
    assert type(made) is (ModelProto if isinstance(given, str | Path) else type(given))
    if isinstance(given, ONNXProgram):
        assert made.exported_program is given.exported_program


def assert_equal(made: Any, proto: ModelProto) -> None:
    if isinstance(made, ModelProto | bytes):
        assert proto_of(made) == proto
    else:
        assert as_onnx_ir_says(proto_of(made)) == as_onnx_ir_says(proto)


def test_attach_and_detach(form: Form, acme: Bundle) -> None:
    given = form(parse(TEXT))
    before = proto_of(given).SerializeToString(deterministic=True)
    made = attach(given, acme)
    assert_same_form(given, made)
    assert_equal(made, attach(parse(TEXT), acme))
    assert proto_of(given).SerializeToString(deterministic=True) == before
    back = detach(made)
    assert_same_form(made, back)
    assert_equal(back, parse(TEXT))


def test_the_result_runs(form: Form, acme: Bundle) -> None:
    made = attach(form(parse(TEXT)), acme)
    expected = 2 * X / (1 + np.exp(-1.5 * X)) * np.array([1, 2, 3], np.float32)
    found = made(X) if isinstance(made, ONNXProgram) else session_of(proto_of(made)).run(None, {"x": X})[0]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_options_of_attach(form: Form, acme: Bundle) -> None:
    assert_equal(attach(form(parse(TEXT)), acme, inline=True), attach(parse(TEXT), acme, inline=True))


def test_polyfill(form: Form, acme: Bundle) -> None:
    given = form(attach(parse(TEXT), acme))
    made = polyfill(given, opset=18, libraries=acme)
    assert_same_form(given, made)
    assert_equal(made, polyfill(attach(parse(TEXT), acme), opset=18, libraries=acme))
    assert {item.domain: item.version for item in proto_of(made).opset_import}[""] == 18


def test_upgrade_and_plans(form: Form, acme: Bundle) -> None:
    newer = make_acme("1.1.0", SWISH.replace("Mul(b, x)", "Mul(x, b)"))
    given = form(attach(parse(TEXT), acme))
    made = upgrade(given, newer)
    assert_same_form(given, made)
    assert_equal(made, attach(parse(TEXT), newer))
    assert plan_upgrade(given, newer) == plan_upgrade(attach(parse(TEXT), acme), newer)
    assert plan_attach(form(parse(TEXT)), acme) == plan_attach(parse(TEXT), acme)


def test_convert(form: Form, acme: Bundle) -> None:
    given = form(attach(parse(TEXT), acme))
    made = convert(given, opset=22, libraries=acme)
    assert_same_form(given, made)
    assert_equal(made, convert(attach(parse(TEXT), acme), opset=22, libraries=acme))
    assert {item.domain: item.version for item in proto_of(made).opset_import}[""] == 22


def test_inspect(form: Form, acme: Bundle) -> None:
    attached = attach(parse(TEXT), acme)
    assert inspect(form(attached), acme) == inspect(attached, acme)
    assert len(inspect(form(attached))) == 2


def test_decompile(form: Form, acme: Bundle) -> None:
    attached = attach(parse(TEXT), acme)
    made = decompile(form(attached))
    assert made == decompile(attached)
    assert "Twice(x)" in made.text


def test_compare(form: Form) -> None:
    assert compare(form(parse(TEXT)), parse(TEXT))
    assert not compare(parse(TEXT.replace("Mul", "Add")), form(parse(TEXT)))


def test_a_model_as_a_function(form: Form) -> None:
    text = '<ir_version: 8, opset_import: ["": 18]> g (float[N] x) => (float[N] y) <float w = {2}> { y = Mul(x, w) }'
    x = np.array([1.0, 2.0], np.float32)
    np.testing.assert_array_equal(proto_function(form(parse(text)))(x), 2 * x)


def test_what_serves_nothing_comes_back_in_its_form_too(form: Form, acme: Bundle) -> None:
    text = '<ir_version: 8, opset_import: ["": 18]> g (float[N] x) => (float[N] y) { y = Neg(x) }'
    given = form(parse(text))
    for made in (attach(given, acme), detach(given), polyfill(given, opset=18, libraries=acme)):
        assert_same_form(given, made)
        assert_equal(made, parse(text))


def test_equal_models_give_equal_bytes(acme: Bundle) -> None:
    data = parse(TEXT).SerializeToString(deterministic=True)
    assert attach(data, acme) == attach(data, acme)
    assert detach(attach(data, acme)) == data


def test_the_path_of_a_library_is_decompiled(acme: Bundle, tmp_path: Path) -> None:
    path = tmp_path / "acme.onnxlib"
    path.write_bytes(write_bundle(acme.index, acme.bodies))
    assert decompile(path).text == decompile(str(path)).text == decompile(acme).text


PROBE = """
import sys
import onnx
import opwright
model = onnx.load(sys.argv[1])
opwright.detach(model), opwright.inspect(sys.argv[1]), opwright.decompile(model.SerializeToString())
print(sorted({"onnx_ir", "torch", "onnxscript"} & set(sys.modules)))
"""


def test_neither_onnx_ir_nor_torch_is_imported(tmp_path: Path) -> None:
    text = '<ir_version: 8, opset_import: ["": 18]> g (float[N] x) => (float[N] y) { y = Neg(x) }'
    onnx.save(parse(text), tmp_path / "model.onnx")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    command = [sys.executable, "-c", PROBE, str(tmp_path / "model.onnx")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert (done.stdout, done.returncode) == ("[]\n", 0), done.stderr


def test_a_program_never_runs_the_model_that_was_given(torch_onnx: type[ONNXProgram], acme: Bundle) -> None:
    text = '<ir_version: 10, opset_import: ["": 18]> g (float[2, 3] x) => (float[2, 3] y) { y = Neg(x) }'
    given = torch_onnx(onnx_ir.from_proto(parse(text)), None)
    given(X)  # it has a session from now on
    made = attach(given, acme)
    made.model.graph.node(0).op_type = "Abs"
    np.testing.assert_array_equal(made(X), np.abs(X))
    np.testing.assert_array_equal(given(X), -X)


def test_classes_derived_from_a_form(acme: Bundle) -> None:
    class Text(str):
        pass

    class Data(bytes):
        pass

    data = Data(parse(TEXT).SerializeToString())
    assert len(inspect(attach(data, acme))) == 2
    with pytest.raises(Exception, match="OW550"):
        inspect(Text("missing.onnx"))
