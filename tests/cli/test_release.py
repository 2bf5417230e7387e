"""`opwright lock`, `diff` and `release`: what was released is kept, and a number is used once."""

import contextlib
import errno
import json
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opwright_build.engine import publish as engine_publish
from opwright_build.workflow import releasing
from opwright_build.workflow.built.library import BuiltLibrary, build_library
from opwright_build.workflow.opened import transaction
from opwright_build.workflow.opened.session import Session

from tests.output_lines import validate
from tests.shares import one_in

Opwright = Callable[..., Any]
FOLDER = Path("specs/com.acme/Swish")
FUNCTION = FOLDER / "function.py"
SPEC = FOLDER / "spec.yaml"
RELEASED = Path("specs/com.acme/released")
LIBRARY = Path("specs/library.yaml")
OTHER = Path("specs/com.acme/Other")
DOMAIN = Path("specs/com.acme/domain.yaml")


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def tree(folder: str = "specs") -> dict[str, bytes]:
    return {path.as_posix(): path.read_bytes() for path in sorted(Path(folder).rglob("*")) if path.is_file()}


def codes(ran: Any) -> list[str]:
    return [line["finding"]["code"] for line in ran.lines if line["event"] == "finding"]


def versions_in_dist() -> list[str]:
    found = []
    for path in sorted(Path("dist").glob("*.whl")):
        with zipfile.ZipFile(path) as wheel:
            (name,) = [name for name in wheel.namelist() if name.endswith("/METADATA")]
            found += [line[9:] for line in wheel.read(name).decode().splitlines() if line.startswith("Version: ")]
    return found


@pytest.fixture
def released(library: Path, opwright: Opwright) -> Path:
    assert opwright("release", "1.0.0").status == 0
    return library


def same_values() -> None:
    edit(FUNCTION, "X * op.Sigmoid(alpha * X)", "op.Sigmoid(alpha * X) * X")


def add_other(version: int) -> None:
    """The function Other, which is Swish under another name, at a version of the domain."""
    shutil.copytree(FOLDER, OTHER)
    for path in OTHER.iterdir():
        path.write_text(path.read_text().replace("Swish", "Other"))
    edit(OTHER / "spec.yaml", "since_version: 1", f"since_version: {version}")


def test_a_release_writes_lock_texts_notes_and_artefacts(library: Path, opwright: Opwright) -> None:
    assert opwright("build").status == 0
    assert versions_in_dist() == ["1.0.0"]
    before = tree()
    tried = opwright("release", "1.0.0", "--dry-run")
    assert tried.status == 0
    assert f"would write {RELEASED.as_posix()}/release.lock" in tried.out
    assert tree() == before
    assert opwright("release", "1.0.0").status == 0
    assert sorted(path.name for path in RELEASED.iterdir()) == ["1.0.0.md", "Swish-1.txt", "release.lock"]
    assert " = Sigmoid(" in (RELEASED / "Swish-1.txt").read_text()
    assert "`com.acme::Swish@1`: it is new" in Path("dist/base-1.0.0.md").read_text()
    assert versions_in_dist() == ["1.0.0"]
    assert opwright("lock", "--check").status == 0
    assert opwright("build", "--json").summary["actions_run"] == 0


def test_the_same_release_twice_is_one_release(released: Path, opwright: Opwright) -> None:
    before = tree(), tree("dist"), tree("library")
    again = opwright("release", "1.0.0")
    assert again.status == 0
    assert "was released with these contents already" in again.out
    assert (tree(), tree("dist"), tree("library")) == before


def test_between_releases_nothing_has_a_released_number(released: Path, opwright: Opwright) -> None:
    bundle = Path("dist/base-1.0.0.onnxlib").read_bytes()
    wheel = Path("dist/base-1.0.0-py3-none-any.whl").read_bytes()
    edit(SPEC, "summary: X", "summary: The value X")
    assert opwright("build").status == 0
    before, version = versions_in_dist()
    assert before == "1.0.0"
    assert version.startswith("1.0.1.dev0+g")
    assert len(version) == len("1.0.1.dev0+g") + 12
    names = sorted(path.name for path in Path("dist").glob("*.onnxlib"))
    assert names == ["base-1.0.0.onnxlib", "base-1.0.1.dev0.onnxlib"]
    assert Path("dist/base-1.0.0.onnxlib").read_bytes() == bundle
    assert Path("dist/base-1.0.0-py3-none-any.whl").read_bytes() == wheel
    refused = opwright("release", "1.0.0", "--json")
    assert (refused.status, codes(refused)) == (1, ["OW618"])
    edit(LIBRARY, "1.0.0", "1.2.0")
    assert opwright("build").status == 0
    assert versions_in_dist()[1].startswith("1.2.0.dev0+g")
    edit(LIBRARY, "1.2.0", "1.0.0")
    edit(SPEC, "summary: The value X", "summary: X")
    assert opwright("build").status == 0
    assert Path("dist/base-1.0.0.onnxlib").read_bytes() == bundle
    assert Path("dist/base-1.0.0-py3-none-any.whl").read_bytes() == wheel


