"""A few hostile inputs through the commands, in a process with limits; `nox -s fuzz-inputs` tries fifty thousand."""

from __future__ import annotations

import ast
import json
import random
from collections import Counter
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest
import yaml
from opwright.bundle.read import read_bundle
from opwright.diagnostics import DiagnosticError

from tests.hostile.__main__ import Input, Tally, campaign, inputs, kept
from tests.hostile.bundles import bundles, changed_bundle
from tests.hostile.changes import changed_model, seeds
from tests.hostile.judge import judging
from tests.hostile.models import by_hand, plain
from tests.hostile.tasks import SLOW, TASK_NAMES
from tests.hostile.texts import changed_file

NAMES = (
    "40 functions that call each other twice",
    "a ring of 2 functions",
    "If: no outputs",
    "Loop: hollow graphs",
    "33 nested Ifs",
    "a sequence 40 deep",
    "a circle of values",
    "long names at every call",
    "a value called b'\\xff'",
    "opset 2147483648",
)


@pytest.mark.long
def test_models_made_by_hand(tmp_path: Path) -> None:
    made = dict(by_hand())
    with judging(tmp_path) as judge:
        for name in NAMES:
            assert judge.judge("model", made[name]).findings == {}, name


@pytest.mark.long
def test_models_changed(tmp_path: Path) -> None:
    numbers, started = random.Random(40), seeds()
    assert len(started) >= 200
    with judging(tmp_path) as judge:
        for step in range(6):
            data = changed_model(numbers.choice(started[:30]), numbers)
            assert judge.judge("model", data).findings == {}, (step, data)


def test_inputs_that_have_shown_a_defect_once(tmp_path: Path) -> None:
    with judging(tmp_path) as judge:
        for name, item in kept():
            tasks = [task for task in TASK_NAMES[item.kind] if task not in SLOW or item.kind == "model"]
            assert judge.judge(item.kind, item.data, tasks).findings == {}, name


@pytest.mark.long
def test_a_campaign_says_what_it_has_done_and_finds_what_is_planted(tmp_path: Path) -> None:
    drawn = (item for kind in TASK_NAMES for item in islice(inputs("1", kind), 30, 37))
    tally = Tally()
    assert list(campaign(drawn, 50, tmp_path, tally)) == []
    assert tally.inputs == {"model": 7, "onnxlib": 7, "folder": 7}
    assert tally.runs > 21 and tally.good > 0

    name = "an operator without a name"
    unnamed = plain()
    unnamed.graph.node[0].op_type = ""
    item = Input("model", unnamed.SerializeToString(), ("inspect",))
    ((told, shown),) = campaign(iter([item]), 1, tmp_path, Tally(), name)
    assert "KeyError" in told and shown is item


def test_changes_of_bundles_reach_what_reads_their_parts() -> None:
    """Most changed bundles agree with their digests, so that more than the check of those is tried."""
    numbers, outcomes = random.Random(3), Counter[str]()
    library = bundles()[0]
    for _ in range(60):
        try:
            read_bundle(changed_bundle(library, numbers), "x")
            outcomes["read"] += 1
        except DiagnosticError as error:
            outcomes[error.diagnostics[0].code] += 1
    assert outcomes["read"] >= 10 and outcomes["OW516"] >= 10, outcomes


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("path", ["specs/a/b/spec.yaml", "specs/a/b/function.py", "x.json"])
def test_changes_of_texts_are_mostly_still_texts_of_their_kind(path: str) -> None:
    texts = {
        ".yaml": "a: [1, 2]\nb: {c: x}\n",
        ".py": "def f(x):\n    return x + 1\n",
        ".json": '{"a": [1, {"b": "c"}]}',
    }
    readers = {".yaml": yaml.safe_load, ".py": ast.parse, ".json": json.loads}
    kind, numbers, read = Path(path).suffix, random.Random(5), 0
    changed = {changed_file(path, texts[kind].encode(), numbers, ("a", "b")) for _ in range(60)}
    for data in changed:
        with suppress(Exception):
            readers[kind](data)
            read += 1
    assert len(changed) > 25 and read > len(changed) // 3
