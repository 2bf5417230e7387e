"""Programs through a compiler, spread over processes: that of this tree, or that of another revision."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue

from tests.corpus.programs import ROOT, SEED, Entry, generated, texts_below, written
from tests.corpus.results import Result, parse

BATCH = 250
_ADAPTER = "tests/corpus/compiled.py"
_STRUCTURE = "tests/corpus/structure.py"  # ours for every revision: digests that are compared are made in one way


class Corpus:
    """The programs, written to files in a scratch folder: each compiler is given the same ones."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.library = scratch / "library"
        self.batches: list[Path] = []

    def put_library(self) -> None:
        """The specs of this tree as they are now."""
        for path, text in texts_below(ROOT).items():
            target = self.library / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")

    def put(self, entries: Iterable[Entry], size: int = BATCH) -> None:
        lines = [entry.line() for entry in entries]
        self.put_lines(lines, size)

    def put_lines(self, lines: Sequence[str], size: int = BATCH) -> None:
        for first in range(0, len(lines), size):
            path = self.scratch / f"batch{len(self.batches)}.jsonl"
            path.write_text("".join(f"{line}\n" for line in lines[first : first + size]), encoding="utf-8")
            self.batches.append(path)

    def keep(self, text: str) -> None:
        """Only the programs whose id contains the text."""
        found = [line for line in self._lines() if text in json.loads(line)["id"]]
        self.batches = []
        self.put_lines(found)

    def described(self) -> Iterator[str]:
        """The programs as they are given to the compiler."""
        for given in map(json.loads, self._lines()):
            texts = {"": given.pop("text")} if "text" in given else given.pop("files")
            yield f"# {given}"
            for name, text in texts.items():
                yield f"# {name}\n{text}" if name else text

    def _lines(self) -> Iterator[str]:
        for path in self.batches:
            yield from path.read_text(encoding="utf-8").splitlines()

    def put_everything(self, sizes: Mapping[str, int], processes: int) -> None:
        """What people wrote, the slowest first, and as many generated programs of each kind."""
        self.put_library()
        found = sorted(written(), key=lambda entry: (entry.how != "spec", entry.id))
        self.put((entry for entry in found if entry.how == "spec"), 4)
        self.put(entry for entry in found if entry.how != "spec")
        jobs = [
            (kind, range(first, min(first + BATCH, size)))
            for kind, size in sizes.items()
            for first in range(0, size, BATCH)
        ]
        with ProcessPoolExecutor(processes) as pool:
            for lines in pool.map(_lines, jobs):
                self.put_lines(lines)


def _lines(job: tuple[str, range]) -> list[str]:
    kind, numbers = job
    return [generated(kind, number, SEED).line() for number in numbers]


def compile_all(corpus: Corpus, root: Path, processes: int, texts: bool = False) -> dict[str, Result]:
    """The results of all programs by the compiler of the tree at `root`, by id, in the order of the programs."""
    waiting: SimpleQueue[Path] = SimpleQueue()
    for batch in corpus.batches:
        waiting.put(batch)
    folder = Path(tempfile.mkdtemp(dir=corpus.scratch))
    serve = partial(_serve, waiting, corpus.library, root, folder, texts)
    with ThreadPoolExecutor(processes) as pool:
        for done in [pool.submit(serve) for _ in range(processes)]:
            done.result()
    lines = (line for batch in corpus.batches for line in (folder / batch.name).read_text("utf-8").splitlines())
    return {result.id: result for result in map(parse, lines)}


def _serve(waiting: SimpleQueue[Path], library: Path, root: Path, folder: Path, texts: bool) -> None:
    """One process of that tree's compiler, given one batch after the other."""
    paths = [str(root), str(root / "library"), str(root / "buildtool")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONHASHSEED": "0"}
    environment |= {"CORPUS_TEXTS": "1"} if texts else {}
    command = [sys.executable, "-m", "tests.corpus.compiled", str(library)]
    with subprocess.Popen(
        command, cwd=root, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        while (batch := _next(waiting)) is not None:
            target = folder / batch.name
            process.stdin.write(f"{batch}\t{target}\n")
            process.stdin.flush()
            if process.stdout.readline() != f"{target}\n":
                process.kill()
                raise RuntimeError(f"the compiler at {root} ends in {batch}")
        process.stdin.close()


def _next(waiting: SimpleQueue[Path]) -> Path | None:
    try:
        return waiting.get_nowait()
    except Empty:
        return None


@contextmanager
def revision(name: str) -> Iterator[Path]:
    """A worktree of that revision for as long as it is needed. One older than the corpus is run with our adapter."""
    folder = Path(tempfile.mkdtemp(prefix="corpus-"))
    root = folder / "tree"
    git = ("git", "-C", str(ROOT), "worktree")
    subprocess.run([*git, "add", "--quiet", "--detach", str(root), name], check=True)
    try:
        if not (root / _ADAPTER).exists():
            (root / _ADAPTER).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / _ADAPTER, root / _ADAPTER)
        if (ROOT / _STRUCTURE).exists():
            shutil.copy(ROOT / _STRUCTURE, root / _STRUCTURE)
        yield root
    finally:
        subprocess.run([*git, "remove", "--force", str(root)], check=True)
        shutil.rmtree(folder)