def test_a_release_changes_the_number_in_place(released: Path, opwright: Opwright) -> None:
    LIBRARY.write_text(LIBRARY.read_text().replace("version: 1.0.0", "version: '1.0.0'   # the release"))
    edit(SPEC, "summary: X", "summary: The value X")
    assert opwright("release", "1.0.1").status == 0
    assert "version: '1.0.1'   # the release\n" in LIBRARY.read_text()
    assert versions_in_dist() == ["1.0.0", "1.0.1"]
    head = json.loads((RELEASED / "release.lock").read_text().splitlines()[0])
    assert [item["version"] for item in head["releases"]] == ["1.0.0", "1.0.1"]
    assert len({item["library"] for item in head["releases"]}) == 2


@pytest.mark.parametrize("number", ["1.0", "v1.0.0", "1.0.0rc1", "01.0.0", "1.0.0.0", "", "1.0.-1"])
def test_what_is_no_number_is_refused(library: Path, opwright: Opwright, number: str) -> None:
    before = tree()
    assert opwright("release", "--", number).status == 2
    assert tree() == before


@pytest.mark.parametrize(
    ("file", "old", "new", "line"),
    [
        (FUNCTION, "alpha: float = 1.0", "alpha: float = 2.0", 4),
        (SPEC, "{T: [float, double]}", "{T: [float]}", 9),
        (SPEC, "{T: [float, double]}", "{T: [float, double, float16]}", 9),
        (SPEC, 'opset: ">=18"', 'opset: ">=19"', 6),
        (SPEC, "outputs: {Y: T}", "outputs: {Z: T}", 8),
    ],
)
def test_every_command_sees_a_broken_promise_at_its_line(
    released: Path, opwright: Opwright, file: Path, old: str, new: str, line: int
) -> None:
    edit(file, old, new)
    dist = tree("dist")
    for command in ("build", "lint", "test", "lock"):
        ran = opwright(command, "--json")
        assert ran.status == 1
        findings = [item["finding"] for item in ran.lines if item["event"] == "finding"]
        assert [item["code"] for item in findings] == ["OW611"], findings
        assert (findings[0]["place"]["file"], findings[0]["place"]["line"]) == (file.as_posix(), line)
        assert "`since_version: 2`" in findings[0]["help"]
    assert opwright("release", "2.0.0").status == 1
    assert tree("dist") == dist


def test_a_folder_that_is_gone_is_told_at_the_lock(released: Path, opwright: Opwright) -> None:
    add_other(2)
    edit(DOMAIN, "version: 1", "version: 2")
    shutil.rmtree(FOLDER)
    ran = opwright("build", "--json")
    (finding,) = [item["finding"] for item in ran.lines if item["event"] == "finding"]
    assert (finding["code"], finding["place"]["file"], finding["place"]["line"]) == (
        "OW612",
        "specs/com.acme/released/release.lock",
        2,
    )


def test_what_was_deprecated_goes_with_a_major_release(released: Path, opwright: Opwright) -> None:
    add_other(2)
    edit(DOMAIN, "version: 1", "version: 2")
    edit(SPEC, "vectors:", "deprecated: true\nvectors:")
    assert codes(opwright("release", "1.0.1", "--json")) == ["OW617", "OW617"]
    assert opwright("release", "1.1.0").status == 0
    shutil.rmtree(FOLDER)
    assert codes(opwright("build", "--json")) == ["OW612"]
    assert opwright("release", "1.2.0").status == 1
    assert opwright("release", "2.0.0").status == 0
    assert sorted(path.name for path in RELEASED.iterdir()) == [
        "1.0.0.md",
        "1.1.0.md",
        "2.0.0.md",
        "Other-2.txt",
        "release.lock",
    ]
    assert opwright("build", "--json").summary["warnings"] == 0


def test_a_deprecated_version_does_not_go_while_an_older_one_stays(library: Path, opwright: Opwright) -> None:
    """Models of the domain's version 2 would get the older one."""
    kept = SPEC.read_text()
    add_version(FOLDER, 2)
    edit(SPEC, "since_version: 2,", "since_version: 2, deprecated: true,")
    edit(DOMAIN, "version: 1", "version: 2")
    assert opwright("release", "1.0.0", "--unverified").status == 0
    both = SPEC.read_text()
    SPEC.write_text(kept)
    before = tree()
    for command in (("build",), ("lock", "--check"), ("release", "2.0.0")):
        assert place_of(opwright(*command, "--json")) == ("OW612", SPEC.as_posix(), 5)
    assert tree() == before
    compared = opwright("diff", "--format", "json")
    (change,) = [line for line in compared.lines if line["event"] == "change"]
    assert (compared.status, change["kind"], change["after"]) == (1, "version-gone-above", "Swish@1")
    SPEC.write_text(both.replace("since_version: 1\n", "since_version: 1\n    deprecated: true\n"))
    assert opwright("release", "1.1.0", "--unverified").status == 0
    shutil.rmtree(FOLDER)
    assert opwright("release", "2.0.0", "--unverified").status == 0, "with all older ones"


