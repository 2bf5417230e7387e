"""`opwright clean`: takes away what builds have left, and nothing else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from opwright.diagnostics.exits import Exit

from opwright_build.engine.folder_lock import folder_lock
from opwright_build.engine.system_errors import cannot_be
from opwright_build.engine.tree import Tree
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted
from opwright_build.spec.library_root import find_library
from opwright_build.workflow.opened.session import OUTPUTS, WORK, Options, open_session
from opwright_build.workflow.opened.task import reporting

LOCK = "lock"


def clean(path: Path, outputs: bool, dry_run: bool, reporter: Reporter) -> int:
    """Removes the working folder of the library around `path`; with `outputs`, what builds wrote below dist/ and
    library/ as well, as far as it is unchanged since. With `dry_run` it is told alone."""

    def task() -> int:
        root = find_library(path)
        removed: list[str] = []
        left: list[str] = []
        if outputs:
            with open_session(root, reporter, Options()) as session:
                if not session.publisher.remembers:
                    left += [f"{area}/" for area in OUTPUTS if any((root / area).glob("*"))]
                removed += session.publisher.stale({})
                if not dry_run:
                    session.publisher.publish({}, lambda file: b"")
        freed, files = _clean_work(root, dry_run, reporter)
        would = "would remove" if dry_run else "removed"
        lines = [f"{would} {file}" for file in removed]
        if left:
            lines.append(f"{' and '.join(left)} left: {WORK}/, which notes what builds wrote there, was removed before")
        lines.append(f"{would} {counted(files, 'file')} of {WORK}/, {freed / 1e6:,.1f} MB")
        reporter.summary("\n".join(lines), {"exit": int(Exit.GOOD), "outputs": removed, "files": files, "bytes": freed})
        return Exit.GOOD

    return reporting(reporter, task)


def _clean_work(root: Path, dry_run: bool, reporter: Reporter) -> tuple[int, int]:
    """The bytes and the number of the files below the working folder, which are gone then. Its lock stays: another
    build may wait for it."""
    work = root / WORK
    Tree(root).require_folder(WORK)
    if not work.is_dir():
        return 0, 0

    def waiting() -> None:
        reporter.step("another opwright is at work in this folder; waiting for it to end")

    try:
        with folder_lock(work / LOCK, waiting):
            sizes = list(_sizes(work))
            for item in [] if dry_run else sorted(work.iterdir()):
                if item.name == LOCK:
                    continue
                if item.is_dir() and not item.is_symlink():
                    shutil.rmtree(item)
                else:
                    item.unlink()
    except OSError as error:
        raise cannot_be("removed", WORK, error, "remove it by hand") from error
    return sum(sizes), len(sizes)


def _sizes(folder: Path) -> Iterator[int]:
    """The size of each file below a folder but the lock; links are not followed."""
    for above, _, names in os.walk(folder):
        for name in names:
            if name != LOCK:
                yield os.lstat(os.path.join(above, name)).st_size
