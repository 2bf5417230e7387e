from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright_build.spec.library_root import find_library
from opwright_build.spec.load import check_ceiling, load_library, newest_opset
from opwright_build.spec.model import OpsetRange
from opwright_build.spec.scaffold import new_function

from tests.work import calls_of

if TYPE_CHECKING:
    from .conftest import TinyLibrary

ROOT = Path(__file__).parents[2]
ON_POSIX = pytest.mark.skipif(os.name != "posix", reason="pipes and links of posix")


def refused(start: Path) -> list[str]:
    with pytest.raises(DiagnosticError) as caught:
        load_library(start)
    return [f"{item.place} {item.code}" for item in caught.value.diagnostics]


def test_a_sound_library(tiny: TinyLibrary) -> None:
    loaded = load_library(tiny.root)
    assert loaded.diagnostics == ()
    assert loaded.broken == ()
    assert loaded.library.root == tiny.root
    (package,) = loaded.library.packages
    assert (package.name, package.package, package.domains) == ("acme-ops", "acme_ops", ("com.acme",))
    assert package.opsets == OpsetRange(13, 22)
    assert loaded.packages == (package,)
    (domain,) = loaded.domains
    assert (domain.name, domain.version, domain.mirror, domain.emitted) == ("com.acme", 3, None, "com.acme")
    (version,) = loaded.versions
    assert version.identity == "com.acme::Swish@1"
    assert list(loaded.sources) == [tiny.library_file, tiny.domain_file, tiny.spec_file]


def test_our_own_library() -> None:
    loaded = load_library(ROOT)
    assert loaded.diagnostics == ()
    package = loaded.library.package("opwright-std")
    assert package.opsets == OpsetRange(13, 28)
    assert [(domain.name, domain.version, domain.mirror) for domain in loaded.domains] == [
        ("ai.onnx", 28, "opwright.ai.onnx"),
        ("ai.onnx.preview", 1, "opwright.ai.onnx.preview"),
        ("opwright.aten", 1, None),
    ]
    assert loaded.library.package("opwright-aten").opsets == OpsetRange(18, 28)
    for each in loaded.packages:
        assert check_ceiling(each, newest_opset()) is None


@pytest.mark.parametrize("start", [".", "specs", "specs/com.acme/Swish", "specs/com.acme/Swish/function.py"])
def test_found_upward(tiny: TinyLibrary, start: str) -> None:
    assert find_library(tiny.root / start) == tiny.root


def test_the_nearest_library_counts(tiny: TinyLibrary) -> None:
    tiny.write("inner/specs/library.yaml", "schema: 1\n")
    assert find_library(tiny.root / "inner") == tiny.root / "inner"


def test_no_library(tmp_path: Path) -> None:
    assert refused(tmp_path) == ["None OW110"]
    assert refused(tmp_path / "nothing") == ["None OW110"]


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (Path.mkdir, "is a folder, not a file"),
        pytest.param(lambda path: os.mkfifo(path), "is a pipe, not a file", marks=ON_POSIX),
        pytest.param(lambda path: path.symlink_to(path.name), "is a link that leads to no file", marks=ON_POSIX),
        pytest.param(lambda path: path.symlink_to("/dev/null"), "is a link that leads to no file", marks=ON_POSIX),
    ],
)
def test_what_has_the_name_of_a_library_is_told(make: Callable[[Path], object], what: str, tiny: TinyLibrary) -> None:
    """No library further up is taken for it, and none is begun around it."""
    inner = tiny.root / "inner"
    (inner / "specs").mkdir(parents=True)
    make(inner / "specs" / "library.yaml")
    for task in (find_library, lambda path: new_function("com.acme/Swish", path)):
        with pytest.raises(DiagnosticError) as caught:
            task(inner)
        (finding,) = caught.value.diagnostics
        assert (finding.code, finding.message) == ("OW115", f"specs/library.yaml {what}")
    assert os.listdir(inner) == ["specs"]
    assert os.listdir(inner / "specs") == ["library.yaml"]


def test_a_path_that_does_not_exist_is_no_part_of_the_library_above(tiny: TinyLibrary) -> None:
    assert refused(tiny.root / "specs" / "com.acme" / "Swsh") == ["None OW110"]


