"""Fixes are made by exact places, each once; what does not fit, or meets another one, is left alone."""

import random
from pathlib import Path

import pytest
from opwright.diagnostics.diagnostic import Diagnostic, Place, Replacement
from opwright_build.engine.tree import Tree
from opwright_build.workflow.fixing import fixed, fixes_of, write_fixes

FILE = "specs/a.yaml"


def at(line: int, column: int, old: str, new: str, file: str = FILE) -> Replacement:
    return Replacement(Place(file, line, column, line, column + len(old)), old, new)


def test_comments_line_ends_and_layout_stay() -> None:
    text = "# inputs\r\ninput:   {X: T}   # the inputs\r\n\r\noutpts: {Y: T}"
    found = fixed(FILE, text, [at(2, 1, "input", "inputs"), at(4, 1, "outpts", "outputs")])
    assert found.after == "# inputs\r\ninputs:   {X: T}   # the inputs\r\n\r\noutputs: {Y: T}"
    assert len(found.made) == 2
    assert found.refused == ()


def test_characters_beyond_ascii_count_once() -> None:
    assert fixed(FILE, "{é𝒳: 1, flot: 2}", [at(1, 9, "flot", "float")]).after == "{é𝒳: 1, float: 2}"


@pytest.mark.parametrize(
    "item",
    [at(1, 2, "abc", "x"), at(2, 1, "abc", "x"), at(0, 0, "abc", "x"), at(1, 3, "c\nd", "x"), at(1, 4, "d", "x")],
)
def test_what_does_not_stand_there_is_left_alone(item: Replacement) -> None:
    assert fixed(FILE, "abc", [item]).after == "abc"
    assert fixed(FILE, "abc", [item]).made == ()


def test_of_fixes_that_meet_none_is_made_and_equal_ones_are_one() -> None:
    meet = [at(1, 1, "abc", "x"), at(1, 3, "cd", "y"), at(1, 4, "de", "z"), at(1, 7, "g", "G"), at(1, 7, "g", "G")]
    found = fixed(FILE, "abcdefg", meet)
    assert found.after == "abcdefG"
    assert [place.column for place in found.refused] == [1, 3, 4]
    differ = fixed(FILE, "abc", [at(1, 1, "a", "x"), at(1, 1, "a", "y")])
    assert (differ.after, len(differ.refused)) == ("abc", 1)


@pytest.mark.parametrize("seed", range(100))
def test_any_fixes_leave_the_rest_as_it_was_and_making_them_again_changes_nothing(seed: int) -> None:
    chance = random.Random(seed)
    lines = ["".join(chance.choice("ab é:#") for _ in range(chance.randrange(12))) for _ in range(5)]
    text = "\n".join(lines)
    items: list[Replacement] = []
    for _ in range(6):
        number = chance.randrange(5)
        start = chance.randrange(len(lines[number]) + 1)
        end = chance.randrange(start, len(lines[number]) + 1)
        if end > start:
            items.append(at(number + 1, start + 1, lines[number][start:end], chance.choice(["X", "YY", ""])))
    found = fixed(FILE, text, items)
    expected = [list(line) for line in lines]
    for item in found.made:
        first = item.place.column - 1
        expected[item.place.line - 1][first : first + len(item.old)] = [item.new, *[""] * (len(item.old) - 1)]
    assert found.after == "\n".join("".join(line) for line in expected)
    assert len({(item.place.line, item.place.column) for item in found.made}) == len(found.made)
    for item in items:
        assert (item in found.made) != (item.place in found.refused)


def test_a_file_is_written_whole_with_its_mode_and_only_below_specs(tmp_path: Path) -> None:
    root = tmp_path
    (root / "specs").mkdir()
    (root / FILE).write_text("abc")
    (root / FILE).chmod(0o640)
    (root / "other.yaml").write_text("abc")
    tree = Tree(root)
    items = [at(1, 1, "abc", "x"), at(1, 1, "abc", "x", "other.yaml"), at(1, 1, "abc", "x", "specs/gone.yaml")]
    fixes = fixes_of(tree, [Diagnostic("OW106", "m", item.place, replacement=item) for item in items])
    write_fixes(tree, fixes)
    assert (root / FILE).read_text() == "x"
    assert (root / FILE).stat().st_mode & 0o777 == 0o640
    assert (root / "other.yaml").read_text() == "abc"
    assert sorted(path.name for path in (root / "specs").iterdir()) == ["a.yaml"]
    assert fixes[0].diff().splitlines()[-4:] == [
        "-abc",
        "\\ No newline at end of file",
        "+x",
        "\\ No newline at end of file",
    ]
