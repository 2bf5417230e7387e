"""What each construct of docs/language.md becomes: sources in `lowering/`, and beside each the IR that it lowers to.

The docstring of a source begins with the row that it shows (`stmt.for.range: ...`). Beside it stands the IR of each
variant as lowered, and again after each pass that changes it; or code, line and text of the line where the source is
refused (`stmt.for.range, OW308: ...`). To show a construct write its source, at most 25 lines of IR long, and run
`pytest tests/lang/test_lowering.py --update-golden`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from opwright import DiagnosticError, OnnxFunction
from opwright.lang import ir
from opwright.lang.ir_print import Names, print_function
from opwright.lang.ir_verify import verify
from opwright.lang.lower import function as lowering
from opwright.lang.lower.passes import Pass, passes_of
from opwright.lang.lower.state.context import Lowering
from opwright.live.compiled import Run

from tests.docs.pages import DOCS, read_rows
from tests.lang.ir_parse import parse_with_names

FOLDER = Path(__file__).parent / "lowering"
SOURCES = sorted(FOLDER.rglob("*.py"))
ROWS = read_rows(DOCS / "language.md")
OPSET = 18
MOST_LINES = 25

_TITLE = re.compile(r"(?P<row>[a-z_.]+)(?:, (?P<code>OW\d{3}))?: \S")
_HEADING = re.compile(r"^# (.*)\n", re.MULTILINE)

each_source = pytest.mark.parametrize("source", SOURCES, ids=[str(path.relative_to(FOLDER)) for path in SOURCES])


@dataclass
class Stages:
    """The texts of each function that is lowered: as lowered, and after each pass that changed it.

    A value has the same name in all texts of its function.
    """

    texts: dict[ir.Function, list[tuple[str, str]]] = field(default_factory=dict)
    names: dict[ir.Function, Names] = field(default_factory=dict)

    def passes_of(self, whole: bool) -> tuple[Pass, ...]:
        return (self.begin, *(self.watched(each) for each in passes_of(whole)))

    def begin(self, low: Lowering) -> None:
        assert verify(low.function) == []
        names = self.names[low.function] = Names()
        self.texts[low.function] = [("lowered", print_function(low.function, names))]

    def watched(self, each: Pass) -> Pass:
        def run(low: Lowering) -> None:
            each(low)
            assert verify(low.function) == [], each.__name__
            text = print_function(low.function, self.names[low.function])
            if text != self.texts[low.function][-1][1]:
                self.texts[low.function].append((f"after {each.__name__}", text))

        return run


def show(source: Path, stages: Stages) -> str:
    """What the source becomes: the stages of all its functions, those that are called first, or why it is refused."""
    text = source.read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": source.stem}
    try:
        exec(compile(text, str(source), "exec", dont_inherit=True), names)
        function = names["F"]
        assert isinstance(function, OnnxFunction)
        run = Run(OPSET, keeps=False)
        if not run.compile(function, to_call=False).family.variants:
            function.to_function_protos(OPSET)  # says what is open
    except DiagnosticError as error:
        return "".join(_refusals(error, source, text.splitlines()))
    parts = []
    for compiled in run.done.values():
        for variant in compiled.family.variants:
            asked = "".join(f", {axis} = {fact}" for axis, fact in variant.key)
            assert variant.lowered.function is not None
            for stage, printed in stages.texts[variant.lowered.function]:
                parts.append(f"# {stage}{asked}\n{printed}")
    return "\n".join(parts)


def _refusals(error: DiagnosticError, source: Path, lines: list[str]) -> Iterator[str]:
    for found in error.diagnostics:
        assert found.place is not None
        assert Path(found.place.file).resolve() == source
        yield f"refused {found.code}, line {found.place.line}: {lines[found.place.line - 1].strip()}\n"


def title_of(source: Path) -> tuple[str, str]:
    """The row that a source shows, and the code that it is refused with: empty where it is accepted."""
    title = _TITLE.match(ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or "")
    assert title is not None, f"{source}: the docstring names no row"
    return title["row"], title["code"] or ""


def stages_in(path: Path) -> list[tuple[str, str]]:
    """The texts of a file with their headings; a refusal has none."""
    _, *parts = _HEADING.split("\n" + path.read_text(encoding="utf-8"))
    return [(heading, text.strip() + "\n") for heading, text in zip(parts[::2], parts[1::2], strict=True)]


@each_source
def test_a_source_becomes_what_stands_beside_it(
    source: Path, golden: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    stages = Stages()
    monkeypatch.setattr(lowering, "passes_of", stages.passes_of)
    golden(source.with_suffix(".ir"), show(source, stages))


@each_source
def test_the_text_beside_a_source_is_sound_and_small(source: Path) -> None:
    """It parses, to functions that print the same and in which nothing is wrong; or it is a refusal of that code."""
    _, code = title_of(source)
    stages = stages_in(source.with_suffix(".ir"))
    if code:
        refusals = source.with_suffix(".ir").read_text(encoding="utf-8").splitlines()
        assert refusals
        assert all(line.startswith(f"refused {code}, line ") for line in refusals)
        return
    for _, text in stages:
        function, names = parse_with_names(text)
        assert print_function(function, names) == text
        assert verify(function) == []
    lines = [line for heading, text in stages if heading.startswith("lowered") for line in text.splitlines()]
    assert 0 < len(lines) <= MOST_LINES, "a reader takes in 25 lines: show less at once"


def test_every_row_has_a_pair() -> None:
    """Each construct of the page that compiles, and each code that a row names."""
    shown = {title_of(source) for source in SOURCES}
    wanted = {(row.id, "") for row in ROWS if row.accepted} | {(row.id, code) for row in ROWS for code in row.refused}
    missing = ", ".join(" ".join(pair).strip() for pair in sorted(wanted - shown))
    assert not missing, f"docs/language.md has rows without a source in {FOLDER.name}/: {missing}. {__doc__}"
    assert not {row for row, _ in shown} - {row.id for row in ROWS}, "sources of rows that the page does not have"


def test_there_are_enough_of_them_and_none_is_left_over() -> None:
    accepted = [source for source in SOURCES if not title_of(source)[1]]
    assert len(accepted) >= 120
    assert {path.with_suffix(".py") for path in FOLDER.rglob("*.ir")} == set(SOURCES)
