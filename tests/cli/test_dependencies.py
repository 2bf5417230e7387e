"""Libraries that call others: found, locked, linked, and carried by what is built."""

from __future__ import annotations

import importlib
import io
import json
import shutil
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from opwright.bundle.read import check_bundle, read_bundle_file
from opwright.diagnostics import DiagnosticError
from opwright.link.apply import attach_libraries

from tests.output_lines import validate

Opwright = Callable[..., Any]

LOCK = Path("specs/dependencies.lock")
SPEC = """\
schema: 1
domain: {domain}
name: {name}
summary: {name} of X.
{since}
opset: ">=18"
inputs: {{X: T}}
outputs: {{Y: T}}
types: {{T: [float, double]}}
vectors: [vectors.yaml]
"""
ROWS = "schema: 1\nrows:\n  - {name: one, inputs: {X: [0.0, 0.0]}, outputs: {Y: [0.0, 0.0]}}\n"
OP = "from opwright import opset18 as op\n\n\n"
DOUBLE = OP + "def Double(X):\n    return op.Add(X, X)\n"
HALVE = OP + "def Halve(X):\n    return X / 2\n"


def make_library(
    root: Path, name: str, functions: dict[str, str], *, version: str = "1.0.0", dependencies: str = "{}"
) -> Path:
    """A library `acme-<name>` of one domain; a function's key is its name, with `@` and a since_version if wanted."""
    domain = f"com.acme.{name}"
    newest = max(int(key.partition("@")[2] or 1) for key in functions)
    specs = root / "specs"
    (specs / domain).mkdir(parents=True, exist_ok=True)
    (specs / "library.yaml").write_text(
        f"schema: 1\nlibrary: acme-{name}\nversion: {version}\npackage: acme_{name}\n"
        f'opsets: ">=18,<=20"\ndependencies: {dependencies}\n'
    )
    (specs / domain / "domain.yaml").write_text(f"schema: 1\nversion: {newest}\n")
    for key, source in functions.items():
        function, _, since = key.partition("@")
        folder = specs / domain / function
        folder.mkdir(exist_ok=True)
        (folder / "spec.yaml").write_text(
            SPEC.format(domain=domain, name=function, since=f"since_version: {since or 1}")
        )
        (folder / "function.py").write_text(source)
        (folder / "vectors.yaml").write_text(ROWS)
    return root


