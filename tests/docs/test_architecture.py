"""docs/architecture.md names every room, each file that it names is there, and its order is the order of imports."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ROOMS = {
    "library/opwright": ROOT / "library" / "opwright",
    "buildtool/opwright_build": ROOT / "buildtool" / "opwright_build",
}
SMALL = {"import_path", "templates"}  # files of the build tool that are no rooms


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
    for name in re.findall(r"`((?:lang|live|model|link|opsets|diagnostics|workflow|cli|tests|docs)/[\w./*]*)`", PAGE):
        homes = (ROOT, library, ROOT / "buildtool" / "opwright_build")
        assert any(list(home.glob(name)) for home in homes), name


def test_every_decision_that_is_named_is_there() -> None:
    for numbers in re.findall(r"ADR ([\d, ]+)", PAGE):
        for number in numbers.replace(",", " ").split():
            assert list((ROOT / "docs" / "adr").glob(f"{int(number):04d}-*")), number
