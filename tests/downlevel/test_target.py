"""What a consumer takes, and what is known of the releases of onnxruntime."""

from __future__ import annotations

import json
from pathlib import Path

import onnxruntime as ort
import pytest
from onnx import defs
from opwright.diagnostics import DiagnosticError
from opwright.diagnostics.diagnostic import Severity
from opwright.downlevel import target
from opwright.downlevel.installed_runtime import without_kernel
from opwright.downlevel.rewrite import choose_target
from opwright.downlevel.target import RUNTIMES, target_of_opset, target_of_runtime
from opwright.link.schema_types import schema_at

from tests.downlevel.kernel_probes import merge, write_probes
from tests.downlevel.load_probes import measure


def test_an_opset_means_what_was_released_with_it() -> None:
    target = target_of_opset(18)
    assert (target.opset, target.ir_version, target.name) == (18, 8, "opset 18")
    versions = [target.version_of(domain) for domain in ("", "ai.onnx.ml", "ai.onnx.training", "ai.onnx.preview")]
    assert versions == [18, 3, 1, 0]
    assert target.version_of("com.microsoft") is None
    assert target_of_opset(28).version_of("ai.onnx.preview") == 1


@pytest.mark.parametrize("opset", [0, 12, defs.onnx_opset_version() + 1])
def test_opsets_that_cannot_be_targets(opset: int) -> None:
    with pytest.raises(DiagnosticError) as caught:
        target_of_opset(opset)
    assert [item.code for item in caught.value.diagnostics] == ["OW584"]


def test_a_release_of_onnxruntime() -> None:
    target = target_of_runtime("ort==1.17.3")
    assert (target.opset, target.ir_version, target.name) == (20, 9, "onnxruntime 1.17")
    assert target_of_runtime("onnxruntime==1.17", 18).opset == 18
    assert target_of_runtime("ort").name == f"onnxruntime {'.'.join(ort.__version__.split('.')[:2])}"
    elu, gelu = schema_at("Elu", "", 20), schema_at("Gelu", "", 20)
    assert elu is not None and gelu is not None
    assert target.lacks_kernel("", elu, {"T": "double"})
    assert not target.lacks_kernel("", elu, {"T": "float"})
    assert not target.lacks_kernel("", elu, {})
    assert not target.lacks_kernel("", gelu, {"T": "float"})


@pytest.mark.parametrize("text", ["ort==0.9", "tensorrt==8", "ort==", "ort==1.2"])
def test_runtimes_that_are_not_known(text: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        target_of_runtime(text)
    assert [item.code for item in caught.value.diagnostics] == ["OW584"]


@pytest.fixture
def record_ends_before(monkeypatch: pytest.MonkeyPatch) -> str:
    """The last release on record, which ends before the one that is installed."""
    on_record = json.loads(RUNTIMES.read_text(encoding="utf-8"))
    installed = [int(number) for number in ort.__version__.split(".")[:2]]
    rows = [row for row in on_record["onnxruntime"] if [int(item) for item in row["release"].split(".")] < installed]
    monkeypatch.setattr(target, "_runtimes", lambda: {**on_record, "onnxruntime": rows})
    return str(rows[-1]["release"])


@pytest.mark.long
def test_a_newer_release_that_is_installed_is_measured(record_ends_before: str, tmp_path: Path) -> None:
    write_probes(tmp_path)
    measured = measure(tmp_path)
    found = target_of_runtime("ort")
    assert (found.opset, found.ir_version) == (
        min(measured["opset"], defs.onnx_opset_version()),
        measured["ir_version"],
    )
    assert not found.findings
    before = {(*key[1:], *types.items()) for key, rows in target._missing(record_ends_before).items() for types in rows}
    lacking = {(item["operator"], item["since_version"], *item["types"].items()) for item in measured["missing"]}
    assert {(*key[1:], *types.items()) for key, rows in found.missing.items() for types in rows} == before & lacking


def test_a_kernel_that_came_is_no_longer_missing() -> None:
    types = [{"T": "float"}, {"T": "bfloat16"}]
    assert without_kernel("", "Elu", 6, types) == [{"T": "bfloat16"}]
    assert without_kernel("", "Elu", 22, types) == [{"T": "bfloat16"}]
    assert without_kernel("", "NoSuch", 1, types) == types


def test_a_newer_release_elsewhere_is_taken_for_the_last_on_record(record_ends_before: str) -> None:
    last = target_of_runtime(f"ort=={record_ends_before}")
    found = target_of_runtime("ort==9999.1")
    assert (found.opset, found.ir_version, found.missing) == (last.opset, last.ir_version, last.missing)
    assert [(item.code, item.severity) for item in found.findings] == [("OW677", Severity.WARNING)]
    assert not last.findings
    assert target_of_runtime("ort==9999.1", 18).opset == 18


def test_a_runtime_does_not_take_a_newer_opset() -> None:
    for options in ((21, "ort==1.17"), (None, "")):
        with pytest.raises(DiagnosticError) as caught:
            choose_target(*options)
        assert [item.code for item in caught.value.diagnostics] == ["OW584"]


@pytest.mark.long
def test_what_is_on_record_of_the_installed_release_is_what_it_does(tmp_path: Path) -> None:
    write_probes(tmp_path)
    measured = measure(tmp_path)
    on_record = json.loads(RUNTIMES.read_text(encoding="utf-8"))
    (row,) = [item for item in on_record["onnxruntime"] if item["release"] == measured["release"]]
    assert (row["opset"], row["ir_version"]) == (measured["opset"], measured["ir_version"])
    recorded = {
        (item["operator"], item["since_version"], tuple(types.items()))
        for item in on_record["missing_kernels"]
        if measured["release"] in item["releases"]
        for types in item["types"]
    }
    found = {(item["operator"], item["since_version"], tuple(item["types"].items())) for item in measured["missing"]}
    assert found == recorded, "run nox -s runtimes"


def test_the_record_is_what_merging_writes() -> None:
    on_record = json.loads(RUNTIMES.read_text(encoding="utf-8"))
    releases = [item["release"] for item in on_record["onnxruntime"]]
    assert releases == sorted(releases, key=lambda text: [int(part) for part in text.split(".")])
    empty = [{**item, "missing": []} for item in on_record["onnxruntime"]]
    assert json.loads(merge(empty))["onnxruntime"] == on_record["onnxruntime"]
