"""`opwright vectors export`, and `opwright conform` on what it writes."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper

Opwright = Callable[..., Any]
REFERENCE = "opwright_build.verify.conformance.reference_backend:ReferenceBackend"
OUTPUT = "test_data_set_0/output_0.pb"
VECTORS = Path("specs/com.acme/Swish/vectors.yaml")
# What a function gives is stated, so that no numpy has a say in the bytes.
STATED = """
schema: 1
rows:
  - name: stated
    inputs: {X: [0.0, -0.0, inf]}
    outputs: {Y: [0.0, 0.0, inf]}
"""
PINNED = "79aee10d33f0b06f3d882e86fb72e11853876af3f73adb807f7a43c2424dac56"

BACKENDS = """
import os
import time

import numpy as np
from onnx.backend.base import Backend, BackendRep
from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt


class Swish(BackendRep):
    def run(self, inputs, **kwargs):
        (x,) = inputs
        wide = x.astype(np.float64)
        return ((wide / (1 + np.exp(-wide))).astype(x.dtype),)


class Right(Backend):
    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        return Swish()

    @classmethod
    def supports_device(cls, device):
        return device == "CPU"


class Wrong(Right):
    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        class Rep(Swish):
            def run(self, inputs, **kwargs):
                return (super().run(inputs)[0] + 1,)

        return Rep()


class Raises(Right):
    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        class Rep(BackendRep):
            def run(self, inputs, **kwargs):
                raise RuntimeError("out of order")

        return Rep()


class Dies(Right):
    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        os._exit(3)


class Hangs(Right):
    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        time.sleep(600)


class Refuses(Right):
    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        raise BackendIsNotSupposedToImplementIt(os.environ.get("WHY", "not mine"))


class Picky(Right):
    @classmethod
    def is_compatible(cls, model, device="CPU", **kwargs):
        return False
