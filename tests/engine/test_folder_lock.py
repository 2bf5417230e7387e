import os
import subprocess
import sys
from pathlib import Path

from opwright_build.engine.folder_lock import folder_lock

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
HOLD = """
import sys, time
from pathlib import Path
from opwright_build.engine.folder_lock import folder_lock
with folder_lock(Path(sys.argv[1]), lambda: None):
    print("held", flush=True)
    sys.stdin.readline()
    Path(sys.argv[2]).write_text("finished")
"""


def test_a_second_build_waits_for_the_first(tmp_path: Path) -> None:
    lock, finished = tmp_path / ".opwright" / "lock", tmp_path / "finished"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock), str(finished)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    waited: list[bool] = []

    def let_go() -> None:
        waited.append(finished.exists())
        holder.communicate("go\n", timeout=20)

    with folder_lock(lock, let_go):
        assert finished.read_text() == "finished"
    assert waited == [False]


def test_the_lock_of_a_killed_build_is_free(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock), str(tmp_path / "f")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    holder.kill()
    holder.wait(timeout=20)
    waited: list[bool] = []
    with folder_lock(lock, lambda: waited.append(True)):
        assert waited == []
    holder.communicate()
