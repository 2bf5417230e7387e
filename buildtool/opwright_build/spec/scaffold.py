"""`opwright new function <domain>/<Name>`: a function that builds and passes at once, and a library around it.

Nothing is overwritten: files that exist are kept and named, a function that exists is a mistake. The function's folder
appears whole or not at all, and last, so that a run that was interrupted can simply be repeated.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Severity
from opwright.version import VERSION

from opwright_build.engine.tree import Tree
from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.domain_file import STANDARD, in_standard, read_domain, refuse_domain, refuse_operator
from opwright_build.spec.library_file import read_library
from opwright_build.spec.load import find_library, newest_opset
from opwright_build.spec.model import OpsetRange

FLOOR = 13  # the first opset of a new library
CAST_LIKE = 15  # from this opset on, a number takes a tensor's element type by one operator

FUNCTION_FILES = ("spec.yaml", "function.py", "vectors.yaml", "reference.py")
# In the order of writing: library.yaml last, since a library that has it is complete but for functions.
LIBRARY_FILES = {
    "noxfile.py": "noxfile.py",
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    ".gitignore": "gitignore",
    "specs/library.yaml": "library.yaml",
}


@dataclass(frozen=True, slots=True)
class NewFunction:
    """What was done below `root`, the library's folder: paths relative to it, in the order in which they were written.

    `hints` are notes on what to do by hand.
    """

    root: Path
    created: tuple[str, ...]
    kept: tuple[str, ...]
    hints: tuple[Diagnostic, ...]


def new_function(name: str, folder: Path) -> NewFunction:
    """Writes the function `<domain>/<Name>` into the library around `folder`, or a new library in `folder` itself.

    DiagnosticError when the name cannot be one, the function exists, the library around cannot be read, or nothing
    can be written there.
    """
    domain, operator = _split(name)
    try:
        root = find_library(folder)
    except DiagnosticError:
        root = None
    try:
        if root is None:
            return _Writer(Path(os.path.abspath(folder))).begin(domain, operator)
        return _Writer(root).extend(domain, operator)
    except OSError as error:
        message, place = f"{domain}/{operator} cannot be written", Place(f"specs/{domain}")
        raise DiagnosticError([Diagnostic("OW132", message, place, reason=error.strerror or "")]) from error


def library_names(domain: str) -> tuple[str, str]:
    """The names of a domain's library and of its import package: com.acme gives `acme-ops` and `acme_ops`."""
    words = domain.lower().replace("_", ".").replace("-", ".").split(".")
    kept = words[1:] if len(words) > 1 else words
    return "-".join([*kept, "ops"]), "_".join([*kept, "ops"])


def _split(name: str) -> tuple[str, str]:
    domain, slash, operator = name.partition("/")
    refusal = refuse_domain(domain) or refuse_operator(operator)
    if not slash:
        refusal = f"`{name[:80]}` is not of the form <domain>/<Name>"
    elif not refusal and "." not in domain:
        refusal = f"the domain `{domain}` has no dot, so it may collide with another library's"
    if refusal:
        raise DiagnosticError([Diagnostic("OW129", refusal, help="For example com.acme/Swish.")])
    return domain, operator


