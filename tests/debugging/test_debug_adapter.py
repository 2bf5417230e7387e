"""An editor's debugger in a function under `@script`: it stops, shows a local tensor, steps and goes on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.debugging.dap import Debuggee

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("nets.py")
CENTRED = 1 + PROGRAM.read_text(encoding="utf-8").splitlines().index("    centred = x - mean")


@pytest.mark.long
def test_stop_look_step_and_go_on() -> None:
    environment = {
        "PYTHONPATH": os.pathsep.join((str(ROOT / "library"), str(ROOT))),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }
    with Debuggee(PROGRAM, environment) as program:
        program.ask("initialize", adapterID="test", linesStartAt1=True, columnsStartAt1=True, pathFormat="path")
        attached = program.send("attach", justMyCode=True)
        program.event("initialized")
        placed = program.ask(
            "setBreakpoints", source={"path": str(PROGRAM)}, breakpoints=[{"line": CENTRED, "hitCondition": "4"}]
        )
        assert [item["verified"] for item in placed["breakpoints"]] == [True]
        program.ask("configurationDone")
        program.answer(attached)

        stopped = program.event("stopped")  # at the fourth call, which would run as a graph
        assert stopped["reason"] == "breakpoint"
        thread = stopped["threadId"]
        frame = program.ask("stackTrace", threadId=thread)["stackFrames"][0]
        assert (frame["name"], frame["line"]) == ("normalise", CENTRED)
        assert locals_of(program, frame["id"])["mean"] == "Tensor(float[2, 1], [[2.], [2.]])"

        program.ask("next", threadId=thread)
        assert program.event("stopped")["reason"] == "step"
        frame = program.ask("stackTrace", threadId=thread)["stackFrames"][0]
        assert frame["line"] == CENTRED + 1
        assert locals_of(program, frame["id"])["centred"] == "Tensor(float[2, 3], [[-1., 0., 1.], [-2., -2., 4.]])"
        asked = program.ask("evaluate", expression="op.ReduceMax(centred) * 2", frameId=frame["id"], context="watch")
        assert asked["result"] == "Tensor(float[1, 1], [[8.]])"

        program.ask("continue", threadId=thread)
        program.event("terminated")
    assert program.printed.splitlines()[-1] == " [-0.707 -0.707  1.414]]"
    assert program.process.returncode == 0


def locals_of(program: Debuggee, frame: int) -> dict[str, str]:
    """What the debugger's pane shows of the local names."""
    scopes = program.ask("scopes", frameId=frame)["scopes"]
    reference = next(item["variablesReference"] for item in scopes if item["name"] == "Locals")
    return {item["name"]: item["value"] for item in program.ask("variables", variablesReference=reference)["variables"]}