def add_version(folder: Path, version: int) -> None:
    """A version of a function, which has another body."""
    edit(folder / "spec.yaml", "since_version: 1\n", "")
    with (folder / "spec.yaml").open("a") as file:
        file.write(f"versions:\n  - since_version: 1\n  - {{since_version: {version}, function: next.py}}\n")
    (folder / "next.py").write_text((folder / "function.py").read_text().replace("return X * ", "return 1.0 * X * "))


def place_of(ran: Any) -> tuple[str, str, int]:
    (finding,) = [line["finding"] for line in ran.lines if line["event"] == "finding"]
    return finding["code"], finding["place"]["file"], finding["place"]["line"]


def test_a_released_version_of_a_domain_gains_no_version_of_a_function(released: Path, opwright: Opwright) -> None:
    edit(DOMAIN, "version: 1", "version: 2")
    assert opwright("release", "1.0.1").status == 0
    assert opwright("build").status == 0
    add_version(FOLDER, 2)
    before = tree()
    for command in (("build",), ("test",), ("lock", "--check"), ("release", "2.0.0")):
        assert place_of(opwright(*command, "--json")) == ("OW624", SPEC.as_posix(), 13)
    assert tree() == before
    assert codes(opwright("diff", "--format", "json")) == ["OW620"]
    edit(SPEC, "since_version: 2", "since_version: 3")
    edit(DOMAIN, "version: 2", "version: 3")
    assert opwright("diff").status == 0
    assert opwright("release", "1.1.0").status == 0


def test_a_released_version_of_a_domain_gains_no_function(released: Path, opwright: Opwright) -> None:
    add_other(1)
    place = ("OW624", (OTHER / "spec.yaml").as_posix(), 5)
    assert place_of(opwright("build", "--json")) == place
    assert place_of(opwright("release", "1.1.0", "--json")) == place
    edit(OTHER / "spec.yaml", "since_version: 1", "since_version: 2")
    edit(DOMAIN, "version: 1", "version: 2")
    assert opwright("release", "1.1.0").status == 0
    shutil.rmtree(OTHER)
    edit(DOMAIN, "version: 2", "version: 1")
    assert codes(opwright("build", "--json")) == ["OW624", "OW612"]


def leave_out_deprecated(opwright: Opwright, folder: Path) -> None:
    """Releases 1.1.0, where the function is deprecated, and 2.0.0 without it."""
    edit(folder / "spec.yaml", "vectors:", "deprecated: true\nvectors:")
    assert opwright("release", "1.1.0").status == 0
    shutil.rmtree(folder)
    assert opwright("release", "2.0.0").status == 0


def test_a_name_that_was_released_and_left_out_is_not_given_again(released: Path, opwright: Opwright) -> None:
    """Swish was all that the domain had."""
    kept = shutil.copytree(FOLDER, "kept")
    leave_out_deprecated(opwright, FOLDER)
    shutil.copytree(kept, FOLDER)
    edit(FUNCTION, "op.Sigmoid", "op.Tanh")
    assert place_of(opwright("build", "--json")) == ("OW624", SPEC.as_posix(), 5)
    assert opwright("release", "2.1.0").status == 1
    assert opwright("release", "3.0.0").status == 1
    edit(SPEC, "since_version: 1", "since_version: 2")
    edit(DOMAIN, "version: 1", "version: 2")
    assert opwright("release", "2.1.0", "--unverified").status == 0
    edit(SPEC, "since_version: 2", "since_version: 1")
    assert "OW624" in codes(opwright("build", "--json")), "later releases remember it"


def test_the_functions_of_a_released_domain_do_not_go_with_its_file(released: Path, opwright: Opwright) -> None:
    shutil.copytree("specs/com.acme", "specs/com.other", ignore=shutil.ignore_patterns("released"))
    edit(Path("specs/com.other/Swish/spec.yaml"), "domain: com.acme", "domain: com.other")
    shutil.rmtree(FOLDER)
    DOMAIN.unlink()
    for command in (("build", "--json"), ("diff", "--format", "json")):
        assert place_of(opwright(*command)) == ("OW612", (RELEASED / "release.lock").as_posix(), 0)
    assert opwright("release", "2.0.0").status == 1


def test_a_domain_whose_versions_are_those_of_the_standard_gains_functions(library: Path, opwright: Opwright) -> None:
    """What models of a released version get stays, and no name is given twice."""
    domain = Path("specs/com.acme").rename("specs/ai.onnx")
    (domain / "domain.yaml").write_text("schema: 1\nversion: 20\nmirror: base.ai.onnx\n")
    edit(domain / "Swish/spec.yaml", "domain: com.acme", "domain: ai.onnx")
    assert opwright("release", "1.0.0").status == 0
    swish, other, third = (domain / name for name in ("Swish", "Other", "Third"))
    for folder in (other, third):
        shutil.copytree(swish, folder)
        for path in folder.iterdir():
            path.write_text(path.read_text().replace("Swish", folder.name))
    edit(other / "spec.yaml", "vectors:", "deprecated: true\nvectors:")
    assert opwright("release", "1.1.0").status == 0
    kept = shutil.copytree(other, "kept")
    shutil.rmtree(other)
    assert opwright("release", "2.0.0").status == 0
    add_version(swish, 20)
    assert place_of(opwright("build", "--json"))[:2] == ("OW624", (swish / "spec.yaml").as_posix())
    edit(domain / "domain.yaml", "version: 20", "version: 21")
    edit(swish / "spec.yaml", "since_version: 20", "since_version: 21")
    assert opwright("build").status == 0
    shutil.copytree(kept, other)
    assert place_of(opwright("build", "--json"))[:2] == ("OW624", (other / "spec.yaml").as_posix())


