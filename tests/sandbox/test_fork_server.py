"""Which cage is claimed: the best that can be entered, withstands every attack, and lets honest code work."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import opwright_build
import pytest
from opwright_build.sandbox.client import Sandbox
from opwright_build.sandbox.levels import CAGES, Cage

from tests.sandbox.conftest import Start

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there are no cages on other systems")
FULL, WITHOUT_FILTER, UNPRIVILEGED, OPEN = CAGES
UNSHARE = {"x86_64": 272, "aarch64": 97}[platform.machine()]
SECCOMP = {"x86_64": 317, "aarch64": 277}[platform.machine()]
LANDLOCK = 444


def declined(sandbox: Sandbox) -> dict[str, str]:
    return dict(sandbox.claim.declined)


def missing(*mechanisms: str) -> str:
    """Why this machine has no such cage, in a cage's own words; nothing where it has them all."""
    tried = {
        "namespaces": "namespaces.enter()",
        "landlock": "landlock.version()",
        "seccomp": "kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1); seccomp.install()",
    }
    for mechanism in mechanisms:
        code = f"from opwright_build.sandbox import kernel, landlock, namespaces, seccomp\n{tried[mechanism]}"
        folder = str(Path(opwright_build.__path__[0]).parent)
        ran = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": folder}, capture_output=True, text=True)
        if ran.returncode:
            return ran.stderr.splitlines()[-1]
    return ""


@pytest.mark.parametrize(
    ("cage", "mechanisms"),
    [
        (FULL, ["namespaces", "landlock", "seccomp"]),
        (WITHOUT_FILTER, ["namespaces", "landlock"]),
        (UNPRIVILEGED, ["landlock", "seccomp"]),
        (OPEN, []),
    ],
    ids=lambda item: item.name if isinstance(item, Cage) else "",
)
def test_each_cage_is_claimed_where_the_machine_has_its_mechanisms(
    start: Start, cage: Cage, mechanisms: list[str]
) -> None:
    sandbox = start(cages=(cage, OPEN))
    why = missing(*mechanisms)
    assert (sandbox.claim.cage == cage) == (not why), (why, sandbox.claim)
    assert bool(sandbox.claim.declined) == bool(why)
    requests, replies = sandbox.start()
    os.write(requests, b"abc")
    assert os.read(replies, 100) == b"cba"
    os.close(requests)
    assert sandbox.end(grace=10.0) == 0
    os.close(replies)


def test_one_child_after_the_other(start: Start) -> None:
    sandbox = start()
    for _ in range(5):
        requests, replies = sandbox.start()
        assert sandbox.end() == -9
        assert os.read(replies, 1) == b""
        os.close(requests)
        os.close(replies)


def test_a_machine_without_namespaces(start: Start) -> None:
    sandbox = start(f"refuse(unshare={UNSHARE})")
    assert sandbox.claim.cage == (OPEN if missing("landlock", "seccomp") else UNPRIVILEGED)
    assert declined(sandbox)[FULL.name] == "[Errno 1] unshare: Operation not permitted"


def test_a_machine_without_any_cage_still_serves(start: Start) -> None:
    """An attempt that failed after it had forked children keeps none of the next one's folders."""
    sandbox = start(f"refuse(unshare={UNSHARE}, landlock_create_ruleset={LANDLOCK})")
    assert sandbox.claim.cage == OPEN
    for _ in range(2):
        requests, replies = sandbox.start()
        os.write(requests, b"abc")
        assert os.read(replies, 100) == b"cba"
        os.close(requests)
        assert sandbox.end(grace=10.0) == 0
        os.close(replies)


def test_a_machine_without_landlock(start: Start) -> None:
    sandbox = start(f"refuse(landlock_create_ruleset={LANDLOCK})")
    assert sandbox.claim.cage == OPEN
    refused = "[Errno 1] landlock_create_ruleset: Operation not permitted"
    with_namespaces = missing("namespaces").partition(": ")[2] or refused
    assert declined(sandbox) == {
        FULL.name: with_namespaces,
        WITHOUT_FILTER.name: with_namespaces,
        UNPRIVILEGED.name: refused,
    }


def test_a_machine_without_a_filter(start: Start) -> None:
    sandbox = start(f"refuse(seccomp={SECCOMP})")
    assert sandbox.claim.cage == (OPEN if missing("namespaces", "landlock") else WITHOUT_FILTER)
    without = missing("namespaces", "landlock").partition(": ")[2]
    assert declined(sandbox)[FULL.name] == (without or "[Errno 1] seccomp: Operation not permitted")