class _Writer:
    """Writes below one library's root and remembers what it did."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.created: list[str] = []
        self.kept: list[str] = []
        self.hints: list[Diagnostic] = []

    def begin(self, domain: str, operator: str) -> NewFunction:
        """A library of one function."""
        self._refuse_existing(domain, operator)
        ceiling = newest_opset()
        library, package = library_names(domain)
        version = ceiling if domain == STANDARD else 1
        release = ".".join(VERSION.split(".")[:2])
        words = {"domain": domain, "library": library, "package": package, "release": release}
        words |= {"floor": str(FLOOR), "ceiling": str(ceiling)}
        for path, template in LIBRARY_FILES.items():
            self._write(path, _render(f"library/{template}", words))
        self._domain(domain, version)
        self._function(domain, operator, version, OpsetRange(FLOOR, ceiling))
        return self._done()

    def extend(self, domain: str, operator: str) -> NewFunction:
        """One more function in a library that is there."""
        self._refuse_existing(domain, operator)
        sources = LibraryFiles(self.root)
        library = read_library(sources)
        owner = next((package for package in library.packages if domain in package.domains), None)
        if owner is None and "packages" in library.places:
            self._hint_package(domain, library.places["packages"])
        opsets = (owner or library.packages[0]).opsets
        version = opsets.last if domain == STANDARD else 1
        if (self.root / "specs" / domain / "domain.yaml").exists():
            read, findings = read_domain(sources, domain)
            if read is None:
                raise DiagnosticError(findings)
            version = read.version
            if (self.root / "specs" / domain / "released").exists():
                version += 1
                self._hint_version(domain, version, read.places["version"])
        else:
            self._domain(domain, version)
        self._function(domain, operator, version, opsets)
        return self._done()

    def _done(self) -> NewFunction:
        return NewFunction(self.root, tuple(self.created), tuple(self.kept), tuple(self.hints))

    def _refuse_existing(self, domain: str, operator: str) -> None:
        path = f"specs/{domain}/{operator}"
        Tree(self.root).require_folder(f"specs/{domain}")
        if os.path.lexists(self.root / path):
            message = f"the function {domain}/{operator} exists already"
            raise DiagnosticError([Diagnostic("OW128", message, Place(path), help="Choose another name.")])

    def _hint_version(self, domain: str, version: int, place: Place) -> None:
        message = f"raise `version` of {domain} to {version}"
        reason = "The domain has been released, so a new function begins at its next version."
        self.hints.append(Diagnostic("OW131", message, place, reason=reason, severity=Severity.NOTE))

    def _hint_package(self, domain: str, place: Place) -> None:
        message = f"write {domain} under `domains:` of a package"
        reason = "A function belongs to the package that has its domain, and no package has this one."
        self.hints.append(Diagnostic("OW137", message, place, reason=reason, severity=Severity.NOTE))

    def _domain(self, domain: str, version: int) -> None:
        template = "domain_mirrored.yaml" if in_standard(domain) else "domain.yaml"
        words = {"domain": domain, "version": str(version)}
        self._write(f"specs/{domain}/domain.yaml", _render(f"library/{template}", words))

    def _function(self, domain: str, operator: str, version: int, opsets: OpsetRange) -> None:
        folder = self.root / "specs" / domain
        opset = CAST_LIKE if CAST_LIKE in opsets else opsets.first
        kind = "swish" if operator == "Swish" else "starter"
        words = {"domain": domain, "name": operator, "version": str(version), "opset": str(opset)}
        draft = _draft(folder)
        draft.mkdir()
        try:
            for file in FUNCTION_FILES:
                (draft / file).write_bytes(_render(f"{kind}/{file}", words))
            draft.rename(folder / operator)
        except OSError:
            shutil.rmtree(draft, ignore_errors=True)
            raise
        self.created.extend(f"specs/{domain}/{operator}/{file}" for file in FUNCTION_FILES)

    def _write(self, path: str, data: bytes) -> None:
        """The whole file, or none of it; never in the place of one that exists."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(target):
            self.kept.append(path)
            return
        draft = _draft(target.parent)
        try:
            draft.write_bytes(data)
            draft.rename(target)
        finally:
            draft.unlink(missing_ok=True)
        self.created.append(path)


def _draft(folder: Path) -> Path:
    """A hidden name in the folder that is not taken; the loader passes over hidden names."""
    return folder / f".new-{secrets.token_hex(8)}"


def _render(template: str, words: Mapping[str, str]) -> bytes:
    text = (
        files("opwright_build.spec").joinpath("templates").joinpath(*f"{template}.tmpl".split("/")).read_text("utf-8")
    )
    return Template(text).substitute(words).encode("utf-8")
