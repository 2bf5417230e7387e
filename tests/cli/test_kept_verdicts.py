"""`opwright test` runs what has changed: verdicts are kept with all that they rest on."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from opwright_build.engine.action import decode_entry
from opwright_build.verify.run import admits, matrix, version_verdict
from opwright_build.verify.run.runtimes import OnnxRuntime

Opwright = Callable[..., Any]
FOLDER = Path("specs/com.acme/Swish")
OTHER = Path("specs/com.acme/Other")
CELLS = 18  # of each of the two functions


@pytest.fixture
def two(library: Path, opwright: Opwright) -> Path:
    """The base library with a second function, tested once."""
    shutil.copytree(FOLDER, OTHER)
    for path in OTHER.iterdir():
        path.write_text(path.read_text().replace("Swish", "Other"))
    assert opwright("test").status == 0
    return library


def cells(ran: Any) -> list[dict[str, Any]]:
    return [line for line in ran.lines if line["event"] == "outcome"]


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@contextmanager
def nothing_runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def run_tasks(*_: object, **__: object) -> None:
        raise AssertionError("something runs")

    with monkeypatch.context() as patch:
        patch.setattr(matrix, "run_tasks", run_tasks)
        yield


def test_a_second_run_runs_nothing_and_says_the_same(
    two: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = opwright("test", "--json", "--junit", "first.xml", "--rerun")
    assert first.summary["kept"] == 0
    with nothing_runs(monkeypatch):
        again = opwright("test", "--json", "--junit", "again.xml")
        assert opwright("test").out.splitlines()[-1].startswith("36 cells, 36 of them known from earlier runs; ")
        assert opwright("test", "--function", "Swish", "--json").summary["kept"] == CELLS
    assert again.status == 0
    assert again.summary["kept"] == 2 * CELLS
    assert cells(again) == cells(first)
    assert Path("again.xml").read_bytes() == Path("first.xml").read_bytes()


@pytest.mark.parametrize(
    ("file", "old", "new", "kept"),
    [
        (FOLDER / "function.py", "\ndef ", "\n# a comment\ndef ", 2 * CELLS),
        (FOLDER / "function.py", "X * op.Sigmoid(", "op.Identity(X) * op.Sigmoid(", CELLS),
        (FOLDER / "vectors.yaml", "rows:\n", "rows:\n  - {name: more, inputs: {X: [0.25]}}\n", 2 * CELLS),
        (FOLDER / "spec.yaml", "types: {T: [float, double]}", "types: {T: [float]}", CELLS),
        (FOLDER / "reference.py", "def ", "\n\ndef ", 2 * CELLS),
    ],
)
def test_an_edit_runs_what_it_concerns(
    two: Path, opwright: Opwright, file: Path, old: str, new: str, kept: int
) -> None:
    edit(file, old, new)
    ran = opwright("test", "--json")
    assert (ran.status, ran.summary["kept"]) == (0, kept)
    shutil.rmtree(".opwright")
    assert cells(opwright("test", "--json")) == cells(ran)


def test_a_tolerance_of_a_runtime_is_judged_again_on_its_cells_alone(two: Path, opwright: Opwright) -> None:
    own = "tolerance: {runtimes: {onnxruntime/full: {float: {ulp: 3}}}}"
    edit(FOLDER / "spec.yaml", "schema: 1\n", f"schema: 1\n{own}\n")
    again = CELLS // 2 // 3  # of two types and three runtimes
    ran = opwright("test", "--json")
    assert (ran.status, ran.summary["kept"]) == (0, 2 * CELLS - again)
    edit(FOLDER / "spec.yaml", "tolerance: {", "tolerance: {float: {ulp: 2}, ")
    ran = opwright("test", "--json")
    assert (ran.status, ran.summary["kept"]) == (0, 2 * CELLS - 2 * again), "what holds on the other two runtimes"
    edit(FOLDER / "spec.yaml", "ulp: 3", "ulp: 0, abs: 0")
    ran = opwright("test", "--json")
    outcomes = {(cell["runtime"], cell["status"]) for cell in cells(ran)}
    assert ran.status == 0 or ("onnxruntime/full", "fail") in outcomes
    assert not {runtime for runtime, status in outcomes if status == "fail"} - {"onnxruntime/full"}


def test_what_fails_is_run_again(two: Path, opwright: Opwright) -> None:
    edit(FOLDER / "vectors.yaml", "rows:\n", "rows:\n  - {name: wrong, inputs: {X: 0.0}, outputs: {Y: 1.0}}\n")
    first, again = opwright("test", "--json"), opwright("test", "--json")
    assert (first.status, again.status) == (1, 1)
    assert (first.summary["kept"], again.summary["kept"]) == (2 * CELLS, 2 * CELLS)
    assert cells(first) == cells(again)


@pytest.mark.parametrize("what", ["release", "build", "processor", "oracle"])
def test_another_machine_or_question_is_another_verdict(
    two: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    match what:
        case "release":
            monkeypatch.setattr(OnnxRuntime, "release", "99.0.0")
        case "build":
            built = version_verdict.installed_build
            monkeypatch.setattr(
                version_verdict,
                "installed_build",
                lambda name, folder: "another" if name == "onnxruntime" else built(name, folder),
            )
        case "processor":
            monkeypatch.setattr(version_verdict, "_processor", lambda: ["ANOTHER"])
    ran = opwright("test", "--json", *(["--no-oracle"] if what == "oracle" else []))
    assert ran.summary["kept"] == 0
    monkeypatch.undo()
    monkeypatch.chdir(two)
    assert opwright("test", "--json").summary["kept"] == 2 * CELLS


def test_a_file_that_changes_while_it_is_judged_is_judged_again(
    two: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = FOLDER / "vectors.yaml"
    edit(rows, "rows:\n", "rows:\n  - {name: zero, inputs: {X: 0.0}, outputs: {Y: 0.0}}\n")
    run_tasks = matrix.run_tasks

    def change(*given: Any, **options: Any) -> Any:
        edit(rows, "outputs: {Y: 0.0}", "outputs: {Y: 1.0}")
        return run_tasks(*given, **options)

    with monkeypatch.context() as patch:
        patch.setattr(matrix, "run_tasks", change)
        assert opwright("test", "--json").status == 0
    ran = opwright("test", "--json")
    assert (ran.status, ran.summary["kept"]) == (1, 2 * CELLS)


def damage(text: bytes) -> int:
    """Changes what holds that text, blobs and the files of records, and counts them."""
    damaged = 0
    for path in Path(".opwright/cache").rglob("*"):
        if path.is_file() and any(text in data for data in held(path)):
            path.write_bytes(path.read_bytes()[:-1] + b" ")
            damaged += 1
    return damaged


def held(path: Path) -> list[bytes]:
    """The results in a file of the cache."""
    data = path.read_bytes()
    entry = decode_entry(data.partition(b"\n")[2])
    return [data] if entry is None else list(entry[1].values())


def test_what_is_damaged_is_made_again(two: Path, opwright: Opwright) -> None:
    first = opwright("test", "--json")
    assert damage(b'"cells":') == 2
    again = opwright("test", "--json")
    assert (again.status, again.summary["kept"]) == (0, 2 * CELLS), "made of the results of its vectors"
    assert damage(b'"cells":') == damage(b'"keys":') == 2
    again = opwright("test", "--json")
    assert (again.status, again.summary["kept"]) == (0, 0)
    assert cells(again) == cells(first)


def test_the_lock_is_checked_each_time(two: Path, opwright: Opwright) -> None:
    Path("specs/vectors.lock").write_text("test_relu " + "0" * 64 + "\n")
    ran = opwright("test", "--json")
    assert ran.summary["kept"] == 2 * CELLS
    assert [line["finding"]["code"] for line in ran.lines if line["event"] == "finding"] == ["OW403"]


def test_types_of_bodies_are_compared_once(two: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[set[str]] = []

    def watched(bundle: Any, instantiated: Any, only: set[str], *others: Any) -> Any:
        compared.append(only)
        return admissions(bundle, instantiated, only, *others)

    admissions = admits.admissions
    monkeypatch.setattr(admits, "admissions", watched)
    edit(FOLDER / "vectors.yaml", "[1.0, -1.0]", "[2.0, -1.0]")
    assert opwright("test").status == 0
    edit(FOLDER / "function.py", "X * op.Sigmoid(", "op.Identity(X) * op.Sigmoid(")
    assert opwright("test").status == 0
    assert compared == [set(), {"com.acme::Swish@1"}]


def test_of_the_cells_at_one_opset_no_others_run(two: Path, opwright: Opwright) -> None:
    edit(FOLDER / "function.py", "X * op.Sigmoid(", "op.Identity(X) * op.Sigmoid(")
    opset = str(min(line["opset"] for line in cells(opwright("test", "--runtime", "reference", "--json"))))
    edit(FOLDER / "function.py", "op.Identity(X) *", "op.Identity(op.Identity(X)) *")
    part = opwright("test", "--opset", opset, "--json")
    assert part.status == 0
    assert {line["opset"] for line in cells(part)} == {int(opset)}
    edited = [line for line in cells(part) if line["function"] == "com.acme::Swish@1"]
    others = len(cells(part)) - len(edited)
    # Again its results are kept; of the whole no others are known.
    assert opwright("test", "--opset", opset, "--json").summary["kept"] == others + len(edited)
    assert opwright("test", "--json").summary["kept"] == CELLS + len(edited)


def test_a_spread_has_verdicts_of_its_own_and_the_results_of_the_whole(two: Path, opwright: Opwright) -> None:
    """These two functions have three bodies each, of one variant; one of them runs a second one."""
    spread = opwright("test", "--spread", "--json")
    opsets = {line["opset"] for line in cells(spread)}
    assert (spread.status, spread.summary["spread"], spread.summary["kept"]) == (0, True, len(cells(spread)))
    assert len(cells(spread)) == CELLS and len(opsets) == 2
    assert max(opsets) == max(line["opset"] for line in cells(opwright("test", "--json")))
    text = opwright("test", "--spread").out.splitlines()[-1]
    assert text.startswith("18 cells, a spread of the opsets, 18 of them known from earlier runs; ")
    refused = opwright("test", "--spread", "--update-gaps")
    assert refused.status == 2 and "OW907" in refused.out
    edit(FOLDER / "function.py", "X * op.Sigmoid(", "op.Identity(X) * op.Sigmoid(")
    assert opwright("test", "--spread", "--json").summary["kept"] == CELLS // 3
