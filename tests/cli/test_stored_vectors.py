"""Functions that are judged by stored vectors, and `opwright vectors show`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Opwright = Callable[..., Any]
FOLDER = Path("specs/com.acme/Swish")


def store(wrong: float = 0.0, kind: str = "float", name: str = "X") -> None:
    x = np.array([0.0, 2.0], np.float32)
    y = (x / (1 + np.exp(-x)) + np.float32(wrong)).astype(np.float32)
    value = {"array": "x", "type": kind}
    calls = [{"name": "kept", "inputs": {name: value}, "outputs": {"Y": {"array": "y", "type": kind}}}]
    np.savez(FOLDER / "kept.npz", calls=np.array(json.dumps({"schema": 1, "calls": calls})), x=x, y=y)


def outcomes(ran: Any) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for line in ran.lines:
        if line["event"] == "outcome":
            found.setdefault(line["vector"], set()).add(line["status"])
    return found


def test_an_archive_judges(library: Path, opwright: Opwright) -> None:
    spec = FOLDER / "spec.yaml"
    spec.write_text(spec.read_text().replace("vectors: [vectors.yaml]", "vectors: [vectors.yaml, kept.npz]"))
    assert opwright("build").status == 1, "there is no such file"
    store()
    ran = opwright("test", "--json")
    assert ran.status == 0, ran.out
    assert outcomes(ran)["kept"] == {"pass"}
    assert opwright("test", "--json").summary["kept"] == len([line for line in ran.lines if line["event"] == "outcome"])
    store(wrong=0.5)
    ran = opwright("test", "--json")
    assert ran.status == 1
    assert outcomes(ran)["kept"] == {"fail"}, "an archive that changes is read again"
    store(name="Z")
    assert "OW154" in opwright("test").out
    store()
    text = opwright("vectors", "show", "Swish").out
    assert "com.acme::Swish@1 kept (specs/com.acme/Swish/kept.npz)" in text
    assert "  X: float[2] 0.0, 2.0" in text
    assert "  -> Y: float[2] 0.0, 1.76" in text
    assert "  -> what the reference says" in text
    assert opwright("vectors", "show", "Swihs").status == 2
    assert opwright("vectors", ".").status == 0
    assert opwright("vectors", ".", "Swish").status == 2