def test_nothing_is_accepted_before_the_first_release(library: Path, opwright: Opwright) -> None:
    for name in ("Nope", "Swish"):
        refused = opwright("lock", "--accept", name, "--reason", "x")
        assert (refused.status, "OW907: nothing has been released" in refused.out + refused.err) == (2, True)
    assert opwright("lock", "--all", "--reason", "x").status == 0, "all that there are"


def test_a_new_body_waits_until_it_is_accepted(released: Path, opwright: Opwright) -> None:
    same_values()
    built = opwright("build", "--json")
    assert (built.status, codes(built)) == (0, ["OW613"])
    assert codes(opwright("build", "--json")) == ["OW613"]
    tested = opwright("test", "--json")
    assert (tested.status, codes(tested)) == (0, ["OW613"])
    assert codes(opwright("release", "1.0.1", "--json")) == ["OW616"]
    assert opwright("lock", "--check").status == 1
    assert opwright("lock").status == 0
    assert opwright("lock", "--accept", "Swish").status == 2
    assert opwright("lock", "--reason", "why").status == 2
    before = tree()
    accepted = opwright("lock", "--accept", "Swish", "--within", "exact", "--reason", "shorter", "--json")
    assert (accepted.status, accepted.summary["accepted"]) == (0, ["com.acme::Swish@1"])
    assert tree() != before
    assert codes(opwright("build", "--json")) == []
    assert opwright("lock", "--check").status == 0
    assert opwright("release", "1.0.1").status == 0
    assert "another" not in Path("dist/base-1.0.1.md").read_text()
    assert "its body differs, exact: shorter" in Path("dist/base-1.0.1.md").read_text()


def test_values_that_move_are_accepted_within_the_tolerance_alone(released: Path, opwright: Opwright) -> None:
    edit(FUNCTION, "X * op.Sigmoid(alpha * X)", "X / (1.0 + op.Exp(-(alpha * X)))")
    edit(FOLDER / "vectors.yaml", "[1.0, -1.0]", "[1.0, -1.0, 0.3, 0.7, -2.9, 3.1, 0.11, -0.77]")
    ran = opwright("build", "--json")
    (finding,) = [item["finding"] for item in ran.lines if item["event"] == "finding"]
    assert finding["code"] == "OW613"
    assert " ulp (" in finding["reason"]
    refused = opwright("lock", "--all", "--within", "exact", "--reason", "a division less", "--json")
    assert (refused.status, "OW616" in codes(refused)) == (1, True)
    assert opwright("lock", "--all", "--reason", "a division less").status == 0
    assert codes(opwright("build", "--json")) == []


def test_another_meaning_is_an_error_and_cannot_be_accepted(released: Path, opwright: Opwright) -> None:
    edit(FUNCTION, "op.Sigmoid", "op.Tanh")
    ran = opwright("build", "--json")
    assert (ran.status, codes(ran)) == (1, ["OW614"])
    before = tree()
    assert opwright("lock", "--all", "--reason", "better").status == 1
    assert opwright("release", "2.0.0").status == 1
    assert tree() == before


def wrong_values() -> None:
    edit(FUNCTION, "op.Sigmoid", "op.Tanh")


def test_what_fails_on_its_vectors_is_not_released(library: Path, opwright: Opwright) -> None:
    wrong_values()
    before = tree()
    for words in (("--dry-run",), ()):
        assert place_of(opwright("release", "1.0.0", *words, "--json"))[:2] == (
            "OW626",
            (FOLDER / "vectors.yaml").as_posix(),
        )
    assert tree() == before
    assert codes(opwright("test", "--lf", "--json")) == ["OW450"], "it is known as failed"
    edit(FUNCTION, "op.Tanh", "op.Sigmoid")
    assert opwright("release", "1.0.0").status == 0


def test_a_release_runs_what_is_not_known(library: Path, opwright: Opwright) -> None:
    assert opwright("test").status == 0
    first = opwright("release", "1.0.0")
    assert (first.status, "verifying" in first.err) == (0, False), "what was tested is known"
    again = opwright("release", "1.0.0")
    assert (again.status, "verifying" in again.err) == (0, False)
    shutil.rmtree(".opwright")
    edit(SPEC, "for each element", "for each of the elements")
    patch = opwright("release", "1.0.1")
    assert (patch.status, "verifying" in patch.err) == (0, False), "its bodies are those that were released"


