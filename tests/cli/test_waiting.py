"""What one sees while waiting, on a terminal and elsewhere, and where the time went."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from opwright_build.report.progress import WIPE
from opwright_build.report.schemas import output_schemas

from tests.cli.test_interrupted import handles, heed_interrupts

Opwright = Callable[..., Any]
PERCENT = re.compile(r"^(?:\[[#-]+\] )? *(\d+) %")


def on_terminal(*words: str, interrupt: bool = False) -> tuple[int, str]:
    """The exit status of a command, and all that it writes to a terminal of 100 columns on standard error."""
    primary, secondary = pty.openpty()
    size = {"COLUMNS": "100", "TERM": "xterm", "PYTHONPATH": os.pathsep.join(sys.path)}
    environment = {name: text for name, text in os.environ.items() if name not in ("CI", "NO_COLOR")}
    process = subprocess.Popen(
        [sys.executable, "-m", "opwright_build", *words],
        env={**environment, **size},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=secondary,
        preexec_fn=heed_interrupts,
    )
    os.close(secondary)
    written = b""
    sent = False
    while True:
        try:
            data = os.read(primary, 4096)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        written += data
        if interrupt and not sent and b"verifying" in written and handles(process.pid, signal.SIGINT):
            process.send_signal(signal.SIGINT)
            sent = True
    os.close(primary)
    return process.wait(), written.decode()


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_one_bar_on_a_terminal_never_goes_back_and_goes_away(library: Path) -> None:
    status, written = on_terminal("test", "-j", "1")
    assert status == 0
    drawn = written.split(WIPE)
    assert drawn[-1] == ""
    assert not any("\n" in line for line in drawn)
    percents = [int(found[1]) for line in drawn if (found := PERCENT.match(line))]
    assert percents == sorted(percents)
    assert percents[-1] == 100 or len(percents) > 3
    assert any("verifying" in line for line in drawn)
    assert max(map(len, drawn)) <= 99


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
@pytest.mark.long
def test_an_interrupt_leaves_a_clean_line(library: Path) -> None:
    status, written = on_terminal("test", interrupt=True)
    assert status == 130
    assert written.split(WIPE)[-1] == "interrupted\r\n"


@pytest.mark.long
def test_in_a_pipe_there_are_lines_without_escapes(library: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "opwright_build", "build"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0
    assert ran.stderr.splitlines() == ["reading specs/", "compiling 1 version", "packaging"]
    assert "\x1b" not in ran.stdout


def test_timings_say_where_the_time_went(library: Path, opwright: Opwright) -> None:
    ran = opwright("test", "--timings")
    assert ran.status == 0
    kinds = [line.split()[0] for line in ran.out.splitlines() if re.match(r"(compile|package|verify) +1 +\d", line)]
    assert sorted(kinds) == ["compile", "package", "verify"]
    assert re.search(r"^verify com\.acme::Swish@1 +\d+\.\d\d$", ran.out, re.MULTILINE)
    assert re.search(r"^compiling 1 version +\d+\.\d\d$", ran.out, re.MULTILINE)
    assert "slowest" not in opwright("test").out


@pytest.mark.parametrize("command", ["build", "test"])
def test_timings_are_for_programs_too(library: Path, opwright: Opwright, command: str) -> None:
    ran = opwright(command, "--timings", "--json", "-j", "1")
    (told,) = [line for line in ran.lines if line["event"] == "timings"]
    jsonschema.Draft202012Validator(output_schemas()[command]).validate(told)
    assert {"starting", "reading specs/", "packaging"} <= {item["step"] for item in told["steps"]}
    assert sum(item["seconds"] for item in told["steps"]) == pytest.approx(ran.summary["seconds"], abs=0.01)
    assert {"compile", "package"} <= {item["kind"] for item in told["kinds"]}
    record = json.loads(Path(".opwright", {"build": "build-run.json", "test": "run.json"}[command]).read_text())
    kept = record["timings"]
    assert [item["kind"] for item in kept["kinds"]] == [item["kind"] for item in told["kinds"]]
    assert [item["step"] for item in kept["steps"]] == [item["step"] for item in told["steps"]]
