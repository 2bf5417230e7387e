"""What is built after edits has the bytes of a clean build, whatever was built before."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.shares import one_in

Opwright = Callable[..., Any]
LIBRARY = Path(__file__).parents[1] / "bundle" / "golden" / "library"
ACME = "specs/com.acme"


def replaced(file: str, *choices: tuple[str, str]) -> Callable[[random.Random], None]:
    """One of some replacements, or its inverse."""

    def edit(numbers: random.Random) -> None:
        path = Path(ACME, file)
        before, after = numbers.choice(choices)
        text = path.read_text()
        path.write_text(text.replace(before, after) if before in text else text.replace(after, before))

    return edit


def comment(numbers: random.Random) -> None:
    path = numbers.choice(sorted(Path(ACME).glob("*/function.py")))
    path.write_text(f"# {numbers.random()}\n{path.read_text()}")


def another_function(numbers: random.Random) -> None:
    """One that calls Gate comes, or goes."""
    folder = Path(ACME, "Thrice")
    if folder.exists():
        shutil.rmtree(folder)
        return
    shutil.copytree(Path(ACME, "Twice"), folder)
    for path in folder.iterdir():
        path.write_text(path.read_text().replace("Twice", "Thrice"))


EDITS: dict[str, Callable[[random.Random], None]] = {
    "a body": replaced("Gate/function.py", ("alpha * X", "X * alpha"), ("1 + op.Exp", "2 + op.Exp")),
    "a default of a callee": replaced("Gate/function.py", ("alpha: float = 1.0", "alpha: float = 1.5")),
    "a caller": replaced("Twice/function.py", ("alpha=2.0", "alpha=3.0")),
    "variants": replaced("Bound/spec.yaml", ("T: [float, double, int32]", "T: [float, int32]")),
    "a template": replaced("Map/function.py", ("body(items[i])", "body(body(items[i]))")),
    "a vector of a template": replaced("Map/vectors.yaml", ("y = Neg(x)", "y = Abs(x)")),
    "documentation": replaced("Bound/spec.yaml", ("Values within bounds.", "Values between bounds.")),
    "the domain": replaced("domain.yaml", ("version: 2", "version: 3")),
    "the library": replaced("../library.yaml", ('">=17,<=21"', '">=17,<=20"'), ("1.0.0", "1.0.1")),
    "a comment": comment,
    "a function": another_function,
}


def contents() -> dict[str, bytes]:
    paths = [*Path("dist").rglob("*"), *Path("library").rglob("*")]
    return {path.as_posix(): path.read_bytes() for path in sorted(paths) if path.is_file()}


@pytest.mark.parametrize("seed", one_in(2, range(2)))
def test_edits_lead_to_the_bytes_of_a_clean_build(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opwright: Opwright
) -> None:
    numbers = random.Random(seed)
    edited, clean = tmp_path / "edited", tmp_path / "clean"
    shutil.copytree(LIBRARY, edited)
    monkeypatch.chdir(edited)
    assert opwright("build", "--json").status == 0
    names = list(EDITS)
    numbers.shuffle(names)
    for position, name in enumerate(names):
        EDITS[name](numbers)
        if position % 3 == 2:  # several edits between two builds
            continue
        ran = opwright("build", "--json")
        assert ran.status == 0, (name, ran.out)
        built = contents()
        shutil.copytree(edited / "specs", clean / "specs")
        with monkeypatch.context() as elsewhere:
            elsewhere.chdir(clean)
            assert opwright("build", "--json").status == 0
            assert contents() == built, names[: position + 1]
        shutil.rmtree(clean)
        assert opwright("build", "--json").summary["actions_run"] == 0


def test_one_body_is_compiled_and_packaged_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opwright: Opwright
) -> None:
    shutil.copytree(LIBRARY, tmp_path / "library")
    monkeypatch.chdir(tmp_path / "library")
    assert opwright("build", "--json").status == 0
    EDITS["a caller"](random.Random(0))
    ran = opwright("build", "--json")
    done = [line["action"] for line in ran.lines if line["event"] == "action" and not line["cached"]]
    assert done == ["compile com.acme::Twice@1", "package", "library"]
    comment_in = Path(ACME, "Map", "function.py")
    comment_in.write_text(f"# nothing\n{comment_in.read_text()}")
    ran = opwright("build", "--json")
    done = [line["action"] for line in ran.lines if line["event"] == "action" and not line["cached"]]
    assert done == ["library"]


def test_a_comment_moves_places_and_compiles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opwright: Opwright
) -> None:
    """What prevents a variant is told at its place, wherever comments have moved it."""
    edited, clean = tmp_path / "edited", tmp_path / "clean"
    shutil.copytree(LIBRARY, edited)
    monkeypatch.chdir(edited)
    source = Path(ACME, "Bound", "function.py")
    source.write_text(source.read_text().replace("return X", "return op.ReduceMax(X, keepdims=0)"))
    spec = Path(ACME, "Bound", "spec.yaml")
    spec.write_text(spec.read_text().replace("int32]", "bool]"))  # which some opsets have, and some bodies
    before = opwright("opsets", "--json")
    assert before.status == 0 and f"{source.as_posix()}:" in before.out, before.out
    source.write_text("# one more\n\n" + source.read_text().replace("    return", "    # and another\n    return"))
    ran = opwright("build", "--json")
    done = [line["action"] for line in ran.lines if line["event"] == "action" and not line["cached"]]
    assert done == ["library"]
    after = opwright("opsets", "--json").out
    assert after != before.out
    shutil.copytree(edited / "specs", clean / "specs")
    monkeypatch.chdir(clean)
    assert opwright("opsets", "--json").out == after
