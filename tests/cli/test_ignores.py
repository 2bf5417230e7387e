"""Ignore comments through the command line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

Opwright = Callable[..., Any]
FUNCTION = Path("specs/com.acme/Swish/function.py")
SPEC = Path("specs/com.acme/Swish/spec.yaml")
COMMENT = "# opwright: ignore[{}] because"


def append(path: Path, comment: str) -> None:
    path.write_text(path.read_text().rstrip("\n") + f"  {comment}\n")


def test_a_comment_that_does_nothing_is_told_and_the_build_goes_on(library: Path, opwright: Opwright) -> None:
    append(FUNCTION, COMMENT.format("OW315"))
    append(SPEC, COMMENT.format("OW117"))
    ran = opwright("build", "--json")
    assert ran.status == 0
    found = [line["finding"] for line in ran.lines if line["event"] == "finding"]
    assert [(item["code"], item["severity"]) for item in found] == [("OW330", "warning")] * 2
    assert {item["place"]["file"] for item in found} == {FUNCTION.as_posix(), SPEC.as_posix()}
    again = opwright("build", "--json")
    assert [line["finding"] for line in again.lines if line["event"] == "finding"] == found
    assert again.summary["actions_run"] == 0


def test_a_comment_in_a_file_of_two_versions_is_told_once(library: Path, opwright: Opwright) -> None:
    append(FUNCTION, COMMENT.format("OW315"))
    versions = "versions:\n  - {since_version: 1}\n  - {since_version: 2, types: {T: [float]}}\n"
    SPEC.write_text(SPEC.read_text().replace("since_version: 1\n", versions))
    (SPEC.parents[1] / "domain.yaml").write_text("schema: 1\nversion: 2\n")
    ran = opwright("lint")
    assert ran.out.count("OW330") == 1, ran.out


def test_a_warning_of_verification_is_silenced_where_it_arises(library: Path, opwright: Opwright) -> None:
    (SPEC.parent / "vectors.yaml").write_text("schema: 1\nrows:\n  - {name: zero, inputs: {X: [0.0]}}\n")
    told = opwright("test", "--no-oracle", "--json")
    warnings = [line["finding"] for line in told.lines if line["event"] == "finding"]
    assert [(item["code"], item["severity"]) for item in warnings] == [("OW455", "warning")]
    [place] = {(item["place"]["file"], item["place"]["line"]) for item in warnings}
    lines = Path(place[0]).read_text().splitlines()
    lines[place[1] - 1] += f"  {COMMENT.format('OW455')}"
    Path(place[0]).write_text("\n".join(lines) + "\n")
    quiet = opwright("test", "--no-oracle", "--json")
    assert [line for line in quiet.lines if line["event"] == "finding"] == []
