"""A disk that is full, places that cannot be written or are no files, and clocks that jump."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.faults.runs import (
    FULL,
    run,
    with_clock_moved,
    with_files_of_at_most,
    with_refusals,
    without_privileges,
)
from tests.faults.small_library import Trial, outputs

SECRET = "secret"


def _fresh_cache_sometimes(trial: Trial) -> None:
    if trial.numbers.random() < 0.5:
        shutil.rmtree(trial.root / ".opwright" / "cache", ignore_errors=True)


def full(trial: Trial) -> None:
    """The disk takes no more: from some byte of a file on, or from some operation on, for ever or once."""
    numbers = trial.numbers
    before = outputs(trial.root)
    trial.change()
    _fresh_cache_sometimes(trial)
    if numbers.random() < 0.4:
        sizes = [len(data) for data in trial.quiet.outputs(trial.state).values()]
        size = numbers.choice((0, 1, 100, 1_000, *(numbers.randrange(item + 1) for item in sizes)))
        what, prepare = f"files of at most {size} bytes", with_files_of_at_most(size)
    else:
        number, first, count = numbers.choice(FULL), numbers.randrange(90), numbers.choice((1, 3, 10_000))
        what = f"{os.strerror(number)}, {count} times from operation {first} on"
        prepare = with_refusals(number, first, count, trial.root, reading=False)
    ran = run(["build"], trial.root, prepare)
    trial.judge(ran, what)
    trial.old_or_new(before, what)
    if ran.status == 0:
        trial.must_be_built(ran, f"{what}: it says that all is well")
    trial.must_be_good(run(["build"], trial.root), f"the build after {what}")


def unreadable(trial: Trial) -> None:
    """Files cannot be read now and then, or never again: sources, what is kept and outputs."""
    numbers = trial.numbers
    before = outputs(trial.root)
    if numbers.random() < 0.7:
        trial.change()
    number, first, count = numbers.choice(FULL), numbers.randrange(90), numbers.choice((1, 1, 3, 10_000))
    what = f"reading: {os.strerror(number)}, {count} times from operation {first} on"
    command = numbers.choice((["build"], ["build"], ["lint"], ["ls", "--json"], ["stubs", "--check"]))
    ran = run(command, trial.root, with_refusals(number, first, count, trial.root, reading=True))
    trial.judge(ran, f"{command[0]}, {what}")
    trial.old_or_new(before, what)
    if command == ["build"] and ran.status == 0:
        trial.must_be_built(ran, f"{what}: it says that all is well")
    trial.must_be_good(run(["build"], trial.root), f"the build after {what}")


@contextmanager
def _closed(*paths: Path, deep: bool) -> Iterator[None]:
    """Folders that nothing can be written to."""
    below = [item for path in paths if deep for item in path.rglob("*") if item.is_dir() and not item.is_symlink()]
    modes = {path: path.stat().st_mode for path in (*paths, *below) if path.is_dir()}
    for path in modes:
        path.chmod(0o555)
    try:
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(stat.S_IMODE(mode))


READ_ONLY = ("dist", "library", "library/golden_ops", ".opwright", ".opwright/cache", ".opwright/cache/records", ".")


def read_only(trial: Trial) -> None:
    """A folder cannot be written to, or the home of the user; the build says so, or does without."""
    numbers = trial.numbers
    before = outputs(trial.root)
    trial.change()
    _fresh_cache_sometimes(trial)
    name = numbers.choice((*READ_ONLY, "HOME", "HOME"))
    home = trial.root.with_name("home")
    home.mkdir(exist_ok=True)
    environment = {"HOME": str(home), "XDG_CONFIG_HOME": ""}
    if name == "HOME":
        trial.forget()
        environment["OPWRIGHT_CACHE_SECRET"] = ""
    with _closed(home if name == "HOME" else trial.root / name, deep=numbers.random() < 0.5):
        ran = run(["build"], trial.root, without_privileges, environment)
    trial.judge(ran, f"{name} cannot be written to")
    trial.old_or_new(before, f"{name} cannot be written to")
    if name == "HOME" or ran.status == 0:
        trial.must_be_good(ran, f"{name} cannot be written to")
    trial.must_be_good(run(["build"], trial.root), f"the build after {name} could not be written to")


def _socket(path: Path) -> None:
    import socket

    with socket.socket(socket.AF_UNIX) as made:
        here = os.getcwd()
        os.chdir(path.parent)  # paths of sockets are short
        try:
            made.bind("s")
            os.rename("s", path.name)
        finally:
            os.chdir(here)


OTHERS: Mapping[str, Callable[[Path], None]] = {
    "a pipe": lambda path: os.mkfifo(path),
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
    "a link to a device without end": lambda path: path.symlink_to("/dev/random"),
    "a socket": _socket,
    "a folder": lambda path: path.mkdir(),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link out": lambda path: path.symlink_to("/etc/passwd"),
}
COMMANDS = (["build"], ["build"], ["build"], ["lint"], ["ls", "--json"], ["stubs", "--check"], ["docs"], ["opsets"])


def _without_bytes(root: Path) -> list[Path]:
    return [path for path in sorted(root.rglob("*")) if not path.is_symlink() and "docs" not in path.parts]


def other_kinds(trial: Trial) -> None:
    """Something that is no regular file is in the place of one, or of a folder: a source, an output, what is kept."""
    numbers = trial.numbers
    places = _without_bytes(trial.root)
    path = numbers.choice(places)
    what = numbers.choice(["a pipe", "a pipe", *OTHERS])
    command = numbers.choice(COMMANDS)
    if numbers.random() < 0.5:
        trial.change()
    aside = trial.root.with_name("aside")
    if not path.exists():  # it was in a folder of the state of before
        return
    path.rename(aside)
    OTHERS[what](path)
    told = f"{what} at {path.relative_to(trial.root).as_posix()}, {command[0]}"
    try:
        ran = run(command, trial.root)
        trial.judge(ran, told)
        if path.is_relative_to(trial.root / "specs") and command == ["build"]:
            cache = trial.root.with_name("no cache")
            clean = run([*command, "--cache", str(cache)], trial.root)
            shutil.rmtree(cache, ignore_errors=True)
            if clean.status != ran.status:
                trial.flaws.append(f"{told}: {ran.told}, and without what is kept {clean.told}")
    finally:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        aside.rename(path)
    shutil.rmtree(trial.root / "docs", ignore_errors=True)
    trial.must_be_good(run(["build"], trial.root), f"the build after {told}")


YEAR = 365 * 86_400
MOMENTS = (0, 1, 86_400, 2**31, 2**32 + 5, 4_102_444_800)


def clocks(trial: Trial) -> None:
    """Files claim to be of any time, equal times with other contents among them; clocks of process and disk differ."""
    numbers = trial.numbers
    stamps = {path: path.stat().st_mtime_ns for path in trial.root.rglob("*") if path.is_file()}
    changed = trial.change()
    what = numbers.choice(("as before", "as before", "as another", "the same for all", "of any time", "now"))
    common = numbers.choice(MOMENTS) * 10**9
    for path in changed if what in ("as before", "as another") else list(stamps):
        match what:
            case "as before":
                moment = stamps[path]
            case "as another":
                moment = numbers.choice(list(stamps.values()))
            case "the same for all":
                moment = common
            case "of any time":
                moment = numbers.choice(MOMENTS) * 10**9
            case _:
                continue
        os.utime(path, ns=(moment, moment))
    if numbers.random() < 0.4:  # an output that has changed within its size and its time
        lasting = sorted(outputs(trial.root).keys() & trial.quiet.outputs(trial.state).keys())
        path = trial.root / numbers.choice(lasting)
        data, status = path.read_bytes() or b"x", path.stat()
        path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    moved = numbers.choice((0.0, 0.0, 3600.0, -3600.0, float(YEAR), -float(20 * YEAR), 2.5))
    told = f"times {what}, the clock of the process {moved:+} s"
    trial.must_be_good(run(["build"], trial.root, with_clock_moved(moved)), told)
    trial.change()
    trial.must_be_good(run(["build"], trial.root, with_clock_moved(-moved)), f"{told}; then the other way")
