"""docs/attach.md runs, and prints what it shows."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path
from typing import Any

import onnx
import pytest
from opwright.bundle.write import write_bundle
from opwright.commands import main
from opwright.link.apply import attach

from tests.docs.pages import DOCS
from tests.link.conftest import SWISH, make_acme, parse

PAGE = DOCS / "attach.md"
MODEL = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]>
g (float[N] x) => (float[N] y) { t = com.acme.Twice(x) y = com.acme.Floor(t, t) }"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    library, newer = make_acme(), make_acme("1.1.0", SWISH.replace("Mul(b, x)", "Mul(x, b)"))
    for name, bundle in (("acme", library), ("newer", newer)):
        Path(f"{name}.onnxlib").write_bytes(write_bundle(bundle.index, bundle.bodies))
    onnx.save(parse(MODEL), "model.onnx")
    onnx.save(attach(parse(MODEL), library), "attached.onnx")


def test_every_block_runs_and_prints_what_is_shown() -> None:
    text = PAGE.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "attach"}
    blocks = re.findall(r"```python\n(.*?)```(?:\n```text\n(.*?)```)?", text, re.DOTALL)
    assert blocks
    for code, shown in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(PAGE), "exec"), names)
        assert printed.getvalue().rstrip() == shown.rstrip()


def test_every_command_prints_what_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```console\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        command, _, shown = block.partition("\n")
        status = main(shlex.split(command.removeprefix("$ opwright ")))
        printed = capsys.readouterr()
        assert (status, printed.out.rstrip()) == (0, shown.rstrip()), printed.err