def test_what_is_released_unverified_is_verified_when_it_changes(library: Path, opwright: Opwright) -> None:
    wrong_values()
    ran = opwright("release", "1.0.0", "--unverified")
    assert (ran.status, "verifying" in ran.err) == (0, False)
    assert opwright("release", "1.0.1").status == 0
    edit(FUNCTION, "X * op.Tanh(alpha * X)", "op.Tanh(alpha * X) * X")
    assert opwright("lock", "--accept", "Swish", "--reason", "shorter").status == 0
    assert codes(opwright("release", "1.0.2", "--json")) == ["OW626"]
    assert opwright("release", "1.0.2", "--unverified").status == 0
    assert opwright("release", "1.0.3").status == 0


def test_a_lock_that_was_edited_stops_everything(released: Path, opwright: Opwright) -> None:
    lock = RELEASED / "release.lock"
    edit(lock, '"name":"Swish"', '"name":"Swosh"')
    for command in (("build",), ("lock", "--check"), ("release", "1.0.1"), ("diff",)):
        assert opwright(*command).status == 1
    (finding,) = [item["finding"] for item in opwright("build", "--json").lines if item["event"] == "finding"]
    assert (finding["code"], finding["place"]["line"]) == ("OW610", 2)


def test_line_ends_of_windows_are_no_edit(released: Path, opwright: Opwright) -> None:
    for path in RELEASED.iterdir():
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert opwright("lock", "--check").status == 0


def test_a_deprecated_function_that_is_gone_is_not_as_it_was_released(released: Path, opwright: Opwright) -> None:
    add_other(2)
    edit(DOMAIN, "version: 1", "version: 2")
    edit(OTHER / "spec.yaml", "vectors:", "deprecated: true\nvectors:")
    assert opwright("release", "1.1.0").status == 0
    shutil.rmtree(OTHER)
    for command in (("lock",), ("lock", "--check")):
        ran = opwright(*command)
        (row,) = [line for line in ran.out.splitlines() if line.startswith("com.acme::Other@2 ")]
        assert row.split()[-1] == "gone"
        assert "2 versions of release 1.1.0 locked, 1 gone; " in ran.out


def test_a_text_that_was_edited_is_found(released: Path, opwright: Opwright) -> None:
    edit(RELEASED / "Swish-1.txt", " = Sigmoid(", " = Tanh(")
    assert opwright("build").status == 0  # it stands on the lock, and needs no released body
    ran = opwright("lock", "--check", "--json")
    assert ran.status == 1
    assert set(codes(ran)) == {"OW610"}
    same_values()
    assert opwright("build").status == 1


# ------------------------------------------------------------------------------------------------- diff


def git(*words: str) -> None:
    options = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *options, *words], check=True, capture_output=True)


def test_a_revision_is_compared_without_running_anything_of_it(library: Path, opwright: Opwright) -> None:
    git("init", "-q")
    trap = library / "trap"
    for hook in ("post-checkout", "pre-commit"):
        path = library / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch '{trap}'\n")
        path.chmod(0o755)
    Path(".gitattributes").write_text("*.py filter=evil\nspecs/** export-subst\n")
    git("add", "-A")
    git("commit", "-q", "-n", "-m", "one")
    git("config", "filter.evil.smudge", f"touch '{trap}'")
    git("config", "core.fsmonitor", f"touch '{trap}'")
    assert opwright("diff", "--against", "git:HEAD").status == 0
    edit(FUNCTION, "alpha: float = 1.0", "alpha: float = 2.0")
    ran = opwright("diff", "--against", "git:HEAD", "--format", "json")
    (change,) = [line for line in ran.lines if line["event"] == "change"]
    assert (ran.status, change["level"], change["kind"], change["breaking"]) == (1, "wire", "default", True)
    assert not trap.exists()
    for revision in ("git:nowhere", "git:--upload-pack=x", "git:", "git:HEAD:specs"):
        ran = opwright("diff", "--against", revision, "--format", "json")
        assert (ran.status, codes(ran)) == (2, ["OW619"])


