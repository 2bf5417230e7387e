"""Random edits of a library: what `opwright test` runs is what a small model of it says has to run."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from opwright_build.verify.cases.kept_answers import KeptAnswers
from opwright_build.verify.run import matrix, version_verdict
from opwright_build.verify.run.batches import Batch
from opwright_build.verify.run.isolation import run_tasks
from opwright_build.verify.run.packs import Pack

Opwright = Callable[..., Any]
Key = tuple[object, ...]
NAMES = ("Swish", "Other")
TYPES = {"float": np.float32, "double": np.float64}
BODIES = ("X * op.Sigmoid(alpha * X)", "op.Identity(X) * op.Sigmoid(alpha * X)")
WRONG = "X * op.Sigmoid(alpha * X) * X"
ORACLES = {
    "X / (1 + np.exp(-alpha * X))": lambda x: x / (1 + np.exp(-x)),
    "X / (1 + np.exp(-alpha * X))  # a comment": lambda x: x / (1 + np.exp(-x)),
    "X * (1 / (1 + np.exp(-alpha * X)))": lambda x: x * (1 / (1 + np.exp(-x))),
}
SPEC = """schema: 1
domain: com.acme
name: {name}
summary: {summary}
since_version: 1
opset: ">=18"
inputs: {{X: T}}
outputs: {{Y: T}}
types: {{T: [float, double]}}
tolerance: {{float: {{ulp: {ulp}, abs: 1.0e-6}}, reason: Two roundings.}}
vectors: [vectors.yaml]
reference: reference.py
"""


@dataclass(frozen=True)
class Source:
    """What the files of one function say."""

    body: str = BODIES[0]
    oracle: str = next(iter(ORACLES))
    ulp: int = 16
    summary: str = "A product."
    rows: tuple[float, ...] = (1.0, -1.0, 0.5)

    def write(self, name: str) -> None:
        folder = Path("specs/com.acme", name)
        folder.mkdir(exist_ok=True)
        head = f'from opwright import opset18 as op\n\n\ndef {name}(X, alpha: float = 1.0):\n    """F."""\n'
        (folder / "function.py").write_text(f"{head}    return {self.body}\n")
        (folder / "reference.py").write_text(self.reference(name))
        spec = SPEC.format(name=name, summary=self.summary, ulp=self.ulp)
        (folder / "spec.yaml").write_text(spec)
        rows = "".join(f"  - {{name: row{index}, inputs: {{X: [{x}]}}}}\n" for index, x in enumerate(self.rows))
        (folder / "vectors.yaml").write_text(f"schema: 1\nrows:\n{rows}")

    def reference(self, name: str) -> str:
        return f"import numpy as np\n\n\ndef {name}(X, alpha=1.0):\n    return {self.oracle}\n"


@dataclass(frozen=True)
class State:
    sources: tuple[Source, Source] = (Source(), Source())
    build: str = "one"
    run_oracle: bool = True


def edited(state: State, dice: random.Random) -> State:
    which = dice.randrange(2)
    source = state.sources[which]
    match dice.choice(["row", "row", "more", "body", "wrong", "oracle", "ulp", "summary", "build", "option"]):
        case "row":
            rows = list(source.rows)
            rows[dice.randrange(len(rows))] = dice.choice([2.0, 0.25, -4.0])
            source = replace(source, rows=tuple(rows))
        case "more":
            source = replace(source, rows=(dice.choice([3.0, 0.125]), *source.rows))
        case "body":
            source = replace(source, body=dice.choice(BODIES))
        case "wrong":
            source = replace(source, body=WRONG)
        case "oracle":
            source = replace(source, oracle=dice.choice(list(ORACLES)))
        case "ulp":
            source = replace(source, ulp=dice.choice([16, 32]))
        case "summary":
            source = replace(source, summary=dice.choice(["A product.", "Another text."]))
        case "build":
            return replace(state, build="two" if state.build == "one" else "one")
        case "option":
            return replace(state, run_oracle=not state.run_oracle)
    return replace(state, sources=(source, state.sources[1]) if which == 0 else (state.sources[0], source))


class Model:
    """What has run, and what that spares."""

    def __init__(self) -> None:
        self.verdicts: set[Key] = set()  # of whole versions
        self.runs: set[Key] = set()  # that did not fail
        self.questions: set[Key] = set()

    def step(self, state: State) -> tuple[set[Key], int]:
        """What has to run now, by function, type and value; and how many questions references have to be asked."""
        ran: set[Key] = set()
        asked: set[Key] = set()
        for name, source in zip(NAMES, state.sources, strict=True):
            version = (name, replace(source, summary=""), state.build, state.run_oracle)
            if version in self.verdicts:
                continue
            good = True
            for x in source.rows:
                if state.run_oracle:
                    asked.add((state.build, source.reference(name), x))
                answer = float(ORACLES[source.oracle](np.float64(x))) if state.run_oracle else None
                for kind in TYPES:
                    # The tolerance of another type is nothing to a row of this one.
                    run = (name, kind, x, source.body, answer, source.ulp if kind == "float" else 0, state.build)
                    passes = answer is None or source.body != WRONG or x == 1.0
                    if run not in self.runs:
                        ran.add((name, kind, x))
                    if passes:
                        self.runs.add(run)
                    good = good and passes
            if good:
                self.verdicts.add(version)
        new = asked - self.questions
        self.questions |= new
        return ran, len(new)


@pytest.fixture
def observed(monkeypatch: pytest.MonkeyPatch) -> tuple[set[Key], list[bytes]]:
    """What runs, and what is asked: both are cleared by the caller."""
    ran: set[Key] = set()
    asked: list[bytes] = []

    def watched(tasks: Sequence[Batch | Pack], **options: Any) -> Any:
        for task in tasks:
            for vector in task.vectors:
                (value,) = vector.case.inputs
                assert isinstance(value, np.ndarray)
                name = vector.case.identity.partition("::")[2].partition("@")[0]
                ran.add((name, vector.case.bindings["T"], float(value[0])))
        return run_tasks(tasks, **options)

    def add(self: KeptAnswers, reference: str, question: bytes, answer: bytes) -> None:
        asked.append(question)
        original(self, reference, question, answer)

    original = KeptAnswers.add
    monkeypatch.setattr(matrix, "run_tasks", watched)
    monkeypatch.setattr(KeptAnswers, "add", add)
    return ran, asked


@pytest.mark.parametrize("seed", range(2))
def test_what_runs_is_what_has_to_run(
    library: Path,
    opwright: Opwright,
    monkeypatch: pytest.MonkeyPatch,
    observed: tuple[set[Key], list[bytes]],
    seed: int,
) -> None:
    dice, state, model = random.Random(seed), State(), Model()
    ran, asked = observed
    for step in range(7):
        for name, source in zip(NAMES, state.sources, strict=True):
            source.write(name)
        build = state.build
        monkeypatch.setattr(version_verdict, "installed_build", lambda name, folder, build=build: f"{name} {build}")
        expected, questions = model.step(state)
        ran.clear()
        asked.clear()
        result = opwright("test", "--json", "-j", "1", *([] if state.run_oracle else ["--no-oracle"]))
        assert result.status in (0, 1), result.err
        assert ran == expected, f"step {step}: {state}\n{result.err}{result.out[:2000]}"
        assert len(asked) == questions, f"step {step}: {state}"
        outcomes = [line for line in result.lines if line["event"] == "outcome"]
        each = 9  # three bodies on three runtimes
        assert len(outcomes) == each * len(TYPES) * sum(len(source.rows) for source in state.sources)
        of_versions = [
            (name, kind, x)
            for name, source in zip(NAMES, state.sources, strict=True)
            for x in source.rows
            for kind in TYPES
        ]
        assert len(outcomes) - result.summary["kept"] == each * sum(run in expected for run in of_versions)
        state = edited(state, dice)
