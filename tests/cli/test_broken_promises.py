"""Attacks on what was released, each played on a library of two functions: every one is an error, at its line."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

Opwright = Callable[..., Any]
FOLDER = Path("specs/com.acme")
SWISH, TWICE, RELEASED = FOLDER / "Swish", FOLDER / "Twice", FOLDER / "released"
LOCK = RELEASED / "release.lock"
DOMAIN = FOLDER / "domain.yaml"
SPEC = """\
schema: 1
domain: com.acme
name: Twice
summary: Swish of Swish, of what is above a limit.
since_version: 1
opset: ">=18"
inputs: {X: T, low: T}
outputs: {Y: T}
types: {T: [float, double]}
vectors: [vectors.yaml]
implements:
  operator: acme::twice
  schema: "acme::twice(Tensor X, Tensor? low=None, str mode='a', *, int times=2, bool flag=True) -> Tensor"
  promotion: {T: kept}
"""
FUNCTION = """\
from typing import Literal

from base import opset1 as acme
from opwright import opset18 as op


def Twice(X, low=None, mode: Literal["a", "b"] = "a", *, times: int = 2, flag: bool = True):
    if low is not None:
        X = op.Max(X, low)
    if mode == "b":
        X = op.Relu(X)
    return acme.Swish(acme.Swish(X)) * times
"""
ROWS = """\
schema: 1
rows:
  - {name: zero, inputs: {X: [0.0]}, outputs: {Y: [0.0]}}
  - {name: low, inputs: {X: [-1.0], low: 0.0}, outputs: {Y: [0.0]}}
  - {name: b, inputs: {X: [-1.0]}, attributes: {mode: b}, outputs: {Y: [0.0]}}
  - {name: both, inputs: {X: [-1.0], low: 0.0}, attributes: {mode: b}, outputs: {Y: [0.0]}}