"""


@pytest.fixture
def corpus(library: Path, opwright: Opwright) -> Path:
    ran = opwright("vectors", "export", "-o", "corpus", "--opset", "20")
    assert ran.status == 0, ran.out + ran.err
    return library / "corpus"


@pytest.fixture
def backends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "installed"
    folder.mkdir()
    (folder / "some_backends.py").write_text(BACKENDS)
    monkeypatch.syspath_prepend(folder)


def listed(corpus: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((corpus / "conformance.json").read_text())
    return told


def write_list(corpus: Path, told: dict[str, Any]) -> None:
    digest = hashlib.sha256(json.dumps(told["cases"], sort_keys=True).encode()).hexdigest()
    (corpus / "conformance.json").write_text(json.dumps({**told, "digest": digest}))


def first(corpus: Path) -> Path:
    return corpus / listed(corpus)["cases"][0]["folder"]


def test_cases_are_folders_that_every_consumer_reads(corpus: Path) -> None:
    told = listed(corpus)
    assert (told["schema"], told["library"]) == ("opwright.conformance/1", "base")
    assert sorted(path.name for path in corpus.iterdir() if path.is_dir()) == [case["folder"] for case in told["cases"]]
    kinds = set()
    for case in told["cases"]:
        folder = corpus / case["folder"]
        assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")} == set(case["files"])
        for path, digest in case["files"].items():
            assert hashlib.sha256((folder / path).read_bytes()).hexdigest() == digest
        model = onnx.load(folder / "model.onnx")
        onnx.checker.check_model(model, full_check=True)
        assert [item.domain for item in model.functions] == ["com.acme"]
        assert [item.version for item in model.opset_import if not item.domain] == [case["opset"]] == [20]
        (kind,) = case["tolerance"]
        assert case["tolerance"][kind]["ulp"] >= 0
        kinds.add(kind)
        output = TensorProto.FromString((folder / OUTPUT).read_bytes())
        sizes = [item.dim_value for item in model.graph.output[0].type.tensor_type.shape.dim]
        assert sizes == list(output.dims)
    assert kinds == {"float", "double"}


def test_the_bytes_are_pinned(library: Path, opwright: Opwright) -> None:
    VECTORS.write_text(STATED)
    assert opwright("vectors", "export", "-o", "corpus", "--opset", "20").status == 0
    assert listed(Path("corpus"))["digest"] == PINNED


def test_each_body_is_in_the_corpus_unless_an_opset_is_chosen(corpus: Path, opwright: Opwright) -> None:
    assert opwright("vectors", "export", "Swish", "-o", "every").status == 0
    opsets = {case["opset"] for case in listed(Path("every"))["cases"]}
    assert len(opsets) > 1 and min(opsets) == 18


def test_expanded_models_have_no_functions(library: Path, opwright: Opwright) -> None:
    assert opwright("vectors", "export", "-o", "flat", "--opset", "20", "--expanded").status == 0
    for path in Path("flat").glob("*/model.onnx"):
        model = onnx.load(path)
        assert not model.functions
        assert [item.domain for item in model.opset_import] == [""]
    ran = opwright("conform", "flat", "--backend", "onnxruntime.backend")
    assert ran.status == 0, ran.out


def test_a_corpus_that_became_small_is_a_finding(corpus: Path, opwright: Opwright) -> None:
    count = len(listed(corpus)["cases"])
    words = ("vectors", "export", "-o", "other", "--opset", "20", "--min-count")
    assert opwright(*words, str(count)).status == 0
    ran = opwright(*words, str(count + 1))
    assert ran.status == 1
    assert f"error OW692: {count} cases, where at least {count + 1} are wanted" in ran.out


def test_expected_values_stay_where_others_differ_by_rounding(corpus: Path, opwright: Opwright) -> None:
    """As if another numpy had computed them."""
    path, digest = first(corpus) / OUTPUT, listed(corpus)["digest"]
    values = numpy_helper.to_array(TensorProto.FromString(path.read_bytes()))
    near = np.where(np.isfinite(values), np.nextafter(values, np.array(9, values.dtype)), values).astype(values.dtype)
    kept = numpy_helper.from_array(near).SerializeToString()
    path.write_bytes(kept)
    assert opwright("vectors", "export", "-o", "corpus", "--opset", "20").status == 0
    assert path.read_bytes() == kept
    assert opwright("conform", "corpus", "--backend", REFERENCE).status == 0, "the list is of these bytes"
    path.write_bytes(numpy_helper.from_array((values + 1).astype(values.dtype)).SerializeToString())
    assert opwright("vectors", "export", "-o", "corpus", "--opset", "20").status == 0
    assert listed(corpus)["digest"] == digest


def test_what_is_no_longer_a_case_goes(corpus: Path, opwright: Opwright) -> None:
    VECTORS.write_text(STATED)
    assert opwright("vectors", "export", "-o", "corpus", "--opset", "20").status == 0
    folders = [case["folder"] for case in listed(corpus)["cases"]]
    assert folders and all("stated" in name for name in folders)
    assert sorted(path.name for path in corpus.iterdir() if path.is_dir()) == folders


def test_a_folder_of_other_files_is_not_written_to(library: Path, opwright: Opwright) -> None:
    Path("corpus").mkdir()
    Path("corpus/notes.txt").write_text("mine")
    ran = opwright("vectors", "export", "-o", "corpus")
    assert ran.status == 2
    assert "OW907" in ran.out
    assert opwright("vectors", "export").status == 2, "a folder must be named"


@pytest.mark.parametrize("backend", ["some_backends:Right", REFERENCE])
def test_a_backend_that_is_right(corpus: Path, opwright: Opwright, backends: None, backend: str) -> None:
    count = len(listed(corpus)["cases"])
    ran = opwright("conform", "corpus", "--backend", backend, "--min-count", str(count))
    assert ran.status == 0, ran.out
    assert f"{backend} on {count} cases: {count} pass" in ran.out
    assert "com.acme::Swish@1" in ran.out
    assert opwright("conform", "corpus", "--backend", backend, "--min-count", str(count + 1)).status == 1


@pytest.mark.parametrize(
    ("backend", "words"),
    [
        ("Wrong", "differs in"),
        ("Raises", "RuntimeError: out of order"),
        ("Dies", "the backend"),
        ("Hangs", "the backend"),
    ],
)
def test_a_backend_that_is_wrong(corpus: Path, opwright: Opwright, backends: None, backend: str, words: str) -> None:
    told = listed(corpus)
    for case in told["cases"][1:]:
        shutil.rmtree(corpus / case["folder"])
    write_list(corpus, {**told, "cases": told["cases"][:1]})
    ran = opwright("conform", "corpus", "--backend", f"some_backends:{backend}", "--vector-limit", "3")
    assert ran.status == 1
    assert "error OW690" in ran.out and words in ran.out


def test_a_backend_that_refuses_differs_in_nothing_but_must_pass_something(
    corpus: Path, opwright: Opwright, backends: None
) -> None:
    words = ("conform", "corpus", "--backend", "some_backends:Refuses", "--env", "WHY=no kernels")
    ran = opwright(*words)
    assert ran.status == 1
    assert "OW690" not in ran.out and "OW692" in ran.out
    assert "refused: no kernels" in ran.out
    assert opwright(*words, "--min-count", "0").status == 0
    picky = opwright("conform", "corpus", "--backend", "some_backends:Picky", "--min-count", "0")
    assert picky.status == 0 and "it says that it is not compatible" in picky.out


@pytest.mark.parametrize(
    ("backend", "device", "words"),
    [
        ("no_such_module", "CPU", "No module named"),
        ("some_backends:Nothing", "CPU", "has no attribute"),
        ("json", "CPU", "it has no `prepare`"),
        ("some_backends:Right", "CUDA", "it does not support the device CUDA"),
    ],
)
def test_a_backend_that_is_none(
    corpus: Path, opwright: Opwright, backends: None, backend: str, device: str, words: str
) -> None:
    ran = opwright("conform", "corpus", "--backend", backend, "--device", device)
    assert ran.status == 2
    assert words in ran.out


def test_the_vectors_of_a_library(library: Path, opwright: Opwright) -> None:
    ran = opwright("conform", ".", "--backend", REFERENCE, "--opset", "20")
    assert ran.status == 0, ran.out
    assert "com.acme::Swish@1" in ran.out


def test_a_folder_without_a_list_is_judged_as_the_standards_suite(
    corpus: Path, opwright: Opwright, backends: None
) -> None:
    (corpus / "conformance.json").unlink()
    assert opwright("conform", "corpus", "--backend", "some_backends:Right").status == 0
    assert opwright("conform", "corpus", "--backend", "some_backends:Wrong").status == 1


def change_list(corpus: Path, change: Callable[[dict[str, Any]], object]) -> None:
    told = listed(corpus)
    change(told)
    write_list(corpus, told)


def test_cases_that_are_taken_out_of_the_list_are_missed(corpus: Path, opwright: Opwright) -> None:
    told = listed(corpus)
    (corpus / "conformance.json").write_text(json.dumps({**told, "cases": told["cases"][1:]}))
    ran = opwright("conform", "corpus", "--backend", REFERENCE)
    assert ran.status == 2
    assert "OW691" in ran.out and "are not those of its digest" in ran.out


@pytest.mark.parametrize(
    "spoil",
    [
        lambda corpus: (first(corpus) / OUTPUT).write_bytes(b""),
        lambda corpus: (first(corpus) / OUTPUT).unlink(),
        lambda corpus: (first(corpus) / "model.onnx").write_bytes(b"\xff" * 64),
        lambda corpus: shutil.rmtree(first(corpus)),
        lambda corpus: change_list(corpus, lambda told: told["cases"][0]["files"].clear()),
        lambda corpus: change_list(corpus, lambda told: told["cases"][0]["files"].update({OUTPUT: "0"})),
        lambda corpus: change_list(corpus, lambda told: told["cases"][0].update(tolerance={"float": {"ulp": -1}})),
        lambda corpus: change_list(corpus, lambda told: told["cases"][0].update(tolerance={"rtol": 1, "atol": "x"})),
        lambda corpus: ((first(corpus) / OUTPUT).unlink(), (first(corpus) / OUTPUT).symlink_to("/etc/passwd")),
    ],
)
def test_a_spoilt_case_is_a_finding_and_others_run(
    corpus: Path, opwright: Opwright, spoil: Callable[[Path], object]
) -> None:
    count = len(listed(corpus)["cases"])
    spoil(corpus)
    ran = opwright("conform", "corpus", "--backend", REFERENCE)
    assert ran.status == 1
    assert ran.out.count("error OW691") == 1, ran.out
    assert f"{count - 1} pass" in ran.out


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "[" * 100_000,
        '{"schema": "opwright.conformance/1"}',
        '{"schema": 7, "cases": []}',
        "@../evil",
        "@/",
        "@a/b",
    ],
)
def test_a_spoilt_list_is_a_finding(corpus: Path, opwright: Opwright, text: str) -> None:
    if text.startswith("@"):
        change_list(corpus, lambda told: told["cases"][0].update(folder=text[1:]))
    else:
        (corpus / "conformance.json").write_text(text)
    ran = opwright("conform", "corpus", "--backend", REFERENCE)
    assert ran.status == 2
    assert "OW691" in ran.out
    assert "Traceback" not in ran.err