def test_versions_stand_in_order(tiny: TinyLibrary) -> None:
    spec = (tiny.root / tiny.spec_file).read_text("utf-8")
    for name in ("Zeta", "Alpha"):
        tiny.write(f"specs/com.acme/{name}/spec.yaml", spec.replace("Swish", name))
        tiny.write(f"specs/com.acme/{name}/function.py", "")
    tiny.write("specs/au.acme/domain.yaml", "schema: 1\nversion: 9\n")
    tiny.write("specs/au.acme/Swish/function.py", "")
    tiny.write(
        "specs/au.acme/Swish/spec.yaml",
        spec.replace("com.acme", "au.acme").replace(
            "since_version: 1", "versions: [{since_version: 9}, {since_version: 2}]"
        ),
    )
    assert [version.identity for version in load_library(tiny.root).versions] == [
        "au.acme::Swish@2",
        "au.acme::Swish@9",
        "com.acme::Alpha@1",
        "com.acme::Swish@1",
        "com.acme::Zeta@1",
    ]


def test_a_broken_spec_is_left_out_and_the_rest_loads(tiny: TinyLibrary) -> None:
    tiny.write("specs/com.acme/Bad/spec.yaml", "schema: [\n")
    tiny.write("specs/com.acme/Worse/spec.yaml", "schema: 1\nname: x\n")
    loaded = load_library(tiny.root)
    assert [version.identity for version in loaded.versions] == ["com.acme::Swish@1"]
    assert loaded.broken == ("com.acme::Bad", "com.acme::Worse")
    assert {item.place.file for item in loaded.diagnostics if item.place} == {
        "specs/com.acme/Bad/spec.yaml",
        "specs/com.acme/Worse/spec.yaml",
    }


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("schema: 1", "schema: 2", ["specs/library.yaml:1:9 OW111"]),
        ("library: acme-ops\n", "", ["specs/library.yaml:1:1 OW107"]),
        ("acme-ops", "acme/ops", ["specs/library.yaml:2:10 OW109"]),
        ("acme-ops", "-acme", ["specs/library.yaml:2:10 OW109"]),
        ("1.2.0", "1.2", ["specs/library.yaml:3:10 OW108"]),
        ("1.2.0", "one", ["specs/library.yaml:3:10 OW109"]),
        ("acme_ops", "Acme", ["specs/library.yaml:4:10 OW109"]),
        ("acme_ops", "opwright", ["specs/library.yaml:4:10 OW109"]),
        ('">=13,<=22"', '">=13"', ["specs/library.yaml:5:9 OW116"]),
        ('">=13,<=22"', "18", ["specs/library.yaml:5:9 OW108"]),
        ("schema: 1", "schema: 1\nlicense: Apache 2", ["specs/library.yaml:2:10 OW109"]),
        ("schema: 1", "schema: 1\nlicense: MIT AND", ["specs/library.yaml:2:10 OW109"]),
        ("schema: 1", "schema: 1\nlicense: (", ["specs/library.yaml:2:10 OW109"]),
        ("schema: 1", "schema: 1\nreadme: /README.md", ["specs/library.yaml:2:9 OW109"]),
        ("schema: 1", "schema: 1\nrequires: {opwright: '>=99'}", ["specs/library.yaml:2:22 OW120"]),
        ("schema: 1", "schema: 1\nrequires: {opwright: new}", ["specs/library.yaml:2:22 OW109"]),
        ("schema: 1", "schema: 1\nrequires: {onnx: '>=1'}", ["specs/library.yaml:2:12 OW106"]),
        ("schema: 1", "schema: 1\nopset: '==18'", ["specs/library.yaml:2:1 OW106"]),
        ("schema: 1", "schema: 1\nschema: 1", ["specs/library.yaml:2:1 OW104"]),
    ],
)
def test_library_file(tiny: TinyLibrary, old: str, new: str, expected: list[str]) -> None:
    tiny.edit(tiny.library_file, old, new)
    assert refused(tiny.root) == expected


