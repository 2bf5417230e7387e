"""`--watch`: the command runs again after each change, whatever it finds, until it is interrupted."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from opwright_build.workflow.watching import stamps, watch

from tests.cli.test_interrupted import heed_interrupts

SLOWEST = 120  # seconds until a run is over, on a busy machine


class Watched:
    """A command that watches, and what it says."""

    def __init__(self, *words: str) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "opwright_build", *words],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=heed_interrupts,
        )
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def run(self) -> str:
        """What the next run says."""
        said = ""
        while "watching specs/" not in said:
            said += self._lines.get(timeout=SLOWEST)
        return said


@pytest.mark.skipif(sys.platform == "win32", reason="a process is not sent Ctrl-C alone")
@pytest.mark.parametrize(
    ("command", "well"), [(("build",), "next: opwright test"), (("test", "--no-oracle"), " cells")]
)
@pytest.mark.long
def test_each_change_is_a_run_until_ctrl_c(command: tuple[str, ...], well: str, library: Path) -> None:
    source = Path("specs/com.acme/Swish/function.py")
    good = source.read_text()
    watched = Watched(*command, "--watch")
    try:
        assert well in watched.run()
        source.write_text(good.replace("return", "return nothing +"))
        assert "error OW302" in watched.run()
        Path("specs/com.acme/Swish/notes.txt").write_text("a file of any kind")
        assert "error OW302" in watched.run(), "errors do not end it"
        source.write_text(good)
        assert well in watched.run()
        watched.process.send_signal(signal.SIGINT)
        assert watched.process.wait(timeout=SLOWEST) == 130
    finally:
        watched.process.kill()


def test_what_is_no_library_is_not_watched(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "opwright_build", "build", "--watch", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=SLOWEST,
    )
    assert done.returncode == 2
    assert "OW110" in done.stdout


def test_what_is_no_library_for_a_moment_is_watched_on(library: Path) -> None:
    """As while an editor, or git, puts another library.yaml in its place."""
    file, statuses = Path("specs/library.yaml"), [0, 2, 2, 0]
    said: list[str] = []

    class Interrupted(Exception):
        pass

    def command() -> int:
        if not statuses:
            raise Interrupted
        if file.exists():
            file.rename("library.yaml")
        else:
            Path("library.yaml").rename(file)
        return statuses.pop(0)

    with pytest.raises(Interrupted):
        watch(library, command, said.append)
    assert len(said) == 4


def test_files_are_told_apart_by_what_the_system_says(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one").write_text("1")
    (tmp_path / ".hidden").write_text("1")
    before = stamps(tmp_path)
    assert list(before) == [os.fspath(tmp_path / "a" / "one")]
    (tmp_path / ".hidden").write_text("22")
    assert stamps(tmp_path) == before
    (tmp_path / "a" / "one").write_text("22")
    assert stamps(tmp_path) != before
    (tmp_path / "a" / "one").unlink()
    assert stamps(tmp_path) == stamps(tmp_path / "nowhere") == {}