class Workshop:
    """Libraries in folders of their own, and a place where wheels are installed."""

    def __init__(self, home: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = home
        self.opwright = opwright
        self.site = home / "site"
        self.site.mkdir()
        self.monkeypatch = monkeypatch
        monkeypatch.syspath_prepend(str(self.site))

    def make(self, name: str, functions: dict[str, str], **more: str) -> Path:
        return make_library(self.home / name, name, functions, **more)

    def enter(self, name: str) -> None:
        self.monkeypatch.chdir(self.home / name)

    def built(self, name: str, functions: dict[str, str], **more: str) -> Path:
        """The library's bundle, built, its dependencies locked."""
        self.make(name, functions, **more)
        self.enter(name)
        if "dependencies" in more:
            assert self.opwright("update").status == 0
        ran = self.opwright("build")
        assert ran.status == 0, ran.out
        return next((self.home / name / "dist").glob("*.onnxlib"))

    def installed(self, name: str, functions: dict[str, str], **more: str) -> Path:
        bundle = self.built(name, functions, **more)
        self.install(name)
        return bundle

    def install(self, name: str) -> None:
        for old in self.site.glob(f"acme_{name}*"):
            shutil.rmtree(old)
        (wheel,) = (self.home / name / "dist").glob("*.whl")
        zipfile.ZipFile(wheel).extractall(self.site)
        importlib.invalidate_caches()
        for module in [key for key in sys.modules if key.partition(".")[0] == f"acme_{name}"]:
            del sys.modules[module]

    def vendored(self, name: str, into: str) -> str:
        """The bundle of a library, copied below specs/ of another one; its path there."""
        (bundle,) = (self.home / name / "dist").glob("*.onnxlib")
        folder = self.home / into / "specs" / "vendor"
        folder.mkdir(exist_ok=True, parents=True)
        shutil.copy(bundle, folder)
        return f"vendor/{bundle.name}"


@pytest.fixture
def workshop(tmp_path: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    return Workshop(tmp_path, opwright, monkeypatch)


def calls(package: str, function: str, name: str, opset: int = 1) -> str:
    """The source of a function that calls another one twice."""
    call = f"other.{function}"
    return f"from {package} import opset{opset} as other\n\n\ndef {name}(X):\n    return {call}({call}(X))\n"


def findings(ran: Any) -> list[dict[str, Any]]:
    return [line["finding"] for line in ran.lines if line["event"] == "finding"]


def codes(ran: Any) -> list[str]:
    return [item["code"] for item in findings(ran)]


def model_of(domain: str, name: str, version: int = 1) -> onnx.ModelProto:
    value = [helper.make_tensor_value_info(item, TensorProto.FLOAT, [2]) for item in ("x", "y")]
    node = helper.make_node(name, ["x"], ["y"], domain=domain)
    graph = helper.make_graph([node], "g", value[:1], value[1:])
    imports = [helper.make_opsetid("", 18), helper.make_opsetid(domain, version)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def run(model: onnx.ModelProto) -> list[float]:
    import onnxruntime

    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (result,) = session.run(None, {"x": np.array([1.0, 3.0], np.float32)})
    return [float(item) for item in result]


QUADRUPLE = {"Quadruple": calls("acme_base", "Double", "Quadruple")}


def test_a_dependency_that_is_installed(workshop: Workshop, opwright: Opwright) -> None:
    workshop.installed("base", {"Double": DOUBLE, "Halve": HALVE})
    workshop.make("nn", QUADRUPLE, dependencies='{acme-base: ">=1,<2"}')
    workshop.enter("nn")
    (finding,) = findings(opwright("build", "--json"))
    assert (finding["code"], finding["place"]["line"]) == ("OW631", 6)
    assert "opwright update" in finding["help"]
    assert opwright("update").out.startswith("acme-base 1.0.0 added (installed)")
    (line,) = LOCK.read_text().splitlines()
    assert json.loads(line)["source"] == "installed"
    assert opwright("build").status == 0
    bundle = read_bundle_file(Path("dist/acme-nn-1.0.0.onnxlib"))
    (carried,) = bundle.index.dependencies
    assert (carried.library, carried.version, carried.sha256) == ("acme-base", "1.0.0", json.loads(line)["sha256"])
    assert [entry.identity for entry in carried.functions] == ["com.acme.base::Double@1"]
    assert [entry.identity for entry in bundle.index.functions] == ["com.acme.nn::Quadruple@1"]
    assert len(bundle.bodies) == 2
    check_bundle(Path("dist/acme-nn-1.0.0.onnxlib").read_bytes(), "acme-nn")
    again = opwright("build", "--json")
    assert (again.status, again.summary["actions_run"]) == (0, 0)
    wheel = zipfile.ZipFile("dist/acme_nn-1.0.0-py3-none-any.whl")
    assert "Requires-Dist: opwright\n" in wheel.read("acme_nn-1.0.0.dist-info/METADATA").decode()
    assert "acme-base" not in wheel.read("acme_nn-1.0.0.dist-info/METADATA").decode()


def test_a_bundle_that_calls_another_library_is_attached_alone(workshop: Workshop, opwright: Opwright) -> None:
    base = workshop.installed("base", {"Double": DOUBLE})
    bundle = workshop.built("nn", QUADRUPLE, dependencies="[acme-base]")
    attached = attach_libraries(model_of("com.acme.nn", "Quadruple"), [read_bundle_file(bundle)])
    assert {(item.domain, item.name) for item in attached.model.functions} == {
        ("com.acme.base", "Double"),
        ("com.acme.nn", "Quadruple"),
    }
    assert run(attached.model) == [4.0, 12.0]
    both = attach_libraries(model_of("com.acme.nn", "Quadruple"), [read_bundle_file(bundle), read_bundle_file(base)])
    assert both.model.functions == attached.model.functions
    (double,) = (item for item in attached.model.functions if item.name == "Double")
    facts = {item.key.rpartition(".")[2]: item.value for item in double.metadata_props}
    assert (facts["library"], facts["release"]) == ("acme-base", "1.0.0")


def test_what_is_carried_serves_no_node_of_a_model(workshop: Workshop, opwright: Opwright) -> None:
    workshop.installed("base", {"Double": DOUBLE})
    bundle = workshop.built("nn", QUADRUPLE, dependencies="[acme-base]")
    onnx.save(model_of("com.acme.base", "Double"), "model.onnx")
    ran = opwright("attach", "model.onnx", "--library", str(bundle), "-o", "out.onnx")
    assert "0 nodes served, 0 functions added" in ran.out
    assert not onnx.load("out.onnx").functions


def base_of_two_versions(workshop: Workshop, opwright: Opwright, newer: str) -> None:
    """The library acme-base, installed: Double@1, and Double@3 that returns `newer`."""
    workshop.make("base", {"Double": DOUBLE})
    spec = workshop.home / "base/specs/com.acme.base/Double/spec.yaml"
    since = "versions:\n  - {since_version: 1}\n  - {since_version: 3, function: newer.py:Double}"
    spec.write_text(spec.read_text().replace("since_version: 1", since))
    (spec.parent / "newer.py").write_text(OP + f"def Double(X):\n    return {newer}\n")
    (workshop.home / "base/specs/com.acme.base/domain.yaml").write_text("schema: 1\nversion: 3\n")
    workshop.enter("base")
    assert opwright("build").status == 0
    workshop.install("base")


def test_an_older_version_of_a_callee_keeps_its_name(workshop: Workshop, opwright: Opwright) -> None:
    """The plain name means the version of the domain that the model imports, carried or not."""
    base_of_two_versions(workshop, opwright, "2 * X")
    bundle = read_bundle_file(workshop.built("nn", QUADRUPLE, dependencies="[acme-base]"))
    assert bundle.index.dependencies[0].versions == (("com.acme.base::Double", (1, 3)),)
    attached = attach_libraries(model_of("com.acme.nn", "Quadruple"), [bundle]).model
    assert {item.name for item in attached.functions} == {"Double__since_1", "Quadruple"}
    assert run(attached) == [4.0, 12.0]


def test_tests_stubs_and_calls_of_a_function_that_calls_another_library(workshop: Workshop, opwright: Opwright) -> None:
    workshop.installed("base", {"Double": DOUBLE})
    workshop.installed("nn", QUADRUPLE, dependencies="[acme-base]")
    workshop.enter("nn")
    ran = opwright("test", "--json")
    assert ran.status == 0, ran.out
    assert {line["status"] for line in ran.lines if line["event"] == "outcome"} == {"pass"}
    assert opwright("stubs", "--check").status == 0
    assert opwright("export", "--opset", "18", "-o", "all.onnx").status == 0
    assert [item.name for item in onnx.load("all.onnx").functions] == ["Double", "Quadruple"]
    shutil.rmtree(workshop.site / "acme_base")  # the library that is called need not be installed
    package = importlib.import_module("acme_nn.opset1")
    assert package.Quadruple(np.array([1.5], np.float32)).tolist() == [6.0]
    assert [item.name for item in package.Quadruple.to_function_protos(opset=18)] == ["Double", "Quadruple"]


def test_a_dependency_on_a_bundle_file(workshop: Workshop, opwright: Opwright) -> None:
    workshop.built("base", {"Double": DOUBLE})
    path = workshop.vendored("base", "nn")
    bundle = workshop.built("nn", QUADRUPLE, dependencies=f'{{acme-base: {{bundle: {path}, version: ">=1"}}}}')
    assert json.loads(LOCK.read_text())["source"] == path
    assert [item.library for item in read_bundle_file(bundle).index.dependencies] == ["acme-base"]
    Path("specs", path).unlink()
    assert codes(opwright("build", "--json")) == ["OW133"]


@pytest.mark.parametrize(
    "path", ["/etc/x.onnxlib", "../x.onnxlib", "vendor/../../x.onnxlib", "vendor/x.zip", "a//b.onnxlib"]
)
def test_a_bundle_lies_below_specs(workshop: Workshop, opwright: Opwright, path: str) -> None:
    workshop.make("nn", QUADRUPLE, dependencies=f"{{acme-base: {{bundle: '{path}'}}}}")
    workshop.enter("nn")
    assert codes(opwright("build", "--json")) == ["OW127"]
    assert codes(opwright("update", "--json")) == ["OW127"]


def test_a_bundle_that_is_a_link_out_of_specs(workshop: Workshop, opwright: Opwright) -> None:
    bundle = workshop.built("base", {"Double": DOUBLE})
    workshop.make("nn", QUADRUPLE, dependencies="{acme-base: {bundle: x.onnxlib}}")
    workshop.enter("nn")
    Path("specs/x.onnxlib").symlink_to(bundle)
    assert codes(opwright("update", "--json")) == ["OW127"]
    assert opwright("build", "--json").status == 1
    assert not LOCK.exists()


def test_other_bytes_than_the_locked_ones(workshop: Workshop, opwright: Opwright) -> None:
    workshop.installed("base", {"Double": DOUBLE})
    workshop.built("nn", QUADRUPLE, dependencies="[acme-base]")
    workshop.installed("base", {"Double": DOUBLE.replace("op.Add(X, X)", "2 * X")})
    workshop.enter("nn")
    (finding,) = findings(opwright("build", "--json"))
    assert finding["code"] == "OW631"
    assert "other bytes" in finding["message"]
    assert "opwright update acme-base" in finding["help"]
    before = read_bundle_file(Path("dist/acme-nn-1.0.0.onnxlib"))
    lock = LOCK.read_bytes()
    (refused,) = findings(opwright("update", "--json"))
    assert (refused["code"], refused["message"], refused["reason"], refused["help"]) == (
        "OW631",
        finding["message"],
        finding["reason"],
        finding["help"],
    )
    assert LOCK.read_bytes() == lock
    ran = opwright("update", "acme-base", "--json")
    assert [(line["library"], line["status"]) for line in ran.lines if line["event"] == "dependency"] == [
        ("acme-base", "changed")
    ]
    for line in ran.lines:
        validate(line, "update")
    assert opwright("build").status == 0
    after = read_bundle_file(Path("dist/acme-nn-1.0.0.onnxlib"))
    assert before.index.functions[0].bodies[0].body != after.index.functions[0].bodies[0].body
    assert opwright("update").out.endswith("specs/dependencies.lock unchanged\n")
    old, new = json.loads(lock)["sha256"], json.loads(LOCK.read_text())["sha256"]
    LOCK.write_bytes(lock)
    told = opwright("update", "acme-base").out
    assert told.startswith(f"acme-base 1.0.0 has other bytes: sha256 {old} -> {new} (installed)\n")


def test_the_locked_bytes_from_another_place(workshop: Workshop, opwright: Opwright) -> None:
    workshop.installed("base", {"Double": DOUBLE})
    path = workshop.vendored("base", "nn")
    workshop.built("nn", QUADRUPLE, dependencies="[acme-base]")
    library = Path("specs/library.yaml")
    library.write_text(library.read_text().replace("[acme-base]", f"{{acme-base: {{bundle: {path}}}}}"))
    assert opwright("update").out.startswith(f"acme-base 1.0.0 (installed -> {path})\n")


def test_another_release_than_the_locked_one(workshop: Workshop, opwright: Opwright) -> None:
    workshop.installed("base", {"Double": DOUBLE})
    workshop.built("nn", QUADRUPLE, dependencies='{acme-base: "<1.1"}')
    workshop.installed("base", {"Double": DOUBLE}, version="1.0.5")
    workshop.enter("nn")
    (finding,) = findings(opwright("build", "--json"))
    assert "1.0.0" in finding["message"]
    assert "1.0.5" in finding["message"]
    assert opwright("update").out.startswith("acme-base 1.0.0 -> 1.0.5 (installed)")
    workshop.installed("base", {"Double": DOUBLE}, version="1.1.0")
    workshop.enter("nn")
    before = LOCK.read_bytes()
    assert codes(opwright("update", "--json")) == ["OW633"]
    assert LOCK.read_bytes() == before


def test_a_dependency_that_is_not_there(workshop: Workshop, opwright: Opwright) -> None:
    workshop.make("nn", QUADRUPLE, dependencies="[acme-base]")
    workshop.enter("nn")
    found = findings(opwright("build", "--json"))
    assert found[0]["code"] == "OW133"
    assert (found[0]["place"]["line"], found[0]["place"]["column"]) == (6, 16)
    assert codes(opwright("update", "--json")) == ["OW133"]
    assert opwright("update", "acme-bsae").status == 2


def test_lines_of_the_lock(workshop: Workshop, opwright: Opwright) -> None:
    workshop.installed("base", {"Double": DOUBLE})
    workshop.built("nn", QUADRUPLE, dependencies="[acme-base]")
    good = LOCK.read_text()
    LOCK.write_text(good + good + '{"library": "x"}\nnonsense\n')
    assert codes(opwright("build", "--json")) == ["OW630", "OW630", "OW630"]
    assert codes(opwright("update", "acme-base", "--json")) == ["OW630", "OW630", "OW630"]
    LOCK.write_text(good + good.replace("acme-base", "acme-gone"))
    ran = opwright("build", "--json")
    assert (ran.status, codes(ran)) == (0, ["OW636"])
    assert "acme-gone 1.0.0 removed" in opwright("update").out
    assert LOCK.read_text() == good


def test_a_bundle_of_another_library(workshop: Workshop, opwright: Opwright) -> None:
    workshop.built("base", {"Double": DOUBLE})
    path = workshop.vendored("base", "nn")
    workshop.make("nn", QUADRUPLE, dependencies=f"{{acme-other: {{bundle: {path}}}}}")
    workshop.enter("nn")
    assert codes(opwright("update", "--json")) == ["OW632"]


def test_a_damaged_bundle(workshop: Workshop, opwright: Opwright) -> None:
    workshop.built("base", {"Double": DOUBLE})
    path = workshop.vendored("base", "nn")
    workshop.make("nn", QUADRUPLE, dependencies=f"{{acme-base: {{bundle: {path}}}}}")
    workshop.enter("nn")
    Path("specs", path).write_bytes(b"PK nonsense")
    assert codes(opwright("update", "--json")) == ["OW511"]


def test_a_domain_of_two_libraries(workshop: Workshop, opwright: Opwright) -> None:
    workshop.built("base", {"Double": DOUBLE})
    path = workshop.vendored("base", "nn")
    root = workshop.make("nn", QUADRUPLE, dependencies=f"{{acme-base: {{bundle: {path}}}}}")
    (root / "specs/com.acme.base").mkdir()
    (root / "specs/com.acme.base/domain.yaml").write_text("schema: 1\nversion: 1\n")
    workshop.enter("nn")
    assert "OW634" in codes(opwright("update", "--json"))


def test_an_import_package_of_two_libraries(workshop: Workshop, opwright: Opwright) -> None:
    workshop.built("base", {"Double": DOUBLE})
    path = workshop.vendored("base", "nn")
    root = workshop.make("nn", QUADRUPLE, dependencies=f"{{acme-base: {{bundle: {path}}}}}")
    library = root / "specs/library.yaml"
    library.write_text(library.read_text().replace("package: acme_nn", "package: acme_base"))
    workshop.enter("nn")
    (finding,) = findings(opwright("update", "--json"))
    assert (finding["code"], "acme_base" in finding["message"]) == ("OW634", True)


def test_two_releases_of_one_library(workshop: Workshop, opwright: Opwright) -> None:
    """Two libraries were built against different releases of a third one."""
    workshop.installed("base", {"Double": DOUBLE})
    workshop.built("left", {"Left": calls("acme_base", "Double", "Left")}, dependencies="[acme-base]")
    workshop.installed("base", {"Double": DOUBLE}, version="1.1.0")
    workshop.built("right", {"Right": calls("acme_base", "Double", "Right")}, dependencies="[acme-base]")
    left, right = workshop.vendored("left", "top"), workshop.vendored("right", "top")
    source = "from acme_left import opset1 as left\n\n\ndef Top(X):\n    return left.Left(X)\n"
    named = f"{{acme-left: {{bundle: {left}}}, acme-right: {{bundle: {right}}}}}"
    workshop.make("top", {"Top": source}, dependencies=named)
    workshop.enter("top")
    (finding,) = findings(opwright("update", "--json"))
    assert finding["code"] == "OW635"
    assert "acme-top -> acme-left -> acme-base (1.0.0)" in finding["reason"]
    assert "acme-top -> acme-right -> acme-base (1.1.0)" in finding["reason"]
    assert not LOCK.exists()
    workshop.built("left", {"Left": calls("acme_base", "Double", "Left")}, dependencies="[acme-base]")
    workshop.vendored("left", "top")
    workshop.enter("top")
    assert opwright("update").status == 0
    assert opwright("build").status == 0
    bundle = read_bundle_file(Path("dist/acme-top-1.0.0.onnxlib"))
    assert [item.library for item in bundle.index.dependencies] == ["acme-base", "acme-left", "acme-right"]
    assert [len(item.functions) for item in bundle.index.dependencies] == [1, 1, 0]
    assert run(attach_libraries(model_of("com.acme.top", "Top"), [bundle]).model) == [4.0, 12.0]


def test_two_libraries_that_carry_a_function_differently(workshop: Workshop, opwright: Opwright) -> None:
    workshop.installed("base", {"Double": DOUBLE})
    left = workshop.built("left", {"Left": calls("acme_base", "Double", "Left")}, dependencies="[acme-base]")
    first = read_bundle_file(left)
    workshop.installed("base", {"Double": DOUBLE.replace("op.Add(X, X)", "2 * X")}, version="1.1.0")
    right = workshop.built("right", {"Right": calls("acme_base", "Double", "Right")}, dependencies="[acme-base]")
    with pytest.raises(DiagnosticError, match=r"acme-base 1\.0\.0 and by acme-base 1\.1\.0"):
        attach_libraries(model_of("com.acme.left", "Left"), [first, read_bundle_file(right)])


def test_siblings_carry_each_other(workshop: Workshop, opwright: Opwright) -> None:
    """A package calls a sibling that calls an installed library: its bundle is complete, with what it saw pinned."""
    workshop.installed("base", {"Double": DOUBLE})
    root = workshop.make("mid", {"Mid": calls("acme_base", "Double", "Mid")})
    make_library(root, "top", {"Top": "from acme_mid import opset1 as mid\n\n\ndef Top(X):\n    return mid.Mid(X)\n"})
    (root / "specs/library.yaml").write_text(
        'schema: 1\nversion: 1.0.0\nopsets: ">=18,<=20"\npackages:\n'
        "  - {library: acme-top, package: acme_top, domains: [com.acme.top], dependencies: [acme-mid]}\n"
        "  - {library: acme-mid, package: acme_mid, domains: [com.acme.mid], dependencies: [acme-base]}\n"
    )
    workshop.enter("mid")
    assert opwright("update").status == 0
    assert opwright("build", "-p", "acme-top").status == 0
    assert [path.name for path in Path("dist").glob("*.onnxlib")] == ["acme-top-1.0.0.onnxlib"]
    alone = Path("dist/acme-top-1.0.0.onnxlib").read_bytes()
    ran = opwright("build", "--json")
    assert ran.status == 0
    assert Path("dist/acme-top-1.0.0.onnxlib").read_bytes() == alone
    bundle = read_bundle_file(Path("dist/acme-top-1.0.0.onnxlib"))
    pinned = {item.library: item.sha256 for item in bundle.index.dependencies}
    assert pinned["acme-mid"] == next(item["bundle"] for item in ran.summary["packages"] if "mid" in item["library"])
    assert pinned["acme-base"] == json.loads(LOCK.read_text())["sha256"]
    assert run(attach_libraries(model_of("com.acme.top", "Top"), [bundle]).model) == [4.0, 12.0]
    tested = opwright("test", "--json")
    assert tested.status == 0, tested.out
    # what only the sibling declares may not be called by others
    (root / "specs/com.acme.top/Top/function.py").write_text(calls("acme_base", "Double", "Top"))
    (finding,) = findings(opwright("build", "--json"))
    assert (finding["code"], finding["place"]["line"]) == ("OW141", 5)


def test_a_template_that_calls_another_library(workshop: Workshop, opwright: Opwright) -> None:
    """Which bodies a template calls shows when it is made, so every body of what it may call is carried."""
    workshop.installed("base", {"Double": DOUBLE, "Halve": HALVE})
    source = (
        "from acme_base import opset1 as base\n\n\ndef Sum(*xs):\n    total = base.Double(xs[0])\n"
        "    for x in xs[1:]:\n        total = total + x\n    return total\n"
    )
    root = workshop.make("nn", {"Sum": source}, dependencies="[acme-base]")
    spec = root / "specs/com.acme.nn/Sum/spec.yaml"
    spec.write_text(
        spec.read_text().replace("inputs: {X: T}", "inputs: {xs: T}").replace("vectors: [vectors.yaml]\n", "")
    )
    workshop.enter("nn")
    assert opwright("update").status == 0
    ran = opwright("build")
    assert ran.status == 0, ran.out
    bundle = read_bundle_file(Path("dist/acme-nn-1.0.0.onnxlib"))
    assert bundle.index.functions[0].templates
    assert [entry.name for entry in bundle.index.dependencies[0].functions] == ["Double"]
    attached = attach_libraries(model_of("com.acme.nn", "Sum"), [bundle]).model
    assert run(attached) == [2.0, 6.0]


def test_a_bundle_tells_what_is_damaged_in_what_it_carries(workshop: Workshop, opwright: Opwright) -> None:
    workshop.installed("base", {"Double": DOUBLE})
    data = workshop.built("nn", QUADRUPLE, dependencies="[acme-base]").read_bytes()
    index = json.loads(zipfile.ZipFile(io.BytesIO(data)).read("library.json"))
    (dependency,) = index["dependencies"]
    assert set(dependency) >= {"library", "version", "sha256", "tables", "functions", "versions", "needs"}
    place = data.index(b'"name":"Double"')
    damaged = data[:place] + b'"name":"Dxuble"' + data[place + 15 :]
    with pytest.raises(DiagnosticError):
        check_bundle(damaged, "damaged")


def add_domain(root: Path, domain: str, function: str, source: str) -> None:
    folder = root / "specs" / domain / function
    folder.mkdir(parents=True)
    (folder.parent / "domain.yaml").write_text("schema: 1\nversion: 1\n")
    (folder / "spec.yaml").write_text(SPEC.format(domain=domain, name=function, since="since_version: 1"))
    (folder / "function.py").write_text(source)
    (folder / "vectors.yaml").write_text(ROWS)


def test_each_domain_of_a_library_has_a_name(workshop: Workshop) -> None:
    """The modules of a package, `opset1` of its first domain and `com_acme_more_opset1` of another one, are what its
    own functions and those of other libraries call."""
    root = workshop.make("base", {"Double": DOUBLE})
    add_domain(root, "com.acme.more", "Fourfold", calls("acme_base", "Double", "Fourfold"))
    own = calls("acme_base", "Fourfold", "Sixteen").replace("import opset1", "import com_acme_more_opset1")
    add_domain(root, "com.acme.most", "Sixteen", own)
    workshop.enter("base")
    ran = workshop.opwright("build")
    assert ran.status == 0, ran.out
    workshop.install("base")
    source = calls("acme_base", "Fourfold", "Much").replace("import opset1", "import com_acme_more_opset1")
    workshop.built("top", {"Much": source}, dependencies="{acme-base: '>=1'}")
    assert workshop.opwright("test", "--no-oracle").status == 0
    workshop.install("top")
    x = np.array([1.0, -2.0], np.float32)
    assert importlib.import_module("acme_top.opset1").Much(x).tolist() == [16.0, -32.0]
    file = Path("specs/com.acme.top/Much/function.py")
    for wrong in ("com_acme_mroe_opset1", "more_opset1", "_opset1", "com_acme_base_opset1"):
        file.write_text(source.replace("com_acme_more_opset1", wrong))
        ran = workshop.opwright("build")
        assert ran.status == 1 and f"OW310: `acme_base` has no `{wrong}`" in ran.out, ran.out


def test_a_diff_is_no_other_because_of_one_before_it(workshop: Workshop, opwright: Opwright) -> None:
    """What the last release called of another library is not at hand where its bundle alone has it now."""
    base_of_two_versions(workshop, opwright, "3 * X")
    bundle = workshop.vendored("base", "nn")
    dependencies = f"{{acme-base: {{bundle: {bundle}}}}}"
    workshop.built("nn", QUADRUPLE, dependencies=dependencies)
    assert opwright("release", "1.0.0").status == 0
    shutil.copy("dist/acme-nn-1.0.0.onnxlib", "before.onnxlib")
    source = Path("specs/com.acme.nn/Quadruple/function.py")
    source.write_text(source.read_text().replace("opset1", "opset3"))
    source.with_name("vectors.yaml").write_text(ROWS.replace("X: [0.0", "X: [1.0").replace("Y: [0.0", "Y: [9.0"))
    alone = opwright("diff", "--format", "json")
    (change,) = [line for line in alone.lines if line["event"] == "change"]
    assert (alone.status, codes(alone)) == (1, ["OW625"])
    assert (change["kind"], change["effect"]) == ("values-unknown", "undecided")
    assert "OW616" in codes(opwright("release", "1.0.1", "--json")), "a release stops there too"
    with_bundle = opwright("diff", "--against", "before.onnxlib", "--format", "json")
    assert (with_bundle.status, codes(with_bundle)) == (1, ["OW620"])
    assert codes(opwright("diff", "--format", "json")) == ["OW625"]
