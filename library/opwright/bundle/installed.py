"""Where the bundle of an installed library lies. Nothing of the library is imported."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import Distribution, distributions
from pathlib import Path, PurePath

from opwright.bundle.format import SUFFIX
from opwright.bundle.normal_name import normal_name
from opwright.bundle.read_findings import OTHER_FILES
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.suggest import close_names

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\Z")
_LISTS = ("RECORD", "installed-files.txt", "SOURCES.txt")  # of the files of a distribution, as any of its forms has it


def installed_bundle(name: str, beside: Sequence[str] = ()) -> Path:
    """The bundle of the package or distribution of that name, else of the one distribution whose name starts so.

    It is looked for on the import path, and in the folders `beside` as if they were at its end.

    Raises DiagnosticError (OW518) when nothing fits, several do, or what fits has no bundle.
    """
    if not _NAME.match(name):
        raise _unknown(name, f"{name!r} can name neither a package nor a distribution")
    found = list(package_bundles(name.replace("-", "_"), beside))
    if len(found) == 1:
        return found[0]
    if found:
        raise _ambiguous(name, [path.name for path in found])
    wanted = normal_name(name)
    libraries = list(installed_libraries(beside))
    exact = {path: None for title, path in libraries if title == wanted}
    fitting = exact or {path: None for title, path in libraries if title.startswith(f"{wanted}-")}
    if len(fitting) == 1:
        return next(iter(fitting))
    if fitting:
        raise _ambiguous(name, sorted(title for title, path in libraries if path in fitting))
    if _find_package(name.replace("-", "_"), beside) is not None:
        raise _unknown(name, f"the package {name.replace('-', '_')} holds no bundle")
    close = close_names(wanted, sorted({title for title, _ in libraries}))
    raise _unknown(name, "nothing that is installed under that name holds a bundle", *close)


def all_bundles(beside: Sequence[str] = ()) -> list[Path]:
    """Those of all installed distributions, sorted; `beside` as above."""
    return sorted({path for _, path in installed_libraries(beside)})


def package_bundle(package: str, name: str) -> Path:
    """The bundle of that file name that belongs to an import package: next to its modules, as its wheel installs it.

    In a library's own repository, `library/<package>/` holds the modules alone; there it is the one in `dist/`.
    Raises DiagnosticError (OW518) when there is none.
    """
    spec = _find_package(package)
    for folder in map(Path, (spec.submodule_search_locations or ()) if spec is not None else ()):
        root = folder.parent.parent
        built = [root / "dist" / name] if (root / "specs" / "library.yaml").is_file() else []
        for path in (folder / name, *built):
            if path.is_file():
                return path
    help_text = "run `opwright build` in the library's repository, or install its wheel"
    text = f"the package {package} comes without its bundle {name}"
    raise DiagnosticError([Diagnostic("OW518", text, help=help_text)])


def distribution_bundle(name: str) -> Path | None:
    """The bundle of the installed distribution of that very name; None when none has one.

    DiagnosticError (OW518) when it has several.
    """
    for distribution in distributions(name=name, path=sys.path):
        if _title(distribution) == normal_name(name):  # the first on the import path hides those behind it
            found = dict.fromkeys(_distributed_bundles(distribution))
            if len(found) > 1:
                raise _ambiguous(name, sorted(path.name for path in found))
            return next(iter(found), None)
    return None


def package_bundles(package: str, beside: Sequence[str] = ()) -> Iterator[Path]:
    """The bundles in the folders of an import package, sorted; nothing where there is no such package.

    In a library's own repository, those in `dist/` that are named as the package is.
    """
    spec = _find_package(package, beside)
    for folder in map(Path, (spec.submodule_search_locations or ()) if spec is not None else ()):
        root = folder.parent.parent
        if (root / "specs" / "library.yaml").is_file():
            built = _bundles_in(root / "dist")
            yield from (path for path in built if normal_name(path.stem.rpartition("-")[0]) == normal_name(package))
        else:
            yield from _bundles_in(folder)


def _find_package(package: str, beside: Sequence[str] = ()) -> ModuleSpec | None:
    # Not importlib.util.find_spec: it answers from sys.modules first, where anything may stand under that name.
    return PathFinder.find_spec(package, [*sys.path, *beside]) if package.isidentifier() else None


def _bundles_in(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.name.endswith(SUFFIX))
    except OSError:  # an entry of the import path that is no folder: a zip file, or gone
        return []


def installed_libraries(beside: Sequence[str] = ()) -> Iterator[tuple[str, Path]]:
    """(normal name, bundle) of every installed distribution that has one."""
    seen: set[str] = set()
    for distribution in distributions(path=[*sys.path, *beside]):
        title = _title(distribution)
        if not title or title in seen:  # the first on the import path hides those behind it
            continue
        seen.add(title)
        for path in _distributed_bundles(distribution):
            yield title, path


def _title(distribution: Distribution) -> str:
    return normal_name(str(distribution.metadata["Name"] or ""))


def _distributed_bundles(distribution: Distribution) -> list[Path]:
    # An environment has tens of thousands of files: none is made a path where no bundle is among them.
    if not any(SUFFIX in (distribution.read_text(name) or "") for name in _LISTS):
        return []
    files = distribution.files or ()
    return [Path(str(distribution.locate_file(file))) for file in files if file.name.endswith(SUFFIX)]


def _unknown(name: str, reason: str, close: str = "") -> DiagnosticError:
    other = OTHER_FILES.get(PurePath(name).suffix)
    help_text = other or (f"did you mean {close}?" if close else "install the library, or name its .onnxlib file")
    return DiagnosticError(
        [Diagnostic("OW518", f"no installed library is called {name}", reason=reason, help=help_text)]
    )


def _ambiguous(name: str, fitting: list[str]) -> DiagnosticError:
    return DiagnosticError(
        [
            Diagnostic(
                "OW518",
                f"{name} may be any of {', '.join(fitting)}",
                reason="more than one installed library fits",
                help="write the whole name, or name the .onnxlib file",
            )
        ]
    )
