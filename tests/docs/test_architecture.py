"""docs/architecture.md names every room and only files that are there, in the order of imports. A module's name is used
once."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ROOMS = {
    "library/opwright": ROOT / "library" / "opwright",
    "buildtool/opwright_build": ROOT / "buildtool" / "opwright_build",
}
# name of two modules or more: why it is the same idea in each of them, at most 8
SHARED_NAMES = {
    "ir": "the intermediate representation: the compiler's own, and the face of onnx_ir, which is called so"
}
SMALL = {"import_path", "prose", "templates"}  # files of the build tool that are no rooms


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


def named(title: str) -> list[str]:
    """The rooms that a section names, in their order."""
    return [
        name.rstrip("/")
        for line in re.findall(r"\*\*(.+?)\*\*", section(title))
        for name in re.findall(r"`([\w/]+)`", line)
    ]


def test_every_room_is_named_and_every_name_is_a_room() -> None:
    for title in ROOMS:
        home = ROOT / title
        there = {path.name for path in home.iterdir() if (path / "__init__.py").exists()}
        there |= {path.stem for path in home.glob("*.py") if not path.stem.startswith("__")}
        assert set(named(title)) == there - SMALL


def test_the_order_is_that_of_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (layers,) = (item["layers"] for item in contracts if item.get("containers") == ["opwright"])
    place = {room: index for index, layer in enumerate(reversed(layers)) for room in re.findall(r"\w+", layer)}
    order = [place[room] for room in named("library/opwright")]
    assert order == sorted(order)


def test_every_file_that_is_named_is_there() -> None:
    library = ROOT / "library" / "opwright"
    for name in re.findall(
        r"`((?:lang|live|model|link|opsets|diagnostics|verify|workflow|cli|tests|docs)/[\w./*]*)`", PAGE
    ):
        homes = (ROOT, library, ROOT / "buildtool" / "opwright_build")
        assert any(list(home.glob(name)) for home in homes), name


def test_every_decision_that_is_named_is_there() -> None:
    for numbers in re.findall(r"ADR ([\d, ]+)", PAGE):
        for number in numbers.replace(",", " ").split():
            assert list((ROOT / "docs" / "adr").glob(f"{int(number):04d}-*")), number


def shared_names(*homes: Path) -> dict[str, list[str]]:
    """The names that more than one module has, with the modules, over all packages together."""
    modules: dict[str, list[str]] = defaultdict(list)
    for home in homes:
        for path in sorted(home.rglob("*.py")):
            if not path.stem.startswith("__"):
                modules[path.stem].append(path.relative_to(home.parent).as_posix())
    return {name: paths for name, paths in modules.items() if len(paths) > 1}


def test_a_module_name_stands_for_one_thing() -> None:
    shared = shared_names(*ROOMS.values())
    assert len(SHARED_NAMES) <= 8
    assert {name: paths for name, paths in shared.items() if name not in SHARED_NAMES} == {}
    assert SHARED_NAMES.keys() <= shared.keys()


def test_shared_names_are_found_across_packages(tmp_path: Path) -> None:
    for path in ("library/lang/names.py", "library/lang/__init__.py", "library/__init__.py", "tool/spec/names.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    assert shared_names(tmp_path / "library", tmp_path / "tool") == {
        "names": ["library/lang/names.py", "tool/spec/names.py"]
    }