@pytest.mark.parametrize(
    ("change", "cage", "got"),
    [
        ("cage.landlock.restrict = nothing", UNPRIVILEGED, "read files: "),
        ("cage.landlock.restrict = nothing", UNPRIVILEGED, "write files: "),
        ("cage.landlock.restrict = nothing", UNPRIVILEGED, "read other processes: "),
        ("cage.seccomp.install = nothing", UNPRIVILEGED, "reach the network: "),
        ("cage.seccomp.install = nothing", UNPRIVILEGED, "change other processes: "),
        ("cage.landlock.restrict = cage.seccomp.install = nothing", UNPRIVILEGED, "start programs: "),
        ("fork_server.close_descriptors = nothing", UNPRIVILEGED, "find descriptors: "),
        ("check = lambda: open('/nowhere')", UNPRIVILEGED, "in it FileNotFoundError: "),
    ],
)
def test_a_cage_that_lets_an_attack_through_is_not_claimed(start: Start, change: str, cage: Cage, got: str) -> None:
    sandbox = start(change, (cage, OPEN))
    assert sandbox.claim.cage == OPEN
    why = missing("landlock", "seccomp")
    assert got in declined(sandbox)[cage.name] or why


@pytest.mark.parametrize(
    ("silenced", "harm"),
    [
        ("read files", ""),
        ("outlive", "a process outlived the cage"),
        ("write files", "a file outside was changed"),
        ("signal", "a process outside was ended"),
        ("signal by a descriptor", "a process outside was ended"),
    ],
)
def test_what_became_of_the_targets_is_looked_at_from_outside(start: Start, silenced: str, harm: str) -> None:
    """Only one attack is made, it says that it got nothing, and the cage is none."""
    change = f"""
attack = attacks.ATTACKS[{silenced!r}]
attacks.ATTACKS = {{{silenced!r}: lambda targets: [None for got in attack(targets)][:0]}}
fork_server.put_on = nothing
"""
    sandbox = start(change, (UNPRIVILEGED, OPEN))
    assert sandbox.claim.cage == (OPEN if harm else UNPRIVILEGED)
    assert declined(sandbox) == ({UNPRIVILEGED.name: harm} if harm else {})


def test_every_attack_succeeds_where_there_is_no_cage(start: Start) -> None:
    """Else a cage would be praised for what no process can do here."""
    sandbox = start("fork_server.put_on = fork_server.close_descriptors = nothing", (UNPRIVILEGED, OPEN))
    seen = declined(sandbox)[UNPRIVILEGED.name]
    for name in ("read files", "write files", "reach the network", "read other processes", "start programs"):
        assert f"{name}: " in seen
    assert "127.0.0.1" in seen and "socket" in seen, seen
    assert "/etc/passwd" in seen


@pytest.mark.parametrize("cage", CAGES, ids=lambda cage: cage.name)
def test_nothing_outlives_a_caller_that_is_killed(start: Start, cage: Cage, tmp_path: Path) -> None:
    """The caller gets no chance to close anything; the child that it leaves sleeps."""
    start()  # writes the script
    caller = tmp_path / "caller.py"
    caller.write_text(
        f"""
import os, sys, time
from opwright_build.sandbox.client import Sandbox
from opwright_build.sandbox.levels import CAGES
sandbox = Sandbox({str(tmp_path / "script.py")!r}, [CAGES[{CAGES.index(cage)}], CAGES[-1]], {{}})
requests, replies = sandbox.start()
os.write(requests, b"x")
os.read(replies, 1)
print(sandbox._process.pid, flush=True)
time.sleep(600)
"""
    )
    folder = str(Path(opwright_build.__path__[0]).parent)
    with subprocess.Popen([sys.executable, str(caller)], env={"PYTHONPATH": folder}, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        try:
            session = int(running.stdout.readline())
            before = of_session(session)
        finally:
            running.kill()
    assert len(before) >= 3
    until = time.monotonic() + 30.0
    while of_session(session) and time.monotonic() < until:
        time.sleep(0.05)
    assert of_session(session) == []


def of_session(session: int) -> list[int]:
    """The processes that a sandbox consists of: none of them can leave its session, but for those at level 0."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue
        if int(text.rpartition(")")[2].split()[3]) == session:
            found.append(int(path.parent.name))
    return found