@pytest.mark.parametrize("above", [".", ".."])
def test_a_revision_has_the_texts_that_its_library_names(above: str, library: Path, opwright: Opwright) -> None:
    texts = "readme: docs/README.md\nlicense_files: [LICENSE, specs/com.acme/NOTICE]\n"
    with Path("specs/library.yaml").open("a") as stream:
        stream.write(texts)
    Path("docs").mkdir()
    for text in ("docs/README.md", "LICENSE", "specs/com.acme/NOTICE"):
        Path(text).write_text("As it was.\n")
    git("-C", above, "init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    edit(Path("specs/library.yaml"), texts, "")
    shutil.rmtree("docs")
    edit(FUNCTION, "alpha: float = 1.0", "alpha: float = 2.0")
    ran = opwright("diff", "--against", "git:HEAD", "--format", "json")
    assert [line["kind"] for line in ran.lines if line["event"] == "change"] == ["default"], ran.out


def test_a_new_library_is_compared_with_its_first_commit(
    tmp_path: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert opwright("new", "library", "acme-ops").status == 0
    monkeypatch.chdir("acme-ops")
    assert opwright("new", "function", "com.acme/Scale").status == 0
    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    ran = opwright("diff", "--against", "git:HEAD")
    assert (ran.status, "nothing that users see differs" in ran.out + ran.err) == (0, True), ran.out


def test_a_bundle_is_compared_with_figures_and_notes(library: Path, opwright: Opwright) -> None:
    assert opwright("build").status == 0
    old = Path("before.onnxlib")
    shutil.copy("dist/base-1.0.0.onnxlib", old)
    assert opwright("diff", "--against", str(old)).status == 0
    edit(FUNCTION, "X * op.Sigmoid(alpha * X)", "X / (1.0 + op.Exp(-(alpha * X)))")
    edit(FOLDER / "vectors.yaml", "[1.0, -1.0]", "[1.0, -1.0, 0.3, 0.7, -2.9, 3.1, 0.11, -0.77]")
    ran = opwright("diff", "--against", str(old), "--notes", "notes.md", "--format", "json")
    (change,) = [line for line in ran.lines if line["event"] == "change"]
    assert (ran.status, change["kind"]) == (0, "values-close")
    assert " ulp (" in change["after"]
    assert "### Values" in Path("notes.md").read_text()
    for line in ran.lines:
        validate(line, "diff")


@pytest.mark.parametrize(
    "edits",
    [
        [(SPEC, "outputs: {Y: T}", "outputs: {Z: T}")],
        [(SPEC, "{T: [float, double]}", "{T: [float, double, float16]}")],
        [(SPEC, "{X: T}", "{X: S}"), (SPEC, "{Y: T}", "{Y: S}"), (SPEC, "{T: [", "{S: [")],
    ],
)
def test_a_diff_with_the_lock_tells_what_a_build_refuses(
    released: Path, opwright: Opwright, edits: list[tuple[Path, str, str]]
) -> None:
    """A change that breaks nothing, and that a released version may not have."""
    shutil.copy("dist/base-1.0.0.onnxlib", "before.onnxlib")
    for file, old, new in edits:
        edit(file, old, new)
    built, ran = opwright("build", "--json"), opwright("diff", "--format", "json")
    assert (ran.status, codes(ran)) == (1, ["OW611"])
    assert place_of(ran) == place_of(built)
    (change,) = [line for line in ran.lines if line["event"] == "change"]
    assert (change["breaking"], change["effect"]) == (False, "refused")
    for line in ran.lines:
        validate(line, "diff")
    assert opwright("diff", "--against", "before.onnxlib").status == 0, "of a state that is no lock nothing is held"


def test_a_function_that_is_added_below_a_release_is_refused_by_a_diff(released: Path, opwright: Opwright) -> None:
    add_other(1)
    ran = opwright("diff", "--format", "json")
    assert (ran.status, codes(ran)) == (1, ["OW624"])
    shutil.copy("dist/base-1.0.0.onnxlib", "before.onnxlib")
    assert opwright("diff", "--against", "before.onnxlib").status == 0


def test_a_diff_as_sarif(library: Path, opwright: Opwright) -> None:
    assert opwright("build").status == 0
    shutil.copy("dist/base-1.0.0.onnxlib", "before.onnxlib")
    edit(SPEC, "{T: [float, double]}", "{T: [float]}")
    ran = opwright("diff", "--against", "before.onnxlib", "--format", "sarif")
    log = json.loads(ran.out)
    (result,) = log["runs"][0]["results"]
    assert (ran.status, result["ruleId"]) == (1, "OW620")
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == SPEC.as_posix()


def test_output_has_its_schemas(released: Path, opwright: Opwright) -> None:
    same_values()
    for words in (
        ("lock",),
        ("lock", "--check"),
        ("release", "1.0.1"),
        ("lock", "--all", "--reason", "x"),
        ("release", "1.0.1"),
    ):
        ran = opwright(*words, "--json")
        for line in ran.lines:
            validate(line, words[0])


# ---------------------------------------------------------------------------------------------- crashes


class _KilledError(BaseException):
    """Stands for the process being killed."""


@pytest.mark.parametrize("moment", one_in(2, range(8)))
def test_a_release_that_dies_leaves_the_old_state_or_the_new(
    library: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    old = tree()
    shutil.copytree(library, library.parent / "other")
    monkeypatch.chdir(library.parent / "other")
    assert opwright("release", "1.1.0").status == 0
    new = tree()
    monkeypatch.chdir(library)
    steps = 0

    def dying(step: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **options: Any) -> Any:
            nonlocal steps
            if steps == moment:
                steps += 1
                raise _KilledError
            steps += 1
            return step(*arguments, **options)

        return run

    with monkeypatch.context() as patch:
        for name in ("create", "_settle", "_put"):
            patch.setattr(transaction, name, dying(getattr(transaction, name)))
        with contextlib.suppress(_KilledError):
            opwright("release", "1.1.0")
    assert opwright("build").status == 0
    found = {path: data for path, data in tree().items() if not path.endswith(".opwright-tmp")}
    assert found in (old, new)
    assert opwright("release", "1.1.0").status == 0
    assert {path: data for path, data in tree().items() if not path.endswith(".opwright-tmp")} == new


def test_a_release_whose_artefacts_find_no_room_is_one(
    library: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "dist/x")

    def full_later(session: Session, *version: str) -> BuiltLibrary:
        if not version:  # the build of what was released
            full()
        return build_library(session, *version)

    for module, name, fault, missing in (
        (engine_publish, "create", full, "missing or of an earlier build are dist/base-1.0.0"),
        (releasing, "build_library", full_later, "its artefacts in dist/ and library/ are missing"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, fault)
            ran = opwright("release", "1.0.0", "--unverified", "--json")
        found = {item["finding"]["code"]: item["finding"] for item in ran.lines if item["event"] == "finding"}
        assert (ran.status, "OW627" in found) == (3, True), ran.out
        assert missing in found["OW627"]["reason"]
        assert "`opwright release 1.0.0` again" in found["OW627"]["help"]
        assert opwright("lock", "--check").status == 0
        assert versions_in_dist() == []
    assert opwright("release", "1.0.0", "--unverified").status == 0
    assert versions_in_dist() == ["1.0.0"]


def test_a_release_that_finds_no_room_is_finished_by_the_next_command(
    library: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = transaction.create

    def full(path: Path, data: bytes, durable: bool) -> None:
        if path.name.startswith(".library.yaml"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        real(path, data, durable=durable)

    with monkeypatch.context() as patch:
        patch.setattr(transaction, "create", full)
        ran = opwright("release", "1.2.0", "--unverified")
    assert ran.status == 3
    assert "the next command finishes what was begun" in ran.out
    assert "1.2.0" not in LIBRARY.read_text()
    assert opwright("lock", "--check").status == 0
    assert "1.2.0" in LIBRARY.read_text()


def test_a_forged_record_of_a_release_writes_nothing(library: Path, opwright: Opwright) -> None:
    assert opwright("build").status == 0
    before = tree()
    record = Path(".opwright") / transaction.JOURNAL
    record.write_text(json.dumps({"files": {"specs/library.yaml": "aGFja2Vk", "../x": "aA=="}, "format": 1}))
    assert opwright("build").status == 0
    assert tree() == before
    assert not record.exists()
    assert not os.path.exists("../x")


def copy_domain(name: str) -> None:
    """A domain with the functions of com.acme."""
    shutil.copytree("specs/com.acme", f"specs/{name}", ignore=shutil.ignore_patterns("released"))
    for path in Path("specs", name).rglob("*.*"):
        path.write_text(path.read_text().replace("com.acme", name))


def changes(ran: Any) -> list[tuple[str, str, str]]:
    lines = [line for line in ran.lines if line["event"] == "change"]
    return [(line["kind"], line["what"] or line["function"], line["effect"]) for line in lines]


def test_the_names_of_the_first_domain_stay_with_it(released: Path, opwright: Opwright) -> None:
    """What `from base import opset1` is."""
    copy_domain("com.zzz")
    assert changes(opwright("diff", "--format", "json")) == [("function-added", "com.zzz::Swish@1", "compatible")]
    assert opwright("release", "1.1.0", "--unverified").status == 0
    copy_domain("com.aaa")
    added = [("first-domain", "com.aaa", "breaking"), ("function-added", "com.aaa::Swish@1", "compatible")]
    for against in ("lock", "dist/base-1.1.0.onnxlib"):
        compared = opwright("diff", "--format", "json", "--against", against)
        assert (compared.status, changes(compared)) == (1, added)
    assert place_of(opwright("release", "1.2.0", "--json")) == ("OW617", "specs/com.aaa/domain.yaml", 2)
    assert opwright("release", "2.0.0", "--unverified").status == 0
    assert "`opset1` are of the domain com.aaa, and were of com.acme" in Path("dist/base-2.0.0.md").read_text()


def share_domains(base: str, more: str) -> None:
    """The domains of two packages, at the releases that they have now."""
    versions = dict(re.findall(r"library: (\w+), version: ([\d.]+)", LIBRARY.read_text()))
    LIBRARY.write_text(
        'schema: 1\nopsets: ">=18,<=22"\npackages:\n'
        f"  - {{library: base, version: {versions.get('base', '1.0.0')}, package: base, domains: [{base}]}}\n"
        f"  - {{library: more, version: {versions.get('more', '3.0.0')}, package: more, domains: [{more}]}}\n"
    )


@pytest.mark.parametrize("order", ["com.more, com.zzz", "com.zzz, com.more"])
@pytest.mark.parametrize("first", one_in(2, ["base", "more"]))
def test_a_domain_moves_to_another_package_with_a_major_release(
    library: Path, opwright: Opwright, order: str, first: str
) -> None:
    for name in ("com.more", "com.zzz"):
        copy_domain(name)
    share_domains("com.zzz, com.acme", "com.more")
    assert opwright("release", "1.0.0", "-p", "base", "--unverified").status == 0
    assert opwright("release", "3.0.0", "-p", "more", "--unverified").status == 0
    git("init", "-q")
    git("add", "specs")
    git("commit", "-q", "-m", "1.0.0")
    share_domains("com.acme", order)
    moved, taken = ("domain-moved", "com.zzz", "breaking"), ("domain-taken", "com.zzz", "compatible")
    assert changes(opwright("diff", "--format", "json")) == [moved, taken]
    checked = opwright("lock", "--check")
    assert checked.status == 0
    assert "the domain com.zzz is of the package more, and was released in base" in checked.out
    for package in (first, "base" if first == "more" else "more"):
        patch, step = {"base": ("1.0.1", "2.0.0"), "more": ("3.0.1", "3.1.0")}[package]
        place = ("OW617", LIBRARY.as_posix(), 5)
        assert place_of(opwright("release", patch, "-p", package, "--json")) == place
        ran = opwright("release", step, "-p", package, "--unverified")
        assert ran.status == 0
        assert "Nothing that users see" not in ran.out
        assert opwright("lock", "--check").status == 0, "no release is forgotten"
    assert opwright("diff").status == 0
    edit(Path("specs/com.zzz/Swish/spec.yaml"), "summary: X", "summary: The value X")
    edit(SPEC, "summary: X", "summary: The value X")
    assert opwright("release", "2.0.1", "-p", "base", "--unverified").status == 0
    assert opwright("release", "3.1.1", "-p", "more", "--unverified").status == 0
    git("commit", "-q", "-a", "-m", "3.1.1")
    share_domains("com.zzz, com.acme", "com.more")
    assert changes(opwright("diff", "--format", "json")) == [taken, moved]
    assert opwright("release", "2.1.0", "-p", "base", "--unverified").status == 0
    assert opwright("lock", "--check").status == 0


def test_packages_are_released_one_by_one(library: Path, opwright: Opwright) -> None:
    LIBRARY.write_text(
        'schema: 1\nopsets: ">=18,<=22"\npackages:\n'
        "  - {library: base, version: 1.0.0, package: base, domains: [com.acme]}\n"
        "  - {library: more, version: 0.1.0, package: more, domains: [com.more]}\n"
    )
    copy_domain("com.more")
    assert opwright("release", "0.2.0", "-p", "more").status == 0
    assert "{library: more, version: 0.2.0," in LIBRARY.read_text()
    assert "{library: base, version: 1.0.0," in LIBRARY.read_text()
    assert Path("specs/com.more/released/release.lock").is_file()
    assert not RELEASED.exists()
    assert opwright("build").status == 0
    assert sorted(versions_in_dist()) == ["0.2.0", "1.0.0"]
    assert opwright("diff", "--against", "lock", "-p", "more").status == 0


def test_builds_keep_the_artefacts_of_releases(released: Path, opwright: Opwright) -> None:
    """Whatever is built after a release, its bundle and its wheel stay as they are until somebody removes them."""
    of_release = {path: data for path, data in tree("dist").items() if "1.0.0" in path}
    assert len(of_release) == 3
    edit(SPEC, "summary: X", "summary: The value X")
    assert opwright("build").status == 0
    assert {path: data for path, data in tree("dist").items() if path in of_release} == of_release
    assert opwright("diff", "--against", "dist/base-1.0.0.onnxlib").status == 0
    assert opwright("release", "1.0.1").status == 0
    edit(SPEC, "summary: The value X", "summary: X")
    assert opwright("build", "-p", "base").status == 0
    names = {Path(path).name for path in tree("dist")}
    assert {"base-1.0.0.onnxlib", "base-1.0.1.onnxlib", "base-1.0.2.dev0.onnxlib"} <= names
    assert opwright("release", "1.0.2").status == 0
    names = {Path(path).name for path in tree("dist")}
    assert "base-1.0.2.dev0.onnxlib" not in names and "base-1.0.0.onnxlib" in names


def test_bodies_that_draw_cannot_be_compared_and_no_vector_is_asked_for(library: Path, opwright: Opwright) -> None:
    edit(FUNCTION, "return ", "return op.RandomUniformLike(X) + 0 * ")
    (FOLDER / "vectors.yaml").write_text(
        "schema: 1\nrows:\n  - {name: a, inputs: {X: [1.0, 2.0]}, outputs: {Y: [0.5, 0.5]}, "
        "random: {mean: 0.5, within: 0.6}}\n"
    )
    assert opwright("release", "1.0.0", "--unverified").status == 0
    edit(FUNCTION, "op.RandomUniformLike(X) + 0", "op.Abs(op.RandomUniformLike(X)) + 0")
    accept = ("lock", "--accept", "Swish", "--reason", "order")
    asked = {"OW615": ("build",), "OW625": ("diff", "--against", "lock"), "OW616": accept}
    for code, words in asked.items():
        told = opwright(*words).out
        assert code in told
        assert "; values that are drawn at random differ from run to run\n" in told
        assert "no vector can compare values that are drawn: compare the sources" in told
        assert "add vectors" not in told
    assert opwright(*accept, "--unjudged").status == 0