"""


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def git(*words: str) -> None:
    options = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *options, *words], check=True, capture_output=True)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept") / "released"


@pytest.fixture
def released(kept: Path, library: Path, opwright: Opwright) -> Path:
    """The library with its release 1.0.0, which is made once."""
    if not kept.exists():
        TWICE.mkdir()
        for name, text in (("spec.yaml", SPEC), ("function.py", FUNCTION), ("vectors.yaml", ROWS)):
            (TWICE / name).write_text(text)
        ran = opwright("release", "1.0.0")
        assert ran.status == 0, ran.out
        shutil.copytree(library, kept)
    shutil.copytree(kept, library, dirs_exist_ok=True)
    return library


def found_by(ran: Any) -> list[tuple[str, str, int]]:
    findings = [line["finding"] for line in ran.lines if line["event"] == "finding"]
    return [(item["code"], item["place"]["file"], item["place"]["line"]) for item in findings]


T_SPEC, T_FUNCTION = "specs/com.acme/Twice/spec.yaml", "specs/com.acme/Twice/function.py"
# (name, edits, the code, the file and the line)
ATTACKS: list[tuple[str, list[tuple[Path, str, str]], tuple[str, str, int]]] = [
    (
        "an input renamed",
        [
            (TWICE / "spec.yaml", "low", "least"),
            (TWICE / "function.py", "low", "least"),
            (TWICE / "vectors.yaml", "low:", "least:"),
        ],
        ("OW611", T_SPEC, 7),
    ),
    (
        "an input required",
        [
            (TWICE / "function.py", "low=None", "low"),
            (TWICE / "function.py", "    if low is not None:\n        X = op.Max(X, low)", "    X = op.Max(X, low)"),
            (TWICE / "vectors.yaml", "{X: [0.0]}", "{X: [0.0], low: 0.0}"),
            (TWICE / "vectors.yaml", "{X: [-1.0]}", "{X: [-1.0], low: 0.0}"),
        ],
        ("OW611", T_SPEC, 7),
    ),
    (
        "inputs in another order",
        [
            (TWICE / "function.py", "X, low=None", "low, X"),
            (TWICE / "function.py", "    if low is not None:\n        X = op.Max(X, low)", "    X = op.Max(X, low)"),
            (TWICE / "vectors.yaml", "{X: [0.0]}", "{X: [0.0], low: 0.0}"),
            (TWICE / "vectors.yaml", "{X: [-1.0]}", "{X: [-1.0], low: 0.0}"),
        ],
        ("OW611", T_SPEC, 7),
    ),
    ("a rank", [(TWICE / "spec.yaml", "low: T", "low: {type: T, rank: 0}")], ("OW611", T_SPEC, 7)),
    (
        "an output renamed",
        [(TWICE / "spec.yaml", "{Y: T}", "{Z: T}"), (TWICE / "vectors.yaml", "{Y:", "{Z:")],
        ("OW611", T_SPEC, 8),
    ),
    ("another operator", [(TWICE / "spec.yaml", "acme::twice", "acme::thrice")], ("OW611", T_SPEC, 12)),
    ("no operator", [(TWICE / "spec.yaml", SPEC[SPEC.index("implements") :], "")], ("OW611", T_SPEC, 3)),
    ("other calls of the operator", [(TWICE / "spec.yaml", "{T: kept}", "{T: wide}")], ("OW611", T_SPEC, 14)),
    ("a default", [(TWICE / "function.py", "times: int = 2", "times: int = 3")], ("OW611", T_FUNCTION, 7)),
    ("a truth value", [(TWICE / "function.py", "flag: bool = True", "flag: int = 1")], ("OW611", T_FUNCTION, 7)),
    ("an attribute gone", [(TWICE / "function.py", ", flag: bool = True", "")], ("OW611", T_FUNCTION, 7)),
    (
        "an attribute more",
        [(TWICE / "function.py", "flag: bool = True", "flag: bool = True, more: float = 1.0")],
        ("OW611", T_FUNCTION, 7),
    ),
    (
        "a choice gone",
        [
            (TWICE / "function.py", '["a", "b"]', '["a", "c"]'),
            (TWICE / "function.py", 'mode == "b"', 'mode == "c"'),
            (TWICE / "vectors.yaml", "mode: b", "mode: c"),
        ],
        ("OW611", T_FUNCTION, 7),
    ),
    ("types narrowed", [(TWICE / "spec.yaml", "[float, double]", "[float]")], ("OW611", T_SPEC, 9)),
    (
        "types widened",
        [(SWISH / "spec.yaml", "[float, double]", "[float, double, float16]")],
        ("OW611", "specs/com.acme/Swish/spec.yaml", 9),
    ),
    ("opsets narrowed", [(TWICE / "spec.yaml", ">=18", ">=19")], ("OW611", T_SPEC, 6)),
    ("opsets of all narrowed", [(Path("specs/library.yaml"), "<=22", "<=21")], ("OW611", T_SPEC, 6)),
    (
        "a variant gone",
        [
            (TWICE / "function.py", "        X = op.Max(X, low)", "        assert False"),
            (TWICE / "vectors.yaml", "  - {name: low, inputs: {X: [-1.0], low: 0.0}, outputs: {Y: [0.0]}}\n", ""),
        ],
        ("OW611", T_SPEC, 6),
    ),
    ("a body gone", [(TWICE / "function.py", "op.Relu(X)", "op.Gelu(X)")], ("OW621", T_FUNCTION, 11)),
    ("another meaning", [(TWICE / "function.py", "op.Relu(X)", "op.Neg(X)")], ("OW614", T_FUNCTION, 7)),
    (
        "another meaning of what is called",
        [(SWISH / "function.py", "op.Sigmoid(alpha * X)", "op.Tanh(alpha * X)")],
        ("OW614", "specs/com.acme/Swish/function.py", 4),
    ),
    (
        "another since_version",
        [(TWICE / "spec.yaml", "since_version: 1", "since_version: 2"), (DOMAIN, "version: 1", "version: 2")],
        ("OW612", T_SPEC, 5),
    ),
    (
        "the version of the domain",
        [(TWICE / "spec.yaml", "since_version: 1", "since_version: 2")],
        ("OW119", T_SPEC, 5),
    ),
]


@pytest.mark.parametrize(("name", "edits", "wanted"), ATTACKS, ids=[row[0] for row in ATTACKS])
def test_an_edit_that_breaks_a_promise(
    released: Path, opwright: Opwright, name: str, edits: list[tuple[Path, str, str]], wanted: tuple[str, str, int]
) -> None:
    for path, old, new in edits:
        edit(path, old, new)
    ran = opwright("build", "--json")
    assert ran.status == 1
    assert wanted in found_by(ran), found_by(ran)
    if wanted[0] in ("OW611", "OW614"):
        helps = [item["finding"]["help"] for item in ran.lines if item["event"] == "finding"]
        assert any("`since_version: 2`" in text for text in helps)
    before = {path: path.read_bytes() for path in RELEASED.iterdir()}
    for number in ("1.0.1", "2.0.0"):
        assert opwright("release", number).status == 1
    assert {path: path.read_bytes() for path in RELEASED.iterdir()} == before


def delete_folder() -> None:
    shutil.rmtree(TWICE)


def rename() -> None:
    shutil.move(TWICE, FOLDER / "Thrice")
    for path in (FOLDER / "Thrice").iterdir():
        path.write_text(path.read_text().replace("Twice", "Thrice"))


def drop_row() -> None:
    LOCK.write_text("".join(line for line in LOCK.read_text().splitlines(True) if '"name":"Twice"' not in line))


def drop_all_rows() -> None:
    LOCK.write_text(LOCK.read_text().splitlines(True)[0])


def drop_text() -> None:
    (RELEASED / "Twice-1.txt").unlink()
    edit(TWICE / "function.py", "op.Relu(X)", "op.Identity(op.Relu(X))")


def drop_lock() -> None:
    LOCK.unlink()


def move_domain() -> None:
    shutil.move(FOLDER, "specs/com.other")
    for path in Path("specs/com.other").rglob("spec.yaml"):
        path.write_text(path.read_text().replace("domain: com.acme", "domain: com.other"))


@pytest.mark.parametrize(
    ("attack", "wanted"),
    [
        (delete_folder, ("OW612", "specs/com.acme/released/release.lock", 3)),
        (rename, ("OW612", "specs/com.acme/released/release.lock", 3)),
        (drop_row, ("OW610", "specs/com.acme/released/release.lock", 1)),
        (drop_all_rows, ("OW610", "specs/com.acme/released/release.lock", 1)),
        (drop_text, ("OW615", T_FUNCTION, 7)),
        (drop_lock, ("OW610", "specs/com.acme/released/release.lock", 0)),
        (move_domain, ("OW610", "specs/com.other/released/release.lock", 1)),
    ],
)
def test_a_file_that_goes(
    released: Path, opwright: Opwright, attack: Callable[[], None], wanted: tuple[str, str, int]
) -> None:
    attack()
    ran = opwright("build", "--json")
    assert (ran.status, wanted in found_by(ran)) == (1, True), found_by(ran)
    assert opwright("release", "2.0.0").status == 1


def sealed(value: dict[str, Any]) -> str:
    def text(item: Any) -> str:
        return json.dumps(item, sort_keys=True, separators=(",", ":"))

    value = {key: item for key, item in value.items() if key != "sha256"}
    return text({**value, "sha256": sha256(text(value).encode()).hexdigest()})


def write_anew(change: Callable[[list[dict[str, Any]]], object]) -> None:
    """The lock with right sums."""
    values = [json.loads(line) for line in LOCK.read_text().splitlines()]
    change(values)
    body = "".join(f"{sealed(value)}\n" for value in values[1:])
    values[0]["lines"] = sha256(body.encode()).hexdigest()
    LOCK.write_text(f"{sealed(values[0])}\n{body}")


def forged_row() -> None:
    def change(values: list[dict[str, Any]]) -> None:
        values[2]["entry"]["attributes"] = [item for item in values[2]["entry"]["attributes"] if item["name"] != "flag"]

    write_anew(change)
    edit(TWICE / "function.py", ", flag: bool = True", "")


def forged_without_row() -> None:
    write_anew(lambda values: values.pop())
    shutil.rmtree(TWICE)


def forged_without_release() -> None:
    write_anew(lambda values: values[0].update(releases=[]))


def forged_version_of_the_domain() -> None:
    write_anew(lambda values: values[0].update(version=0))


def all_released_gone() -> None:
    shutil.rmtree(RELEASED)
    edit(SWISH / "function.py", "op.Sigmoid(alpha * X)", "op.Tanh(alpha * X)")


def domain_gone() -> None:
    shutil.copytree(SWISH, "specs/com.other/Swish")
    shutil.copy(DOMAIN, "specs/com.other")
    edit(Path("specs/com.other/Swish/spec.yaml"), "domain: com.acme", "domain: com.other")
    shutil.rmtree(FOLDER)


@pytest.mark.parametrize(
    "attack",
    [
        forged_row,
        forged_without_row,
        forged_without_release,
        forged_version_of_the_domain,
        all_released_gone,
        domain_gone,
    ],
)
def test_what_the_last_commit_has_is_not_forgotten(
    released: Path, opwright: Opwright, attack: Callable[[], None]
) -> None:
    """What a build cannot know: the folder agrees with itself."""
    git("init", "-q")
    git("add", "specs")
    git("commit", "-q", "-m", "1.0.0")
    assert opwright("lock", "--check").status == 0
    attack()
    assert opwright("build").status == 0
    for command in (("release", "2.0.0", "--json"), ("lock", "--check", "--json")):
        ran = opwright(*command)
        assert ran.status == 1
        assert {code for code, file, _ in found_by(ran) if file == LOCK.as_posix()} == {"OW623"}, found_by(ran)
    git("checkout", "-q", "HEAD", "--", "specs")
    assert opwright("lock", "--check").status == 0


def test_what_was_left_out_is_not_forgotten(released: Path, opwright: Opwright) -> None:
    write_anew(lambda values: values[0].update(gone=["com.acme::Old@1"]))
    git("init", "-q")
    git("add", "specs")
    git("commit", "-q", "-m", "2.0.0")
    assert opwright("lock", "--check").status == 0
    write_anew(lambda values: values[0].pop("gone"))
    assert opwright("build").status == 0
    ran = opwright("lock", "--check", "--json")
    assert (ran.status, {code for code, file, _ in found_by(ran) if file == LOCK.as_posix()}) == (1, {"OW623"})


def test_the_command_that_accepts_what_no_vector_runs_can_be_copied(released: Path, opwright: Opwright) -> None:
    rows = [line for line in (TWICE / "vectors.yaml").read_text().splitlines(True) if "mode: b" not in line]
    (TWICE / "vectors.yaml").write_text("".join(rows))
    edit(TWICE / "function.py", "op.Relu(X)", "op.Identity(op.Relu(X))")
    ran = opwright("lock", "--check", "--json")
    (help_,) = [line["finding"]["help"] for line in ran.lines if '"OW616"' in json.dumps(line)]
    command = 'opwright lock --accept com.acme::Twice@1 --reason "..." --unjudged'
    assert help_ == f"look at what differs, then `{command}`, or add vectors that run these bodies"


def test_releases_that_are_not_committed_yet_are_no_loss(released: Path, opwright: Opwright) -> None:
    git("init", "-q")
    assert opwright("lock", "--check").status == 0, "a repository without a commit"
    git("add", "specs")
    git("commit", "-q", "-m", "1.0.0")
    edit(TWICE / "spec.yaml", "vectors:", "deprecated: true\nvectors:")
    assert opwright("release", "1.1.0").status == 0
    edit(TWICE / "function.py", "op.Max(X, low)", "op.Max(low, X)")
    assert opwright("lock", "--all", "--unjudged", "--reason", "shorter").status == 0
    assert opwright("release", "1.1.1").status == 0
    git("commit", "-q", "-a", "-m", "1.1.1")
    shutil.rmtree(TWICE)
    assert opwright("release", "2.0.0").status == 0
    assert opwright("lock", "--check").status == 0
