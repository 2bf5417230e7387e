"""The README's example is true: its commands run from the wheel, outside the repository, and do what it says."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from tests.environment import Environment, build_own_wheel, make_environment
from tests.own_specs import CACHE, ROOT
from tests.sealed import as_this_user

README = (ROOT / "README.md").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Step:
    """A command of the example and what the comment lines below it say that it prints."""

    command: str
    printed: str


def example() -> list[Step]:
    block = re.search(r"```sh\n(.*?)```", README, re.DOTALL)
    assert block is not None
    steps: list[Step] = []
    for line in block[1].splitlines():
        if line.startswith("#"):
            last = steps.pop()
            steps.append(Step(last.command, f"{last.printed}{line.removeprefix('#').removeprefix('   ')}\n"))
        else:
            steps.append(Step(line.partition("#")[0].strip(), ""))
    return steps


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    wheel = build_own_wheel(tmp_path_factory.mktemp("wheel"))
    return make_environment(tmp_path_factory.mktemp("environment") / "venv", wheel)


def model_with_swish() -> onnx.ModelProto:
    nodes = [
        helper.make_node("Swish", ["x"], ["h"], domain="com.acme", alpha=2.0),
        helper.make_node("Swish", ["h"], ["y"], domain="com.acme"),
    ]
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", 3]) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "model", values[:1], values[1:])
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("com.acme", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def swish(x: np.ndarray, alpha: float) -> np.ndarray:
    return x / (1 + np.exp(-alpha * x))


@pytest.mark.long
def test_the_example_runs_from_the_wheel(installed: Environment, tmp_path: Path) -> None:
    onnx.save(model_with_swish(), tmp_path / "model.onnx")
    steps = example()
    assert [step.command.split()[:2] for step in steps if step.command.startswith("opwright")] == [
        ["opwright", "new"],
        ["opwright", "build"],
        ["opwright", "test"],
        ["opwright", "attach"],
    ]
    for step in steps:
        done = installed.run(step.command.split(), tmp_path)
        assert done.returncode == 0, f"{step.command}\n{done.stdout}"
        if step.printed:
            assert re.sub(r"\n+", "\n", done.stdout) == re.sub(r"\n+", "\n", step.printed)

    x = np.linspace(-4, 4, 6, dtype=np.float32).reshape(2, 3)
    session = onnxruntime.InferenceSession(tmp_path / "ready.onnx", providers=["CPUExecutionProvider"])
    (y,) = session.run(None, {"x": x})
    np.testing.assert_allclose(y, swish(swish(x.astype(np.float64), 2.0), 1.0), rtol=1e-5, atol=1e-6)


@pytest.mark.long
def test_the_wheel_explains_codes_with_their_examples(installed: Environment, tmp_path: Path) -> None:
    done = installed.run(["opwright", "explain", "OW201"], tmp_path)
    assert done.returncode == 0, done.stdout
    assert "\nWrong, with `opwright build`" in done.stdout
    assert "\nRight, with `opwright build`" in done.stdout


def quoted(command: str) -> list[str]:
    """What the README says that a command prints last, without the lines of nox and pytest."""
    block = re.search(rf"^{re.escape(command)}\n```\n```text\n(.*?)```", README, re.DOTALL | re.MULTILINE)
    assert block is not None
    return [line for line in block[1].splitlines() if not line.startswith(("nox >", "...", "==="))]


def without_figures(lines: list[str]) -> list[str]:
    """Times, and counts that move with every vector, do not make the README wrong."""
    return [re.sub(r"\d[\d,]*(\.\d+)?(?= )", "0", line) for line in lines]


def without_outcomes(lines: list[str]) -> list[str]:
    """The line of each runtime by its name alone: which outcomes there are depends on the functions."""
    return [lines[0], *(line.partition(":")[0] for line in lines[1:-1]), lines[-1]]


def versions_and_pairs(line: str) -> tuple[int, ...]:
    found = re.search(r"([\d,]+) versions, ([\d,]+) \(version, type\) pairs", line)
    assert found is not None, line
    return tuple(int(text.replace(",", "")) for text in found.groups())


# What only some runs say: that verdicts were kept, or in what references ran.
_KNOWN = re.compile(r", [\d,]+ of them known from earlier runs|sandbox level \d; ")


@pytest.mark.long
def test_the_last_lines_are_those_that_it_prints(installed: Environment, tmp_path: Path) -> None:
    for folder in ("specs", "library/opwright_std", "library/opwright_aten"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    # What this repository has built serves the wheel too, since both have the same sources.
    cached = ["--cache", str(CACHE)]
    with as_this_user():
        built = installed.run(["opwright", "build", *cached], tmp_path)
        tested = installed.run(["opwright", "test", "--spread", "--function", "Softplus", *cached], tmp_path)
        checked = installed.run(["opwright", "stubs", "--check", *cached], tmp_path)
    first = quoted("python3 noxfile.py -s build")
    lines = built.stdout.splitlines()[-len(first) :]
    assert without_figures(lines) == without_figures(first), built.stdout
    assert lines[0] == first[0]

    said = quoted("python3 noxfile.py -s test")
    printed = (tested.stdout + checked.stdout).splitlines()
    totals = [_KNOWN.sub("", line) for line in printed[-len(said) :]]
    expected = [_KNOWN.sub("", line) for line in said]
    assert without_figures(without_outcomes(totals)) == without_figures(without_outcomes(expected)), tested.stdout
    packages = [versions_and_pairs(line) for line in first[:2]]
    assert versions_and_pairs(said[0]) == tuple(map(sum, zip(*packages, strict=True))), "to build and test they are one"


def test_the_example_fits_a_screen() -> None:
    lines = README.splitlines()
    opening = lines.index("```sh")
    assert lines.index("```", opening) - opening - 1 <= 15
    assert "python3 noxfile.py -s build" in README
    assert "python3 noxfile.py -s test" in README


def test_the_gate_runs_the_readmes_test_command() -> None:
    assert "python3 noxfile.py -s test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
