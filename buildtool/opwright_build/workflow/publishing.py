"""`opwright publish`: a release as a folder of files, ready for indexes and registries. Nothing is sent."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Severity, has_errors

from opwright_build.engine.environment import installed_versions
from opwright_build.engine.system_errors import reason_of
from opwright_build.publication.artefacts import SIGNATURE, SUMS, Artefact, Release, uploads, write_sums
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted
from opwright_build.workflow.build import publish as write_outputs
from opwright_build.workflow.built.library import BuiltLibrary, build_library, read_packages
from opwright_build.workflow.locking import locks_of_package, texts_of
from opwright_build.workflow.opened.session import DISTRIBUTIONS, Options, Session
from opwright_build.workflow.opened.task import finish, on_library
from opwright_build.workflow.opened.writing import write_below

if TYPE_CHECKING:
    from opwright.bundle.format import Bundle, Index

    from opwright_build.spec.model import Library, Package
    from opwright_build.versions.release_lock import Locks

MOST_KEY_BYTES = 1 << 14
_SPECS = "specs"
_PROVENANCE = ".intoto.json"


@dataclass(frozen=True, slots=True)
class Publishing:
    """What is asked for besides the folder: a file with a key that signs, an OCI layout, a second build that is
    compared."""

    key: Path | None = None
    oci: bool = False
    verify: bool = False


def publish(path: Path, reporter: Reporter, options: Options, wanted: Publishing, started: float) -> int:
    """Writes the folders of the packages asked for of the library around `path`, which has to be as it was released."""
    return on_library(path, reporter, options, lambda session: _publish(session, wanted, started))


def _publish(session: Session, wanted: Publishing, started: float) -> int:
    from opwright_build.spec.load import load_library

    seed = None if wanted.key is None else _read_key(wanted.key)
    library = build_library(session)
    fields: dict[str, Any] = {"packages": [], "verified": False}
    if not library.good:
        return finish(session, started, library.diagnostics, "", fields)
    packages = load_library(session.root, only=[item["library"] for item in library.packages]).library
    found = list(library.diagnostics)
    write_outputs(session, library)
    lines: list[str] = []
    for bundle in read_packages(session, library):
        package = packages.package(bundle.index.library)
        texts = _texts(session, packages.with_siblings([package.name]), found)
        release = _release(session, library, packages, package, bundle, texts, found)
        if release is None:
            continue
        if wanted.verify:
            from opwright_build.workflow.rebuilding import rebuilt_otherwise

            session.reporter.step(f"building {package.name} once more, elsewhere")
            found += rebuilt_otherwise(release, session.root)
        if has_errors(found):
            continue
        lines += _write(session, release, seed, wanted.oci, fields)
    fields["verified"] = wanted.verify and not has_errors(found)
    if fields["verified"]:
        lines.append("built again elsewhere: the same bytes")
    return finish(session, started, found, "\n".join([*lines, "{seconds}"]), fields)


def _texts(session: Session, packages: Iterable[Package], found: list[Diagnostic]) -> dict[str, bytes]:
    """The READMEs and licences of a package and those that it depends on here: a build of it reads them all."""
    from opwright_build.package.wheel_texts import read_texts

    texts: dict[str, bytes] = {}
    for package in packages:
        own, problems = read_texts(package, session.tree.read)
        texts |= own
        found += problems
    return texts


def _release(
    session: Session,
    library: BuiltLibrary,
    packages: Library,
    package: Package,
    bundle: Bundle,
    texts: Mapping[str, bytes],
    found: list[Diagnostic],
) -> Release | None:
    """What there is to publish; None, with the reason in `found`, where this is no release."""
    from opwright_build.package.distribution import distribution_name
    from opwright_build.package.library_model import export_model
    from opwright_build.package.sbom import bill_of_materials
    from opwright_build.package.sdist import build_sdist

    index = bundle.index
    locks, _ = locks_of_package(session, packages, package)
    place = package.places.get("version")
    if not locks.release:
        found.append(_never_released(package, place))
    elif index.version != locks.release:
        found.append(_no_release(index, locks.release, place))
        return None
    edited = texts_of(session, locks)
    if edited:
        found += edited
        return None
    specs = _specs(session)
    bundle_name = f"{index.library}-{index.version}.onnxlib"
    data = _built(session, library, f"dist/{bundle_name}")
    bundle_path = f"{index.package}/{bundle_name}"
    bundle_file = Artefact(bundle_name, data)
    start = f"library/{index.package}/"
    stubs = {
        file.removeprefix(start): _built(session, library, file) for file in library.files if file.startswith(start)
    }
    wheel_name = f"{distribution_name(index.library)}-{index.version}-py3-none-any.whl"
    bill = bill_of_materials(index, index.version, package.about, bundle_path, bundle_file.sha256)
    sdist = build_sdist(index, index.version, package.about, texts, {**stubs, bundle_name: data}, bill, specs)
    first, last = index.opsets
    models = {opset: export_model(bundle, opset) for opset in range(first, last + 1)}
    artefacts = (
        Artefact(wheel_name, _built(session, library, f"dist/{wheel_name}")),
        Artefact(*sdist),
        bundle_file,
        *(
            Artefact(
                f"{index.library}-{index.version}-opset{opset}.onnx",
                model.SerializeToString(deterministic=True),
            )
            for opset, model in models.items()
            if model.functions
        ),
        Artefact(f"{index.library}-{index.version}.cdx.json", bill),
        Artefact(f"{index.library}-{index.version}.md", _notes(session, package, bundle, locks)),
    )
    sources = {**specs, **{path: session.tree.read(path) or b"" for path in texts}}
    return Release(index, artefacts, sources, _described(session, package, index, artefacts, sources))


def _built(session: Session, library: BuiltLibrary, path: str) -> bytes:
    """A file of the build, which has just been written."""
    data = session.publisher.published(path, library.files[path])
    return session.engine.fetch(library.result, path) if data is None else data


def _described(
    session: Session,
    package: Package,
    index: Index,
    artefacts: Sequence[Artefact],
    sources: Mapping[str, bytes],
) -> tuple[Artefact, ...]:
    from opwright_build.engine.git_revision import commit_with
    from opwright_build.publication.provenance import Origin, provenance

    urls = {name.lower(): url for name, url in package.about.urls.items()}
    repository = urls.get("repository") or urls.get("source") or ""
    libraries = [(item.library, item.version, item.sha256) for item in index.dependencies]
    origin = Origin(
        sources, commit_with(session.root, sources, _SPECS), repository, libraries, installed_versions(DISTRIBUTIONS)
    )
    statement = provenance(index.library, index.version, origin, artefacts)
    return (Artefact(f"{index.library}-{index.version}{_PROVENANCE}", statement),)


def _specs(session: Session) -> dict[str, bytes]:
    """The files below specs/ that a source distribution holds: all but hidden ones and what Python leaves behind.

    DiagnosticError (OW520, OW521) where one of them is a link or no regular file: it would be missing there.
    """
    found: dict[str, bytes] = {}
    pending = [_SPECS]
    while pending:
        folder = pending.pop()
        session.tree.require_folder(folder)
        for entry in os.scandir(session.root / folder):
            path = f"{folder}/{entry.name}"
            if entry.name.startswith(".") or entry.name == "__pycache__":
                continue
            if entry.is_dir(follow_symlinks=False):
                pending.append(path)
            else:
                found[path] = session.tree.read(path) or b""
    return dict(sorted(found.items()))


def _notes(session: Session, package: Package, bundle: Bundle, locks: Locks) -> bytes:
    """Those that `release` kept. Where there are none, what the lock tells: the functions that are new."""
    from opwright_build.versions.change import Change, Kind
    from opwright_build.versions.notes import release_notes
    from opwright_build.versions.release_lock import notes_path

    index = bundle.index
    kept = session.tree.read(notes_path(package.domains, index.version)) if locks.promised is not None else None
    if kept is not None:
        return kept
    promises = {} if locks.promised is None else locks.promised.promises
    new = [
        Change(entry.identity, Kind.FUNCTION_ADDED)
        for entry in index.functions
        if not promises or promises[entry.identity].release == index.version
    ]
    return release_notes(package.name, index.version, "", new, []).encode()


def _write(session: Session, release: Release, seed: bytes | None, oci: bool, fields: dict[str, Any]) -> list[str]:
    """Puts the folder there; gives what there is to tell."""
    index, folder = release.index, release.folder
    listed = (*release.artefacts, *release.described)
    sums = Artefact(SUMS, write_sums(listed))
    signature: tuple[Artefact, ...] = ()
    if seed is not None:
        from opwright_build.engine.ed25519 import sign

        signature = (Artefact(SIGNATURE, sign(seed, sums.data)),)
    written = (*listed, sums, *signature)
    if not signature:
        session.tree.require_file(f"{folder}/{SIGNATURE}")
        (session.root / folder / SIGNATURE).unlink(missing_ok=True)  # of what was published before
    for item in written:
        write_below(session.tree, f"{folder}/{item.name}", item.data)
        told = {"library": index.library, "path": f"{folder}/{item.name}", "sha256": item.sha256}
        session.reporter.event("artefact", {**told, "size": len(item.data)})
    shown = os.path.relpath(session.root / folder)
    lines = [f"wrote {shown}: {counted(len(written), 'file')}"]
    manifest = ""
    if oci:
        from opwright_build.publication.oci_layout import oci_layout

        manifest, files = oci_layout(index.library, index.version, index.license, written)
        for path, data in files.items():
            write_below(session.tree, f"{folder}-oci/{path}", data)
        lines.append(f"wrote {shown}-oci: an OCI artefact, {manifest}")
        lines.append(f"next: skopeo copy oci:{shown}-oci docker://HOST/NAME:{index.version}")
    lines.append("next: twine upload " + " ".join(f"{shown}/{name}" for name in uploads(release.artefacts)))
    fields["packages"].append(
        {"library": index.library, "version": index.version, "folder": folder, "manifest": manifest or None}
    )
    return lines


def _read_key(path: Path) -> bytes:
    from opwright.regular_file import read_regular

    from opwright_build.engine.ed25519 import seed_of_pem

    try:
        data = read_regular(path, MOST_KEY_BYTES)
    except OSError as error:
        raise DiagnosticError([_no_key(path, reason_of(error))]) from None
    seed = seed_of_pem(data)
    if seed is None:
        raise DiagnosticError([_no_key(path, "it is no private key of Ed25519 in PEM without a password")])
    return seed


def _no_key(path: Path, reason: str) -> Diagnostic:
    help_ = "openssl genpkey -algorithm ed25519 -out key.pem makes one; keep it out of the repository"
    return Diagnostic("OW663", f"{path.name} cannot sign a release", reason=reason, help=help_)


def _no_release(index: Index, last: str, place: Place | None) -> Diagnostic:
    return Diagnostic(
        "OW660",
        f"{index.library} as it is here was not released: it is {index.version}",
        place,
        reason=f"the last release is {last}, and specs/ holds something else",
        help="`opwright release` makes a release of it; or check out the commit of that release",
    )


def _never_released(package: Package, place: Place | None) -> Diagnostic:
    return Diagnostic(
        "OW661",
        f"{package.name} {package.version} is published without a lock",
        place,
        reason="a next build under the same number could hold something else, and nothing would tell",
        help=f"run `opwright release {package.version}` first",
        severity=Severity.WARNING,
    )
