"""Several packages in one repository: what is built of each, and which may call which."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opwright.bundle.read import read_bundle_file

from tests.output_lines import validate

Opwright = Callable[..., Any]

LIBRARY = """\
schema: 1
version: 1.0.0
license: MIT
opsets: ">=18,<=22"
packages:
  - library: acme-base
    package: acme_base
    domains: [com.acme]
    summary: The base.
  - library: acme-more
    package: acme_more
    version: 2.1.0
    domains: [com.acme.more]
    dependencies: [acme-base]
"""
SPEC = """\
schema: 1
domain: com.acme.more
name: {name}
summary: {name} of X.
since_version: 1
opset: ">=18"
inputs: {{X: T}}
outputs: {{Y: T}}
types: {{T: [float, double]}}
vectors: [vectors.yaml]
"""
TWICE = "from acme_base import opset1 as acme\n\n\ndef Twice(X):\n    return acme.Swish(acme.Swish(X))\n"
HALF = "from opwright import opset18 as op\n\n\ndef Half(X):\n    return X / 2\n"
ROWS = "schema: 1\nrows:\n  - {name: zero, inputs: {X: 0.0}, outputs: {Y: 0.0}}\n"
DISTS = [
    "dist/acme-base-1.0.0.onnxlib",
    "dist/acme-more-2.1.0.onnxlib",
    "dist/acme_base-1.0.0-py3-none-any.whl",
    "dist/acme_more-2.1.0-py3-none-any.whl",
]


def add_function(domain: str, name: str, source: str) -> None:
    folder = Path("specs", domain, name)
    folder.mkdir(parents=True)
    (folder / "spec.yaml").write_text(SPEC.format(name=name).replace("com.acme.more", domain))
    (folder / "function.py").write_text(source)
    (folder / "vectors.yaml").write_text(ROWS)


def edit(path: str, old: str, new: str) -> None:
    text = Path(path).read_text()
    assert text.count(old) == 1, (path, old)
    Path(path).write_text(text.replace(old, new))


@pytest.fixture
def packages(library: Path) -> Path:
    """The base library beside a package that does not call it."""
    (library / "specs/library.yaml").write_text(LIBRARY)
    add_function("com.acme.more", "Half", HALF)
    Path("specs/com.acme.more/domain.yaml").write_text("schema: 1\nversion: 1\n")
    return library


def dists() -> list[str]:
    return sorted(path.as_posix() for path in Path("dist").glob("*"))


def codes(ran: Any) -> list[str]:
    return [line["finding"]["code"] for line in ran.lines if line["event"] == "finding"]


def findings(ran: Any) -> list[dict[str, Any]]:
    return [line["finding"] for line in ran.lines if line["event"] == "finding"]


def test_each_package_gets_its_files(packages: Path, opwright: Opwright) -> None:
    ran = opwright("build", "--json")
    assert (ran.status, codes(ran)) == (0, [])
    assert dists() == DISTS
    assert sorted(path.name for path in Path("library").iterdir()) == ["acme_base", "acme_more"]
    base, more = (read_bundle_file(Path(path)).index for path in DISTS[:2])
    assert (base.library, base.version, base.package) == ("acme-base", "1.0.0", "acme_base")
    assert (base.summary, base.license) == ("The base.", "MIT")
    assert [entry.identity for entry in base.functions] == ["com.acme::Swish@1"]
    assert (more.version, [entry.identity for entry in more.functions]) == ("2.1.0", ["com.acme.more::Half@1"])
    summary = ran.summary
    assert [item["library"] for item in summary["packages"]] == ["acme-base", "acme-more"]
    assert summary["versions"] == sum(item["versions"] for item in summary["packages"]) == 2
    assert "library" not in summary
    for line in ran.lines:
        validate(line, "build")
    again = opwright("build", "--json")
    assert (again.status, again.summary["actions_run"]) == (0, 0)


def test_one_package_alone(packages: Path, opwright: Opwright) -> None:
    ran = opwright("build", "-p", "acme-more", "--json")
    assert ran.status == 0
    assert dists() == [path for path in DISTS if "more" in path]
    assert not Path("library/acme_base").exists()
    assert ran.summary["library"] == "acme-more"
    assert opwright("build").status == 0
    before = {path: Path(path).read_bytes() for path in DISTS}
    edit("specs/library.yaml", "version: 2.1.0", "version: 2.2.0")
    assert opwright("build", "-p", "acme_more").status == 0  # by its import name
    assert dists() == [path.replace("2.1.0", "2.2.0") for path in DISTS]
    assert Path(DISTS[0]).read_bytes() == before[DISTS[0]]
    assert opwright("build", "-p", "acme-base", "-p", "acme-more", "--json").summary["versions"] == 2


@pytest.mark.parametrize("name", ["acme-more", "acme_more"])
def test_functions_of_a_package_by_either_name(packages: Path, opwright: Opwright, name: str) -> None:
    ran = opwright("ls", "--json", "-s", f"package:{name}")
    assert [line["name"] for line in ran.lines] == ["Half"]
    assert opwright("ls", "-s", "package:acme").status == 2


def test_pages_of_one_package(packages: Path, opwright: Opwright) -> None:
    """Those of another one stay, and are neither compared nor listed."""
    opwright("docs")
    index, other = Path("docs/reference/README.md"), Path("docs/reference/com.acme.more/Half.md")
    assert "acme-more" in index.read_text()
    before = other.read_bytes()
    Path("specs/com.acme.more/Half/function.py").write_text("nonsense")
    assert opwright("docs", "-p", "acme-base").status == 0
    assert "acme-more" not in index.read_text() and other.read_bytes() == before
    assert opwright("docs", "-p", "acme-base", "--check").out.endswith("2 pages up to date\n")


def test_a_package_that_is_none(packages: Path, opwright: Opwright) -> None:
    ran = opwright("build", "-p", "acme-mroe")
    assert ran.status == 2
    assert "did you mean acme-more" in ran.out


def test_errors_of_a_package_that_is_not_asked_for(packages: Path, opwright: Opwright) -> None:
    edit("specs/com.acme.more/Half/function.py", "X / 2", "op.Nothing(X)")
    assert opwright("build").status == 1
    assert opwright("build", "-p", "acme-base").status == 0
    Path("specs/com.acme.more/Half/spec.yaml").write_text("schema: [\n")
    assert opwright("build", "-p", "acme-base").status == 0
    assert codes(opwright("build", "-p", "acme-more", "--json")) == ["OW101"]


def test_errors_of_a_package_that_it_depends_on(packages: Path, opwright: Opwright) -> None:
    edit("specs/com.acme/Swish/function.py", "return", "return op.Nothing(X)\n    return")
    assert opwright("build", "-p", "acme-more").status == 1


def test_a_call_that_is_not_declared(packages: Path, opwright: Opwright) -> None:
    add_function("com.acme.more", "Twice", TWICE)
    edit("specs/library.yaml", "    dependencies: [acme-base]\n", "")
    (finding,) = findings(opwright("build", "--json"))
    assert finding["code"] == "OW141"
    assert (finding["place"]["file"], finding["place"]["line"]) == ("specs/com.acme.more/Twice/function.py", 5)
    assert "dependencies: [acme-base]" in finding["help"]
    by_domain = "from opwright import Opset\nacme = Opset('com.acme', 1)\n\n\ndef Twice(X):\n    return acme.Swish(X)\n"
    Path("specs/com.acme.more/Twice/function.py").write_text(by_domain)
    assert codes(opwright("build", "--json", "-p", "acme-more")) == ["OW141"]


def test_a_version_that_a_package_has_no_module_of(packages: Path, opwright: Opwright) -> None:
    """As Python sees it: modules are of the versions at which functions are new."""
    twice = "specs/com.acme.more/Twice/function.py"
    add_function("com.acme.more", "Twice", TWICE.replace("opset1", "opset3"))
    (finding,) = findings(opwright("build", "--json"))
    assert (finding["code"], finding["message"]) == ("OW310", "`acme_base` has no `opset3`")
    assert finding["help"] == "import `opset1`"
    edit("specs/com.acme/domain.yaml", "version: 1\n", "version: 3\n")
    assert codes(opwright("build", "--json")) == ["OW310"]
    add_function("com.acme", "Third", HALF.replace("Half", "Third"))
    edit("specs/com.acme/Third/spec.yaml", "since_version: 1", "since_version: 3")
    assert opwright("build").status == 0
    edit("specs/com.acme/Third/spec.yaml", "since_version: 3", "since_version: 2")
    assert codes(opwright("build", "--json")) == ["OW310"]
    edit("specs/com.acme/Third/spec.yaml", "since_version: 2", "since_version: x")
    assert "OW310" not in codes(opwright("build", "--json"))  # it may be of version 3
    edit("specs/com.acme/Third/spec.yaml", "since_version: x", "since_version: 3")
    Path(twice).write_text("from acme_more import opset2 as own\n\n\ndef Twice(X):\n    return own.Half(own.Half(X))\n")
    assert [item["message"] for item in findings(opwright("build", "--json"))] == ["`acme_more` has no `opset2`"]
    edit(twice, "opset2", "opset1")
    assert opwright("build").status == 0


@pytest.mark.parametrize(
    ("old", "new", "code", "place", "word"),
    [
        ("domains: [com.acme.more]", "domains: [com.acme.more, com.acme]", "OW134", "13:30", "acme-base"),
        ("library: acme-more", "library: Acme_Base", "OW135", "10:14", "library"),
        ("package: acme_more", "package: acme_base", "OW135", "11:14", "package"),
        ("domains: [com.acme]", "domains: [com.acme, com.acne]", "OW136", "8:25", "com.acme"),
        ("[acme-base]", "[acme-more]", "OW138", "14:20", "acme-more depends on acme-more"),
        ("summary: The base.", "dependencies: [acme-more]", "OW138", "14:20", "acme-base depends on acme-more depends"),
        ("license: MIT", "domains: [com.acme]", "OW139", "3:1", "domains"),
        ("[acme-base]", "{acme-base: '>=1.1'}", "OW140", "14:20", "1.0.0"),
        ("version: 1.0.0\n", "", "OW107", "5:5", "version"),
        ("[acme-base]", "[acme-other]", "OW133", "14:20", "acme-other"),
        ("package: acme_more", "package: json", "OW109", "11:14", "json"),
    ],
)
def test_what_is_wrong_with_packages(
    packages: Path, opwright: Opwright, old: str, new: str, code: str, place: str, word: str
) -> None:
    edit("specs/library.yaml", old, new)
    found = [item for item in findings(opwright("build", "--json")) if item["code"] == code]
    assert [f"{item['place']['line']}:{item['place']['column']}" for item in found] == [place]
    assert word in "".join((found[0]["message"], found[0]["reason"], found[0]["help"]))


def test_a_domain_of_no_package(packages: Path, opwright: Opwright) -> None:
    add_function("com.acme.rest", "Half", HALF)
    Path("specs/com.acme.rest/domain.yaml").write_text("schema: 1\nversion: 1\n")
    (finding,) = findings(opwright("build", "--json"))
    assert (finding["code"], finding["place"]["line"]) == ("OW137", 5)
    assert "com.acme.rest" in finding["message"]


def test_a_list_of_one_package_is_the_short_form(library: Path, opwright: Opwright) -> None:
    assert opwright("build").status == 0
    written = sorted([*Path("dist").iterdir(), *Path("library").rglob("*.py*")])
    before = {path.as_posix(): path.read_bytes() for path in written}
    text = Path("specs/library.yaml").read_text()
    keys = "".join(f"    {line}\n" for line in text.splitlines() if not line.startswith(("schema", "#")))
    Path("specs/library.yaml").write_text(f"schema: 1\npackages:\n  -\n{keys}    domains: [com.acme]\n")
    assert opwright("build").status == 0
    assert {path.as_posix(): path.read_bytes() for path in written} == before
    assert opwright("build", "-p", "base").status == 0


def test_views_name_the_package(packages: Path, opwright: Opwright) -> None:
    listed = [json.loads(line) for line in opwright("ls", "--json").out.splitlines()]
    assert [(item["library"], item["name"]) for item in listed] == [("acme-base", "Swish"), ("acme-more", "Half")]
    assert "acme-more" in opwright("ls").out
    (only,) = opwright("ls", "--json", "-p", "acme-more").lines
    assert only["name"] == "Half"
    assert opwright("show", "Half", "--json").lines[0]["library"] == "acme-more"
    assert "of acme-more" in opwright("show", "Half").out
    assert opwright("show", "Half", "-p", "acme-base").status == 2
    assert "Swish" not in opwright("opsets", "-p", "acme-more").out


def test_stubs_and_exports_of_one_package(packages: Path, opwright: Opwright) -> None:
    assert opwright("build").status == 0
    Path("library/acme_base/__init__.py").unlink()
    Path("library/acme_more/__init__.py").unlink()
    assert opwright("stubs", "--check", "-p", "acme-more").status == 1
    assert opwright("stubs", "-p", "acme-more").status == 0
    assert dists() == DISTS
    assert not Path("library/acme_base/__init__.py").exists()
    assert opwright("stubs", "--check", "-p", "acme-more").status == 0
    assert opwright("stubs", "--check").status == 1
    assert opwright("export", "--opset", "18", "-o", "both.onnx").status == 2
    assert opwright("export", "--opset", "18", "-o", "more.onnx", "-p", "acme-more").status == 0
    assert os.path.getsize("more.onnx") > 0
    assert opwright("export", "--opset", "18").status == 0
    assert {"dist/acme-base-1.0.0-opset18.onnx", "dist/acme-more-2.1.0-opset18.onnx"} <= set(dists())


def test_pages_name_the_package_that_is_imported(packages: Path, opwright: Opwright) -> None:
    assert opwright("docs").status == 0
    page = Path("docs/reference/com.acme.more/Half.md").read_text()
    assert "from acme_more.opset1 import Half" in page
    assert "# Reference of acme-base, acme-more" in Path("docs/reference/README.md").read_text()


def test_a_new_function_of_a_domain_that_no_package_has(packages: Path, opwright: Opwright) -> None:
    ran = opwright("new", "function", "com.fresh/Thing")
    assert ran.status == 0
    assert "note OW137" in ran.out + ran.err
    assert "OW137" not in opwright("new", "function", "com.acme.more/Thing").out
    assert codes(opwright("build", "--json")) == ["OW137"]


@pytest.mark.long
def test_all_packages_are_tested_or_one(packages: Path, opwright: Opwright) -> None:
    ran = opwright("test", "--json", "--no-oracle", "-p", "acme-more")
    assert ran.status == 0, ran.out
    assert {line["function"] for line in ran.lines if line["event"] == "outcome"} == {"com.acme.more::Half@1"}
    assert ran.summary["packages"] == [{"library": "acme-more", "version": "2.1.0"}]
    both = opwright("test", "--json")
    assert both.status == 0, both.out
    assert {line["function"] for line in both.lines if line["event"] == "outcome"} == {
        "com.acme::Swish@1",
        "com.acme.more::Half@1",
    }
    for line in both.lines:
        validate(line, "test")


def test_a_selection_over_packages(packages: Path, opwright: Opwright) -> None:
    add_function("com.acme.more", "Twice", TWICE)
    assert [line["name"] for line in opwright("ls", "-s", "package:acme-more", "--json").lines] == ["Half", "Twice"]
    for selector in ("Half", "Twice", "Swish"):
        for command in ("build", "test"):
            ran = opwright(command, "-s", selector)
            assert ran.status == 0, ran.out
    assert opwright("stubs", "-s", "Half").status == 0
    assert not Path("library/acme_base").exists()
    assert opwright("ls", "-s", "Swish", "-p", "acme-more").status == 2


def test_what_is_right_is_written_though_another_package_is_not(packages: Path, opwright: Opwright) -> None:
    half = Path("specs/com.acme.more/Half/function.py")
    half.write_text(HALF.replace("X / 2", "Y / 2"))
    ran = opwright("build", "--json")
    assert (ran.status, codes(ran), dists()) == (1, ["OW302"], [])
    kept = opwright("build", "--keep-going", "--json")
    assert (kept.status, codes(kept)) == (1, ["OW302"]), "the error is told as before"
    assert dists() == [path for path in DISTS if "base" in path]
    assert [item["library"] for item in kept.summary["packages"]] == ["acme-base"]
    for line in kept.lines:
        validate(line, "build")
    told = opwright("build", "--keep-going").out
    assert "not built: acme-more" in told
    before = {path: Path(path).read_bytes() for path in dists()}
    half.write_text(HALF)
    assert opwright("build").status == 0
    assert dists() == DISTS
    assert {path: Path(path).read_bytes() for path in before} == before


def test_a_package_that_needs_a_wrong_one_is_not_written(packages: Path, opwright: Opwright) -> None:
    swish = Path("specs/com.acme/Swish/function.py")
    swish.write_text(swish.read_text().replace("return", "return Y +"))
    assert opwright("build", "--keep-going").status == 1
    assert dists() == []
