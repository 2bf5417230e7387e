"""The figures never go back, and each form of progress draws what it should."""

import io
import random

import pytest
from opwright_build.report.console import Console
from opwright_build.report.course import Advance, Course, Figures, Stage
from opwright_build.report.progress import WIPE, BarProgress, PlainProgress, bar, in_words


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def drawn_course(seed: int) -> list[tuple[Stage, Figures]]:
    """What is shown of a command that is told anything in any order."""
    chance = random.Random(seed)
    clock = Clock()
    course = Course(clock)
    stages = list(Stage)
    course.plan(chance.sample(stages, chance.randrange(len(stages) + 1)))
    shown: list[tuple[Stage, Figures]] = []
    for _ in range(60):
        clock.now += chance.choice([0.0, 0.01, 3.0])
        if chance.random() < 0.1:
            course.step("a step")
        stage = shown[-1][0] if shown and chance.random() < 0.8 else chance.choice(stages)
        numbers = [chance.randrange(20) for _ in range(3)]
        shown.append((stage, course.advance(Advance(stage, *numbers))))
    return shown


@pytest.mark.parametrize("seed", range(200))
def test_figures_never_go_back(seed: int) -> None:
    shown = drawn_course(seed)
    position, failed = 0.0, 0
    done: dict[Stage, int] = {}
    for stage, figures in shown:
        assert position <= figures.position <= 1.0
        assert failed <= figures.failed
        assert done.get(stage, 0) <= figures.done <= figures.total
        assert figures.left is None or figures.left >= 0
        assert figures.rate is None or figures.rate > 0
        position, failed, done[stage] = figures.position, figures.failed, figures.done


def test_a_stage_has_its_share_of_the_whole_and_one_that_is_passed_over_counts_as_done() -> None:
    course = Course(Clock())
    course.plan([Stage.COMPILE, Stage.VERIFY])
    assert course.advance(Advance(Stage.COMPILE, 10, 10)).position == pytest.approx(1 / 6)
    assert course.advance(Advance(Stage.VERIFY, 1, 2)).position == pytest.approx(1 / 6 + 5 / 12)
    assert course.advance(Advance(Stage.VERIFY, 2, 2)).position == 1
    course = Course(Clock())
    course.plan([Stage.COMPILE, Stage.VERIFY])
    assert course.advance(Advance(Stage.VERIFY, 1, 2)).position == pytest.approx(1 / 2)


def test_pace_and_time_left_are_of_what_was_done_since_the_stage_began() -> None:
    clock = Clock()
    course = Course(clock)
    course.advance(Advance(Stage.VERIFY, 50, 100))
    clock.now = 0.5
    assert course.advance(Advance(Stage.VERIFY, 60, 100)).rate is None
    clock.now = 2.0
    figures = course.advance(Advance(Stage.VERIFY, 75, 100, 3))
    assert figures.rate == 12.5
    assert in_words(figures) == "75 of 100 (75 % of all), 12/s, 3 failed, 1 s left"


@pytest.mark.parametrize(("seconds", "text"), [(4.2, "4 s"), (59, "59 s"), (100, "2 min"), (3900, "1 h 05 min")])
def test_time_left_in_words(seconds: float, text: str) -> None:
    assert in_words(Figures("x", 0.5, 1, 2, rate=2.0, left=seconds), percent=False) == f"1 of 2, 2.0/s, {text} left"


def test_a_line_is_no_longer_than_the_terminal_is_wide() -> None:
    figures = Figures("verifying", 0.5, 500, 1000, 2, 12.0, 30.0)
    assert bar(figures, 100) == "[############------------]  50 % 500 of 1,000, 12/s, 2 failed, 30 s left  verifying"
    for columns in range(100):
        assert len(bar(figures, columns)) <= columns
    assert bar(figures, 40) == " 50 % 500 of 1,000, 12/s, 2 failed, 30 s"


def test_off_a_terminal_there_is_a_line_a_step_and_a_line_a_minute() -> None:
    clock, err = Clock(), io.StringIO()
    progress = PlainProgress(Console(io.StringIO(), err), clock)
    progress.plan([Stage.VERIFY])
    progress.step("verifying 600 cases")
    for second in range(1, 200):
        clock.now = float(second)
        progress.advance(Advance(Stage.VERIFY, second, 600))
    progress.close()
    assert err.getvalue().splitlines() == [
        "verifying 600 cases",
        "verifying: 60 of 600 (10 % of all), 1.0/s, 9 min left",
        "verifying: 120 of 600 (20 % of all), 1.0/s, 8 min left",
        "verifying: 180 of 600 (30 % of all), 1.0/s, 7 min left",
    ]


def test_a_bar_is_drawn_ten_times_a_second_at_most_and_lines_stay_above_it() -> None:
    clock, err = Clock(), io.StringIO()
    progress = BarProgress(Console(io.StringIO(), err, live=True), clock)
    for number in range(1000):
        clock.now = number / 1000
        progress.advance(Advance(Stage.COMPILE, number, 1000))
    assert 9 <= err.getvalue().count(WIPE) <= 11
    progress.line("a line")
    progress.close()
    assert err.getvalue().endswith(f"{WIPE}a line\n")
