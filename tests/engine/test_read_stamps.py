"""What a result rests on is told as one look at each source would tell it, whatever happens to the files."""

import itertools
import os
import random
import shutil
from pathlib import Path

import pytest
from opwright_build.engine.action import Read, pack_reads
from opwright_build.engine.hints import FileHints
from opwright_build.engine.read_stamps import ReadStamps
from opwright_build.engine.sources import FolderSources

from tests.sealed import OTHERS, kept

SIZES = itertools.count(100)
NAMES = ("list:specs", "file:specs/a/x.py", "file:specs/a/y.py", "file:specs/b/x.py", "file:c.py", "file:specs/none")


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every file had been read an hour after it was written."""
    monkeypatch.setattr("opwright_build.engine.hints.SETTLED_NS", -3_600_000_000_000)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in NAMES[1:5]:
        path = tmp_path / name.removeprefix("file:")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())
    return tmp_path


def content() -> bytes:
    """Bytes of a size that no other file had: the writes of a test are in one tick of the clock."""
    return b"x" * next(SIZES)


def opened(root: Path, rehash: bool = False) -> tuple[ReadStamps, FolderSources, FileHints]:
    hints = FileHints(kept(root / ".opwright" / "hints.json"))
    sources = FolderSources(root, hints)
    return ReadStamps(kept(root / ".opwright" / "stamps"), root, hints, sources, rehash), sources, hints


def noted(root: Path) -> str:
    """The digest of the reads of now, whose stamps are kept."""
    stamps, sources, hints = opened(root)
    reads = [Read(name, sources.digest(name)) for name in NAMES]
    stamps.note(reads)
    hints.save()
    stamps.save()
    return pack_reads(reads).digest


def noted_again(root: Path, before: dict[str, str | None]) -> str:
    """The same after an edit, whose reads are the former ones with other digests."""
    stamps, sources, hints = opened(root)
    packed = pack_reads([Read(name, digest) for name, digest in before.items()])
    now = {name: sources.digest(name) for name in NAMES[1:]}
    reads = packed.with_digests(stamps.changed(packed.digest) or now)
    stamps.note(reads)
    hints.save()
    stamps.save()
    return reads.digest


def differing(root: Path, before: dict[str, str | None]) -> dict[str, str | None]:
    sources = opened(root)[1]
    return {name: sources.digest(name) for name in NAMES if sources.digest(name) != before[name]}


def disturb(root: Path, dice: random.Random) -> None:
    place = root / dice.choice(NAMES[1:]).removeprefix("file:")
    elsewhere = root / "elsewhere"
    match dice.randrange(7):
        case 0:
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(content())
        case 1:
            place.unlink(missing_ok=True)
        case 2 if place.exists():
            os.utime(place)
        case 3 if place.exists():
            place.with_name("new").write_bytes(place.read_bytes())
            place.with_name("new").replace(place)
        case 4 if place.parent.parent == root / "specs" and place.parent.is_dir() and not elsewhere.exists():
            place.parent.rename(elsewhere)
            place.parent.symlink_to(elsewhere)
        case 5 if place.exists() and place.parent != root:
            shutil.rmtree(place.parent) if not place.parent.is_symlink() else place.parent.unlink()
        case _:
            (root / "specs" / dice.choice(("", "a")) / "other").mkdir(parents=True, exist_ok=True)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.usefixtures("settled")
def test_all_that_has_changed_is_told(seed: int, root: Path) -> None:
    dice = random.Random(seed)
    for _ in range(6):
        sources = opened(root)[1]
        before = {name: sources.digest(name) for name in NAMES}
        trace = noted(root)
        for _ in range(dice.randrange(3)):
            disturb(root, dice)
        assert opened(root)[0].changed(trace) == differing(root, before)


@pytest.mark.usefixtures("settled")
def test_unchanged_files_are_not_looked_up(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = noted(root)
    asked: list[str] = []
    stamps, sources, _ = opened(root)
    real = sources.digest
    monkeypatch.setattr(sources, "digest", lambda name: asked.append(name) or real(name))
    assert stamps.changed(trace) == {}
    assert asked == ["list:specs", "file:c.py", "file:specs/none"]


def test_young_files_are_looked_up(root: Path) -> None:
    trace = noted(root)
    (root / "specs/a/x.py").write_bytes(content())
    assert opened(root)[0].changed(trace) is not None
    assert "file:specs/a/x.py" in (opened(root)[0].changed(trace) or ())


def test_other_reads_are_not_known(root: Path) -> None:
    trace = noted(root)
    assert opened(root)[0].changed(pack_reads(()).digest) is None
    assert opened(root, rehash=True)[0].changed(trace) is None
    path = root / ".opwright" / "stamps"
    body = kept(path).load_body()
    for damaged in (path.read_bytes()[:-1], b"", OTHERS.close("stamps", body)):
        path.write_bytes(damaged)
        assert opened(root)[0].changed(trace) is None


@pytest.mark.usefixtures("settled")
def test_reads_that_cannot_hold_are_told(root: Path) -> None:
    reads = [Read(name, opened(root)[1].digest(name)) for name in NAMES]
    noted(root)
    (root / "c.py").write_bytes(content())
    stamps, sources, _ = opened(root)
    assert not stamps.may_hold(pack_reads(reads))
    now = [Read(name, sources.digest(name)) for name in NAMES]
    assert stamps.may_hold(pack_reads(now)) and stamps.may_hold(pack_reads(now[:2]))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.usefixtures("settled")
def test_stamps_of_an_edit_are_made_of_those_before(seed: int, root: Path) -> None:
    dice = random.Random(seed)
    noted(root)
    for _ in range(6):
        sources = opened(root)[1]
        before = {name: sources.digest(name) for name in NAMES}
        for _ in range(dice.randrange(3)):
            (root / dice.choice(NAMES[1:5]).removeprefix("file:")).write_bytes(content())
        trace = noted_again(root, before)
        sources = opened(root)[1]
        assert trace == pack_reads([Read(name, sources.digest(name)) for name in NAMES]).digest
        assert opened(root)[0].changed(trace) == {}
        made = kept(root / ".opwright" / "stamps").load_body()
        (root / ".opwright" / "stamps").unlink()
        noted(root)
        assert kept(root / ".opwright" / "stamps").load_body() == made
