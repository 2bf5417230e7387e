"""What is kept from build to build, damaged or put there to be believed: the next build makes the right bytes."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from opwright_build.engine.user_secret import VARIABLE

from tests.faults.runs import run
from tests.faults.small_library import Trial, some_state, write

_FOREIGN = {VARIABLE: "the secret of somebody else who builds in other folders"}


def kept(root: Path) -> list[Path]:
    """The files of the working folder, the cache among them."""
    return [path for path in sorted((root / ".opwright").rglob("*")) if path.is_file() and not path.is_symlink()]


def _flip(data: bytes, numbers: random.Random) -> bytes:
    at = numbers.randrange(len(data) or 1)
    return data[:at] + bytes([data[at] ^ (1 << numbers.randrange(8))]) + data[at + 1 :] if data else b"\0"


DAMAGE: Mapping[str, Callable[[bytes, random.Random], bytes]] = {
    "a bit flips": _flip,
    "it ends early": lambda data, numbers: data[: numbers.randrange(len(data) or 1)],
    "it is empty": lambda data, numbers: b"",
    "zeros": lambda data, numbers: bytes(len(data)),
    "zeros at its end": lambda data, numbers: data[: len(data) // 2] + bytes(len(data) - len(data) // 2),
    "twice": lambda data, numbers: data + data,
    "noise": lambda data, numbers: numbers.randbytes(len(data)),
    "a line": lambda data, numbers: b"{}\n",
}


def _then(trial: Trial) -> None:
    """What makes the next build ask for what is kept."""
    match trial.numbers.randrange(4):
        case 0:
            trial.change()
        case 1:
            shutil.rmtree(trial.root / "dist")
        case 2:
            for name in ("dist", "library"):
                shutil.rmtree(trial.root / name)
        case _:
            (trial.root / ".opwright" / "hints.json").unlink(missing_ok=True)


def corrupted(trial: Trial) -> None:
    """Some of what is kept is damaged, lost, or in the place of something else; now and then all of it is."""
    numbers, files = trial.numbers, kept(trial.root)
    match numbers.randrange(10):
        case 0:
            chosen = files
        case 1 | 2:
            chosen = numbers.sample(files, len(files) // 3)
        case _:
            chosen = [numbers.choice(files)]
    what = numbers.choice([*DAMAGE, "lost", "swapped"])
    for path in chosen:
        if path.name == "outputs.json":
            trial.forget()
        match what:
            case "lost":
                path.unlink()
            case "swapped":
                path.write_bytes(numbers.choice([item for item in files if item.exists()]).read_bytes())
            case _:
                path.write_bytes(DAMAGE[what](path.read_bytes(), numbers))
    _then(trial)
    told = f"{what}: {', '.join(path.relative_to(trial.root).as_posix() for path in chosen[:3])}"
    trial.must_be_good(run(["build"], trial.root), told)
    trial.must_be_good(run(["build"], trial.root), f"{told}; again")


def _built_elsewhere(trial: Trial, environment: Mapping[str, str]) -> Path:
    """Another checkout of the library in another state, with its working folder."""
    elsewhere = trial.root.with_name("elsewhere")
    shutil.rmtree(elsewhere, ignore_errors=True)
    write(elsewhere, some_state(trial.numbers, trial.state))
    ran = run(["build"], elsewhere, environment=environment)
    assert ran.status == 0, ran.told
    return elsewhere


def _foreign_cache(trial: Trial) -> None:
    trial.forget()
    elsewhere = _built_elsewhere(trial, _FOREIGN)
    shutil.copytree(elsewhere / ".opwright", trial.root / ".opwright", dirs_exist_ok=True)


def _foreign_bodies_in_our_names(trial: Trial) -> None:
    trial.forget()
    elsewhere = _built_elsewhere(trial, _FOREIGN)
    theirs = kept(elsewhere)
    for path in kept(trial.root):
        same = elsewhere / path.relative_to(trial.root)
        path.write_bytes((same if same.exists() else trial.numbers.choice(theirs)).read_bytes())


def _ours_of_another_state(trial: Trial) -> None:
    """Sealed by us, and once true: of other sources, in another folder."""
    trial.forget()
    elsewhere = _built_elsewhere(trial, {})
    shutil.copytree(elsewhere / ".opwright", trial.root / ".opwright", dirs_exist_ok=True)


def _ours_under_another_key(trial: Trial) -> None:
    records = [path for path in kept(trial.root) if "records" in path.parts]
    bodies = [path.read_bytes() for path in records]
    trial.numbers.shuffle(bodies)
    for path, body in zip(records, bodies, strict=True):
        path.write_bytes(body)


def _blobs_in_one_anothers_place(trial: Trial) -> None:
    blobs = [path for path in kept(trial.root) if "blobs" in path.parts]
    bodies = [path.read_bytes() for path in blobs]
    for path, body in zip(blobs, reversed(bodies), strict=True):
        path.write_bytes(body)


def _our_state_of_before(trial: Trial) -> None:
    """The files of the working folder from before the last build, put back after it; the cache stays as it is."""
    trial.forget()
    before = {path: path.read_bytes() for path in kept(trial.root) if path.parent.name == ".opwright"}
    trial.change()
    ran = run(["build"], trial.root)
    assert ran.status == 0, ran.told
    for path, data in before.items():
        path.write_bytes(data)


def _sources_that_look_unchanged(trial: Trial) -> None:
    """The hints of before, and sources of the same size that claim to be as old."""
    run(["build"], trial.root)
    stamps = {path: path.stat() for path in (trial.root / "specs").rglob("*") if path.is_file()}
    for path in trial.change():
        os.utime(path, ns=(stamps[path].st_atime_ns, stamps[path].st_mtime_ns))


POISONS: tuple[Callable[[Trial], None], ...] = (
    _foreign_cache,
    _foreign_bodies_in_our_names,
    _ours_of_another_state,
    _ours_under_another_key,
    _blobs_in_one_anothers_place,
    _our_state_of_before,
    _sources_that_look_unchanged,
)


def poisoned(trial: Trial) -> None:
    """What is kept is whole and agrees with itself, but is of others, of other sources, or of before."""
    poison = trial.numbers.choice(POISONS)
    poison(trial)
    if trial.numbers.random() < 0.5:
        _then(trial)
    trial.must_be_good(run(["build"], trial.root), poison.__name__.strip("_"))
    trial.must_be_good(run(["build"], trial.root), f"{poison.__name__.strip('_')}; again")
