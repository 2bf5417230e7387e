"""`opwright index`: folders of releases become an index of static files; what it lists once, it lists for ever."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from opwright.bundle.format import MOST_BYTES, SUFFIX
from opwright.bundle.read import read_bundle
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.diagnostics.exits import Exit
from opwright.regular_file import read_regular

from opwright_build.engine.system_errors import reason_of
from opwright_build.publication.artefacts import MOST_SUMS_BYTES, SIGNATURE, SIGNATURE_BYTES, SUMS, Artefact, read_sums
from opwright_build.publication.index_pages import simple_pages
from opwright_build.publication.index_place import IndexPlace
from opwright_build.publication.static_index import (
    INDEX_FILE,
    ListedFile,
    ListedRelease,
    is_release_number,
    write_index,
)
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted
from opwright_build.workflow.opened.task import reporting
from opwright_build.workflow.opened.writing import write_file


def index(site: Path, folders: Sequence[Path], reporter: Reporter) -> int:
    """Adds the releases in `folders`, as `publish` wrote them, to the index in the folder `site`, and writes its pages
    anew. Nothing is written where one of them is damaged, or is there with other files."""

    def task() -> int:
        known = IndexPlace(os.fspath(site)).releases() if (site / INDEX_FILE).exists() else []
        releases = {(item.library, item.version): item for item in known}
        made = [_read_release(folder) for folder in folders]
        lines: list[str] = []
        for release, _ in made:
            before = releases.setdefault((release.library, release.version), release)
            if before != release:
                raise DiagnosticError([_other_bytes(before, release)])
        for release, files in made:
            for listed, file in zip(release.files, files, strict=True):
                write_file(site / release.path_of(listed), file.data)
            lines.append(f"{release.library} {release.version}: {counted(len(release.files), 'file')}")
        for path, page in simple_pages(list(releases.values())).items():
            write_file(site / path, page)
        write_file(site / INDEX_FILE, write_index(releases.values()))
        lines.append(f"{os.path.relpath(site)}: {counted(len(releases), 'release')}")
        reporter.summary("\n".join(lines), {})
        return Exit.GOOD

    return reporting(reporter, task)


def _read_release(folder: Path) -> tuple[ListedRelease, list[Artefact]]:
    """What the folder of a release holds, every file of the digest that SHA256SUMS says. DiagnosticError (OW674)."""
    try:
        sums = Artefact(SUMS, read_regular(folder / SUMS, MOST_SUMS_BYTES))
        listed = read_sums(sums.data)
        found = [Artefact(name, read_regular(folder / name, MOST_BYTES)) for name in listed]
        signature = folder / SIGNATURE
        beside = [Artefact(SIGNATURE, read_regular(signature, MOST_SUMS_BYTES))] if signature.exists() else []
    except OSError as error:
        name = os.path.basename(error.filename) if isinstance(error.filename, str) else SUMS
        raise DiagnosticError([_damaged(folder, f"{name}: {reason_of(error)}")]) from None
    except ValueError as error:
        raise DiagnosticError([_damaged(folder, f"{SUMS} {error}")]) from None
    if any(len(item.data) != SIGNATURE_BYTES for item in beside):
        raise DiagnosticError([_damaged(folder, f"{SIGNATURE} is no signature: it has not {SIGNATURE_BYTES} bytes")])
    for file in found:
        if file.sha256 != listed[file.name]:
            raise DiagnosticError([_damaged(folder, f"{file.name} has not the digest that {SUMS} says")])
    bundles = [file for file in found if file.name.endswith(SUFFIX)]
    if len(bundles) != 1:
        raise DiagnosticError([_damaged(folder, f"it holds {counted(len(bundles), 'bundle')}")])
    library = read_bundle(bundles[0].data, bundles[0].name).index
    if bundles[0].name != f"{library.library}-{library.version}{SUFFIX}" or not is_release_number(library.version):
        raise DiagnosticError([_damaged(folder, f"{bundles[0].name} holds {library.library} {library.version}")])
    files = sorted((*found, sums, *beside), key=lambda item: item.name)
    release = ListedRelease(
        library.library,
        library.version,
        library.package,
        " ".join(library.summary.split()),
        " ".join(library.license.split()),
        library.opsets,
        tuple(library.table.identities()),
        tuple(ListedFile(file.name, len(file.data), sha256(file.data).hexdigest()) for file in files),
    )
    return release, files


def _damaged(folder: Path, reason: str) -> Diagnostic:
    help_ = "`opwright publish` writes such a folder"
    return Diagnostic("OW674", f"{folder.name} is not the folder of a release", reason=reason, help=help_)


def _other_bytes(before: ListedRelease, now: ListedRelease) -> Diagnostic:
    same = set(before.files)
    names = [file.name for file in now.files if file not in same] or [
        file.name for file in before.files if file not in set(now.files)
    ]
    return Diagnostic(
        "OW675",
        f"{now.library} {now.version} is in the index with other files",
        reason=f"{', '.join(names)} differ; those who have added it hold the digests of the first",
        help="a release never changes: publish what is new under a later number",
    )