@pytest.mark.parametrize(
    ("written", "taken"),
    [
        ("apache-2.0 or mit", "Apache-2.0 OR MIT"),
        ("Apache-2.0 WITH LLVM-exception", "Apache-2.0 WITH LLVM-exception"),
        ("LicenseRef-Acme", "LicenseRef-Acme"),
        ("''", ""),
    ],
)
def test_a_license_is_taken_as_spdx_spells_it(tiny: TinyLibrary, written: str, taken: str) -> None:
    tiny.edit(tiny.library_file, "schema: 1", f"schema: 1\nlicense: {written}")
    loaded = load_library(tiny.root)
    assert loaded.diagnostics == ()
    assert loaded.library.packages[0].license == taken


def test_requirement_is_held_against_the_given_version(tiny: TinyLibrary) -> None:
    tiny.edit(tiny.library_file, "schema: 1", "schema: 1\nrequires: {opwright: '>=0.5,<0.6'}")
    assert load_library(tiny.root, opwright_version="0.5.3").diagnostics == ()
    with pytest.raises(DiagnosticError):
        load_library(tiny.root, opwright_version="0.6.0")


def test_ceiling(tiny: TinyLibrary) -> None:
    (package,) = load_library(tiny.root).library.packages
    assert check_ceiling(package, 22) is None
    found = check_ceiling(package, 21)
    assert found is not None
    assert found.code == "OW121"
    assert str(found.place) == "specs/library.yaml:5:1"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("version: 3", "version: 0", ["specs/com.acme/domain.yaml:2:10 OW109"]),
        ("version: 3", "version: 3\ndomain: com.other", ["specs/com.acme/domain.yaml:3:9 OW112"]),
        ("version: 3", "version: 3\nmirror: opwright.acme", ["specs/com.acme/domain.yaml:3:9 OW114"]),
        ("version: 3", "verison: 3", ["specs/com.acme/domain.yaml:2:1 OW106"]),
        ("schema: 1", "schema: [", ["specs/com.acme/domain.yaml:3:1 OW101"]),
    ],
)
def test_domain_file(tiny: TinyLibrary, old: str, new: str, expected: list[str]) -> None:
    tiny.edit(tiny.domain_file, old, new)
    loaded = load_library(tiny.root)
    assert [f"{item.place} {item.code}" for item in loaded.diagnostics] == expected
    assert loaded.broken == ("com.acme::Swish",)
    assert loaded.versions == ()


def test_a_domain_may_repeat_its_name(tiny: TinyLibrary) -> None:
    tiny.edit(tiny.domain_file, "version: 3", "version: 3\ndomain: com.acme")
    assert tiny.findings() == []


@pytest.mark.parametrize("name", ["this", "body1", "com.acme.internal", "com acme", "9.acme", "a..b"])
def test_domains_that_are_refused(tiny: TinyLibrary, name: str) -> None:
    tiny.write(f"specs/{name}/domain.yaml", "schema: 1\nversion: 1\n")
    assert tiny.findings() == [f"specs/{name} OW113"]


@pytest.mark.parametrize(
    ("domain", "mirror", "expected"),
    [
        ("ai.onnx", "mirror: acme.ai.onnx", []),
        ("ai.onnx.ml", "mirror: acme.ml", []),
        ("ai.onnxx", "", []),
        ("ai.onnx", "", ["specs/ai.onnx/domain.yaml:1:1 OW114"]),
        ("ai.onnx", "mirror: ai.onnx", ["specs/ai.onnx/domain.yaml:3:9 OW114"]),
        ("ai.onnx", "mirror: ai.onnx.acme", ["specs/ai.onnx/domain.yaml:3:9 OW114"]),
        ("ai.onnx", "mirror: this", ["specs/ai.onnx/domain.yaml:3:9 OW114"]),
        ("ai.onnx", "mirror: com.acme", ["specs/ai.onnx/domain.yaml:3:1 OW114"]),
    ],
)
def test_mirrors(tiny: TinyLibrary, domain: str, mirror: str, expected: list[str]) -> None:
    tiny.write(f"specs/{domain}/domain.yaml", f"schema: 1\nversion: 1\n{mirror}\n")
    assert tiny.findings() == expected


def test_what_is_missing(tiny: TinyLibrary) -> None:
    tiny.write("specs/com.acme/Half/function.py", "")
    tiny.write("specs/org.other/Swish/spec.yaml", "schema: 1\n")
    assert tiny.findings() == [
        "specs/com.acme/Half/spec.yaml OW115",
        "specs/org.other/domain.yaml OW115",
    ]


def test_folders_that_hold_no_specs_are_passed_over(tiny: TinyLibrary) -> None:
    tiny.write("specs/notes/readme.md", "")
    tiny.write("specs/com.acme/released/release.lock", "")
    tiny.write("specs/com.acme/.draft/spec.yaml", "nonsense")
    tiny.write("specs/com.acme/__pycache__/x.pyc", "")
    (tiny.root / "specs/com.acme/Empty").mkdir()
    (tiny.root / "specs/nothing").mkdir()
    assert tiny.findings() == []


@pytest.mark.parametrize("name", ["a-b", "9a", "class", "None", "é", "F" * 201])
def test_folders_that_cannot_be_operators(tiny: TinyLibrary, name: str) -> None:
    tiny.write(f"specs/com.acme/{name}/spec.yaml", "schema: 1\n")
    assert tiny.findings() == [f"specs/com.acme/{name} OW112"]


def test_a_domain_has_a_name_that_files_can_have(tiny: TinyLibrary) -> None:
    domain = f"com.{'a' * 197}"
    tiny.write(f"specs/{domain}/domain.yaml", "schema: 1\nversion: 1\n")
    assert tiny.findings() == [f"specs/{domain} OW113"]


def test_links_out_of_the_library(tiny: TinyLibrary, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "Swish").mkdir(parents=True)
    (outside / "domain.yaml").write_text("secret: yes\n")
    (outside / "Swish" / "spec.yaml").write_text("secret: yes\n")
    (tiny.root / "specs/org.linked").symlink_to(outside)
    (tiny.root / "specs/com.acme/Linked").symlink_to(outside / "Swish")
    loaded = load_library(tiny.root)
    assert [f"{item.place} {item.code}" for item in loaded.diagnostics] == [
        "specs/com.acme/Linked OW127",
        "specs/org.linked OW127",
    ]
    assert all(b"secret" not in data for data in loaded.sources.values())


def test_the_path_of_the_library_enters_no_place(tiny: TinyLibrary) -> None:
    tiny.spec("outputs: {Y: T}\n", "")
    (item,) = load_library(tiny.root).diagnostics
    assert str(tiny.root) not in repr(item)


def test_the_loader_runs_nothing_of_a_spec(tiny: TinyLibrary) -> None:
    tiny.write("specs/com.acme/Swish/function.py", "raise SystemExit('run')")
    tiny.write("specs/com.acme/Swish/reference.py", "raise SystemExit('run')")
    tiny.spec("since_version: 1", "since_version: 1\nreference: reference.py")
    assert tiny.findings() == []


def test_loading_needs_neither_onnx_nor_numpy(tiny: TinyLibrary) -> None:
    code = (
        "import sys, pathlib; from opwright_build.spec.load import load_library;"
        "load_library(pathlib.Path(sys.argv[1]));"
        "print(sorted({'onnx', 'numpy', 'google'} & set(sys.modules)))"
    )
    path = [str(ROOT / "library"), str(ROOT / "buildtool")]
    run = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}; {code}", str(tiny.root)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert run.stdout.strip() == "[]"


def test_twice_the_specs_load_with_twice_the_work(tiny: TinyLibrary) -> None:
    spec = (tiny.root / tiny.spec_file).read_text("utf-8")
    load_library(tiny.root)
    work: list[int] = []
    for number in range(41):
        tiny.write(f"specs/com.acme/F{number}/spec.yaml", spec.replace("Swish", f"F{number}"))
        tiny.write(f"specs/com.acme/F{number}/function.py", "")
        if number in (19, 40):
            work.append(calls_of(lambda: load_library(tiny.root)))
    assert len(load_library(tiny.root).versions) == 42
    assert work[1] < 2.1 * work[0]


def test_a_spec_that_lies_too_deep_is_missed_where_it_ought_to_be(tiny: TinyLibrary) -> None:
    text = (tiny.root / "specs/com.acme/Swish/spec.yaml").read_text("utf-8")
    tiny.write("specs/com.acme/Other/v1/spec.yaml", text.replace("Swish", "Other"))
    assert tiny.findings() == ["specs/com.acme/Other/spec.yaml OW115"]
    tiny.write("specs/com.acme/notes/drawings/one.txt", "no spec\n")
    assert tiny.findings() == ["specs/com.acme/Other/spec.yaml OW115"]
