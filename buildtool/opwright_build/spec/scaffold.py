"""`opwright new`: a library, a function that builds and passes at once, or a version of a function.

Nothing is overwritten: files that exist are kept and named, a function that exists is a mistake. The function's folder
appears whole or not at all, and last, so that a run that was interrupted can simply be repeated.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Protocol

from opwright.bundle.normal_name import normal_name
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Severity
from opwright.lang.text.source import Source, span_of
from opwright.lang.text.syntax import parse
from opwright.regular_file import read_regular
from opwright.version import VERSION

from opwright_build.engine.system_errors import reason_of
from opwright_build.engine.tree import MOST_SOURCE_BYTES, Tree, write_whole
from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.domain_file import (
    RELEASED,
    STANDARD,
    in_standard,
    read_domain,
    refuse_domain,
    refuse_operator,
)
from opwright_build.spec.library_file import read_library
from opwright_build.spec.library_root import find_library, library_around
from opwright_build.spec.licenses import LICENSE_HELP, spdx_expression
from opwright_build.spec.load import load_library, newest_opset
from opwright_build.spec.model import OpsetRange
from opwright_build.spec.name_patterns import DISTRIBUTION, PACKAGE, matches
from opwright_build.spec.package_name import why_taken
from opwright_build.spec.portable_names import check_names
from opwright_build.spec.yaml_scalars import resolve

_LONGEST = 100  # characters of a library's name
_MOST_LOCK_BYTES = 1 << 27
FLOOR = 13  # the first opset of a new library
CAST_LIKE = 15  # from this opset on, a number takes a tensor's element type by one operator

FUNCTION_FILES = ("spec.yaml", "function.py", "vectors.yaml", "reference.py")
# In the order of writing: library.yaml last, since a library that has it is complete but for functions.
LIBRARY_FILES = {
    "noxfile.py": "noxfile.py",
    "pyproject.toml": "pyproject.toml",
    "hatch_build.py": "hatch_build.py",
    "README.md": "README.md",
    ".gitignore": "gitignore",
    ".gitattributes": "gitattributes",
    ".editorconfig": "editorconfig",
    ".pre-commit-config.yaml": "pre-commit.yaml",
    ".github/workflows/test.yml": "workflow.yml",
    "specs/library.yaml": "library.yaml",
}


@dataclass(frozen=True, slots=True)
class NewFunction:
    """What was done below `root`, the library's folder: paths relative to it, in the order in which they were written.

    `hints` are notes on what to do by hand; `domain` is a new library's.
    """

    root: Path
    created: tuple[str, ...]
    kept: tuple[str, ...]
    hints: tuple[Diagnostic, ...]
    domain: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a new library says of itself: its domain (empty: made from its name), an SPDX license, its repository."""

    domain: str = ""
    license: str = ""
    url: str = ""


class FunctionSource(Protocol):
    """What a function begins as."""

    def files(
        self, domain: str, operator: str, version: int, admitted: OpsetRange
    ) -> tuple[Mapping[str, bytes], Sequence[Diagnostic]]:
        """The files of its folder by name, for a version of its domain and the opsets of its library; and notes."""
        ...


def new_function(name: str, folder: Path, like: str = "", source: FunctionSource | None = None) -> NewFunction:
    """Writes the function `<domain>/<Name>` into the library around `folder`, or a new library in `folder` itself.

    With `like` it begins as a copy of that function of the library, as text; with `source` as what that gives.
    DiagnosticError when the name cannot be one, the function exists, the library around cannot be read, or nothing
    can be written there.
    """
    domain, operator = _split(name)
    refusal = _passed_over(domain) or _passed_over(operator)
    if refusal:
        raise DiagnosticError([Diagnostic("OW129", refusal, help="For example com.acme/Swish.")])
    root = library_around(Path(os.path.abspath(folder)))
    try:
        if root is None and like:
            raise DiagnosticError([Diagnostic("OW110", f"there is no library here that has {like}")])
        if root is None:
            return _Writer(Path(os.path.abspath(folder)), source).begin(domain, operator)
        return _Writer(root, source).extend(domain, operator, like)
    except OSError as error:
        message, place = f"{domain}/{operator} cannot be written", Place(f"specs/{domain}")
        raise DiagnosticError([Diagnostic("OW132", message, place, reason=reason_of(error))]) from error


def new_library(
    name: str, folder: Path, settings: Settings, is_installed: Callable[[str], bool] = lambda module: False
) -> NewFunction:
    """Writes a library of that name, without functions, into a folder of its own below `folder`. `is_installed` knows
    the modules of others.

    DiagnosticError when the name cannot be one, the folder is not empty, or nothing can be written there.
    """
    if not re.fullmatch(DISTRIBUTION, name) or len(name) > _LONGEST:
        raise DiagnosticError(
            [Diagnostic("OW129", f"`{name[:80]}` cannot name a library", help="For example acme-ops.")]
        )
    package = normal_name(name).replace("-", "_")
    taken = why_taken(package) if matches(PACKAGE, package) else "which is no name that Python imports"
    if taken is None and is_installed(package):
        taken = "which is a module that is installed here"
    if taken:
        message = f"`{name}` cannot name a library: its package would be `{package}`, {taken}"
        raise DiagnosticError([Diagnostic("OW129", message, help="For example acme-ops.")])
    domain = settings.domain or _domain_of(name)
    refusal = refuse_domain(domain) or ("" if "." in domain else f"the domain `{domain}` has no dot")
    refusal = refusal or _passed_over(domain)
    if refusal:
        raise DiagnosticError([Diagnostic("OW129", refusal, help="Give one with --domain, such as com.acme.")])
    if settings.license:
        expression = spdx_expression(settings.license)
        if expression is None:
            message = f"`{settings.license[:80]}` is no SPDX expression"
            raise DiagnosticError([Diagnostic("OW129", message, help=LICENSE_HELP)])
        settings = replace(settings, license=expression)
    if settings.url and not re.fullmatch(r"https?://[A-Za-z0-9._~:/?#@!$&()*+,;=%-]+", settings.url):
        raise DiagnosticError([Diagnostic("OW129", f"`{settings.url[:80]}` is no address of a repository")])
    root = Path(os.path.abspath(folder)) / name
    try:
        if root.exists() and any(root.iterdir()):
            raise DiagnosticError([Diagnostic("OW128", f"{name} exists already", Place(name), help="Choose another.")])
        return _Writer(root).begin_library(name, package, domain, settings)
    except OSError as error:
        message = f"{name} cannot be written"
        raise DiagnosticError([Diagnostic("OW132", message, Place(name), reason=reason_of(error))]) from error


def new_version(name: str, folder: Path) -> NewFunction:
    """Adds a version to the function `<domain>/<Name>` of the library around `folder`: the next one of its domain, with
    a source of its own that begins as the newest one's.

    DiagnosticError when there is no such function, or its files are not as a version can be added to.
    """
    domain, operator = _split(name)
    try:
        return _Writer(find_library(folder)).add_version(domain, operator)
    except OSError as error:
        message, place = f"a version of {domain}/{operator} cannot be written", Place(f"specs/{domain}/{operator}")
        raise DiagnosticError([Diagnostic("OW132", message, place, reason=reason_of(error))]) from error


def _domain_of(library: str) -> str:
    """com.acme for acme-ops."""
    words = library.lower().replace("_", "-").replace(".", "-").split("-")
    kept = words[:-1] if len(words) > 1 and words[-1] == "ops" else words
    return ".".join(["com", *kept])


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


def _passed_over(name: str) -> str:
    """Why no function would be read from a folder of that name; empty where it would."""
    if name.startswith("_"):
        return f"`{name[:80]}` begins with an underscore: folders of such names are passed over"
    if name == RELEASED:
        return f"`{name}` is the folder of what a domain has released"
    return f"`{name}` is no text in YAML" if resolve(name) != name else ""


def _refuse_bound(name: str, files: Mapping[str, bytes]) -> None:
    """Refuses the name of a function that a file of its folder binds to something else as well."""
    for file, data in files.items():
        module = parse(Source(file, data.decode("utf-8-sig"))) if file.endswith(".py") else None
        if module is None or isinstance(module, Diagnostic):
            continue
        places = [module.source.place(span_of(item.node)) for item in module.bindings.get(name, [])]
        if len(places) > 1:
            message = f"`{name}` cannot name the function: its {file} would bind that name to something else as well"
            reason = f"line {places[0].line} of it"
            raise DiagnosticError([Diagnostic("OW129", message, reason=reason, help="For example com.acme/Swish.")])


class _Writer:
    """Writes below one library's root and remembers what it did."""

    def __init__(self, root: Path, source: FunctionSource | None = None) -> None:
        self.root = root
        self.source = source
        self.created: list[str] = []
        self.kept: list[str] = []
        self.hints: list[Diagnostic] = []

    def begin(self, domain: str, operator: str) -> NewFunction:
        """A library of one function."""
        self._refuse_existing(domain, operator)
        opsets = OpsetRange(FLOOR, newest_opset())
        files = self._files(domain, operator, _first_version(domain, opsets), opsets)
        self._library(*library_names(domain), domain, Settings())
        self._function(domain, operator, files)
        return self._done()

    def begin_library(self, library: str, package: str, domain: str, settings: Settings) -> NewFunction:
        """A library without functions."""
        self._library(library, package, domain, settings)
        return replace(self._done(), domain=domain)

    def _library(self, library: str, package: str, domain: str, settings: Settings) -> None:
        """The files around the functions."""
        opsets = OpsetRange(FLOOR, newest_opset())
        release = ".".join(VERSION.split(".")[:2])
        words = {"domain": domain, "library": library, "package": package, "release": release}
        words |= {"floor": str(opsets.first), "ceiling": str(opsets.last)}
        words["license"] = f'license = "{settings.license}"\n' if settings.license else ""
        words["license_yaml"] = f"license: {settings.license}\n" if settings.license else ""
        words["urls_yaml"] = f'urls: {{Repository: "{settings.url}"}}\n' if settings.url else ""
        words["urls"] = f'\n[project.urls]\nRepository = "{settings.url}"\n' if settings.url else ""
        for path, template in LIBRARY_FILES.items():
            self._write(path, _render(f"library/{template}", words))
        self._domain(domain, _first_version(domain, opsets))

    def add_version(self, domain: str, operator: str) -> NewFunction:
        """The next version of a function."""
        sources = LibraryFiles(self.root)
        read, findings = read_domain(sources, domain)
        if read is None:
            raise DiagnosticError(findings)
        loaded = load_library(self.root)
        folder = f"specs/{domain}/{operator}"
        versions = [item for item in loaded.versions if (item.domain.name, item.name) == (domain, operator)]
        if not versions:
            broken = [item for item in loaded.diagnostics if item.place and item.place.file.startswith(f"{folder}/")]
            missing = Diagnostic(
                "OW907", f"the library has no function {domain}/{operator}", help="`opwright ls` lists them"
            )
            raise DiagnosticError(broken or [missing])
        newest = versions[-1]
        since = read.version + 1
        source = f"{folder}/version{since}.py"
        changed = {f"{folder}/spec.yaml": b"", f"specs/{domain}/domain.yaml": b""}
        before = {path: loaded.sources[path] for path in changed}
        spec, counted = (data.decode("utf-8") for data in before.values())
        text = with_version(spec, since, f"version{since}.py:{newest.function_name}")
        after = (text, _COUNT.sub(rf"\g<1>{since}", counted, count=1))
        if os.path.lexists(self.root / source):
            raise DiagnosticError([Diagnostic("OW128", f"{source} exists already", Place(source))])
        self._write(source, _file_of(sources, folder, newest.function_file))
        for path, data in zip(changed, after, strict=True):
            write_whole(self.root / path, data.encode())
        identity = f"{domain}::{operator}@{since}"
        again = load_library(self.root)
        if not text or identity not in [item.identity for item in again.versions]:
            for path, kept in before.items():
                write_whole(self.root / path, kept)
            (self.root / source).unlink()
            message = f"{folder}/spec.yaml is not written so that a version can be added to it"
            reason = "A version is added behind the last one of `versions:`, or beside `since_version:` at the top."
            raise DiagnosticError([Diagnostic("OW535", message, Place(f"{folder}/spec.yaml"), reason=reason)])
        self.created += changed
        return self._done()

    def extend(self, domain: str, operator: str, like: str = "") -> NewFunction:
        """One more function in a library that is there."""
        self._refuse_existing(domain, operator)
        sources = LibraryFiles(self.root)
        library = read_library(sources)
        owner = next((package for package in library.packages if domain in package.domains), None)
        if owner is None and "packages" in library.places:
            self._hint_package(domain, library.places["packages"])
        opsets = (owner or library.packages[0]).opsets
        version = _first_version(domain, opsets)
        is_new = not (self.root / "specs" / domain / "domain.yaml").exists()
        if not is_new:
            read, findings = read_domain(sources, domain)
            if read is None:
                raise DiagnosticError(findings)
            version = read.version
            if self._is_released(domain, version):
                version += 1
                self._hint_version(domain, version, read.places["version"])
        files = self._files(domain, operator, version, opsets, like)
        if is_new:
            self._domain(domain, version)
        self._function(domain, operator, files)
        return self._done()

    def _copied(self, domain: str, operator: str, version: int, like: str) -> Mapping[str, bytes]:
        """The newest version of another function under this name: the same texts with the names replaced."""
        loaded = load_library(self.root)
        model_domain, _, model = like.replace("::", "/").rpartition("/")
        found = [item for item in loaded.versions if item.name == model and model_domain in ("", item.domain.name)]
        if not found:
            raise DiagnosticError(
                [Diagnostic("OW907", f"the library has no function {like}", help="`opwright ls` lists them")]
            )
        newest = found[-1]
        if len([item for item in found if item.domain == newest.domain]) > 1:
            message = f"{like} has several versions, and a new function has one"
            raise DiagnosticError(
                [Diagnostic("OW535", message, newest.places.get("since_version"), help="copy it by hand")]
            )
        named = re.compile(rf"\b{re.escape(model)}\b")
        copied: dict[str, bytes] = {}
        for file in sorted(path for path in newest.folder.iterdir() if path.is_file() and path.name[0] != "."):
            data = _file_of(LibraryFiles(self.root), newest.folder.relative_to(self.root).as_posix(), file.name)
            if file.suffix in (".py", ".yaml"):
                text = named.sub(operator, data.decode("utf-8"))
                if file.name == "spec.yaml":
                    text = re.sub(r"(?m)^domain: .*$", f"domain: {domain}", text, count=1)
                    text = _SINCE.sub(f"since_version: {version}", text, count=1)
                data = text.encode()
            copied[file.name] = data
        return copied

    def _done(self) -> NewFunction:
        return NewFunction(self.root, tuple(self.created), tuple(self.kept), tuple(self.hints))

    def _refuse_existing(self, domain: str, operator: str) -> None:
        path = f"specs/{domain}/{operator}"
        Tree(self.root).require_folder(f"specs/{domain}")
        if os.path.lexists(self.root / path):
            message = f"the function {domain}/{operator} exists already"
            raise DiagnosticError([Diagnostic("OW128", message, Place(path), help="Choose another name.")])
        self._refuse_alike("specs", domain)
        self._refuse_alike(f"specs/{domain}", operator)

    def _refuse_alike(self, folder: str, name: str) -> None:
        """Refuses a name that other systems take for one that stands in the folder."""
        others = os.listdir(self.root / folder) if (self.root / folder).is_dir() else []
        for other in sorted(others):
            found = [item for item in check_names(folder, (other, name)) if item.severity is Severity.ERROR]
            if found and other != name:
                raise DiagnosticError(found)

    def _is_released(self, domain: str, version: int) -> bool:
        """Whether a release has that version of the domain, as far as its lock can be read."""
        folder = self.root / "specs" / domain / RELEASED
        if not folder.exists():
            return False
        try:
            head, _, _ = read_regular(folder / "release.lock", _MOST_LOCK_BYTES).partition(b"\n")
            return version <= int(json.loads(head)["version"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return True

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

    def _function(self, domain: str, operator: str, files: Mapping[str, bytes]) -> None:
        folder = self.root / "specs" / domain
        draft = _draft(folder)
        draft.mkdir(parents=True)
        try:
            for file, data in files.items():
                (draft / file).write_bytes(data)
            draft.rename(folder / operator)
        except OSError:
            shutil.rmtree(draft, ignore_errors=True)
            raise
        self.created.extend(f"specs/{domain}/{operator}/{file}" for file in files)

    def _files(
        self, domain: str, operator: str, version: int, opsets: OpsetRange, like: str = ""
    ) -> Mapping[str, bytes]:
        """The files of the function's folder. DiagnosticError (OW129) where they would not define it by that name."""
        if like:
            files = self._copied(domain, operator, version, like)
        elif self.source is not None:
            files, notes = self.source.files(domain, operator, version, opsets)
            self.hints += notes
        else:
            files = _starting(domain, operator, version, opsets)
        _refuse_bound(operator, files)
        return files

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


def _first_version(domain: str, opsets: OpsetRange) -> int:
    """The version at which a domain begins in a library for these opsets."""
    return opsets.last if domain == STANDARD else 1


def _starting(domain: str, operator: str, version: int, opsets: OpsetRange) -> Mapping[str, bytes]:
    """A function to start from."""
    opset = CAST_LIKE if CAST_LIKE in opsets else opsets.first
    kind = "swish" if operator == "Swish" else "starter"
    words = {"domain": domain, "name": operator, "version": str(version), "opset": str(opset)}
    return {file: _render(f"{kind}/{file}", words) for file in FUNCTION_FILES}


_COUNT = re.compile(r"(?m)^(version: *)\d+")
_SINCE = re.compile(r"since_version: *\d+")
_FUNCTION = re.compile(r"function: *[^,}\n#]+")


def with_version(spec: str, since: int, function: str) -> str:
    """The text of a spec.yaml with one more version, a copy of the last one with that number and source; all else, its
    comments too, as it was. Empty where the text has neither `versions:` nor `since_version:` on lines of their own."""
    lines = spec.splitlines(keepends=True)
    heads = [number for number, line in enumerate(lines) if re.match(r"versions: *(#.*)?$", line)]
    single = [number for number, line in enumerate(lines) if re.match(r"since_version: *\d+ *(#.*)?$", line)]
    if heads:
        start = heads[0] + 1
        end = next((number for number in range(start, len(lines)) if re.match(r"[^\s#-]", lines[number])), len(lines))
        items = [number for number in range(start, end) if re.match(r" *- ", lines[number])]
        if not items:
            return ""
        while not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#"):
            end -= 1
        item = "".join(lines[items[-1] : end])
        item = item if item.endswith("\n") else f"{item}\n"
        if not lines[end - 1].endswith("\n"):
            lines[end - 1] += "\n"
        return "".join([*lines[:end], _renumbered(item, since, function), *lines[end:]])
    if single:
        number, mark, comment = lines[single[0]].split(":", 1)[1].strip().partition("#")
        number = number.strip()
        head = f"versions:  #{comment}" if mark else "versions:"
        added = f"{head}\n  - {{since_version: {number}}}\n  - {{since_version: {since}, function: {function}}}\n"
        return "".join([*lines[: single[0]], added, *lines[single[0] + 1 :]])
    return ""


def _renumbered(item: str, since: int, function: str) -> str:
    numbered = _SINCE.sub(f"since_version: {since}", item, count=1)
    if _FUNCTION.search(numbered):
        return _FUNCTION.sub(f"function: {function}", numbered, count=1)
    if "{" in numbered:
        return numbered.replace(f"since_version: {since}", f"since_version: {since}, function: {function}", 1)
    indent = " " * numbered.index("since_version")
    line = f"since_version: {since}"
    head, _, rest = numbered.partition(line)
    comment, _, rest = rest.partition("\n")
    if "\n" in head:  # not the first key of the item
        indent = head.rpartition("\n")[2]
    return f"{head}{line}{comment}\n{indent}function: {function}\n{rest}"


def _file_of(files: LibraryFiles, folder: str, name: str) -> bytes:
    """A file that is to be copied: one of the folder itself. DiagnosticError (OW115, OW127)."""
    data = files.read(folder, name, MOST_SOURCE_BYTES)
    if isinstance(data, Diagnostic):
        raise DiagnosticError([data])
    if len(data) > MOST_SOURCE_BYTES:
        reason = f"it has more than {MOST_SOURCE_BYTES:,} bytes"
        raise DiagnosticError([Diagnostic("OW115", f"{folder}/{name} cannot be read", reason=reason)])
    return data


def _draft(folder: Path) -> Path:
    """A hidden name in the folder that is not taken; the loader passes over hidden names."""
    return folder / f".new-{secrets.token_hex(8)}"


def _render(template: str, words: Mapping[str, str]) -> bytes:
    text = (
        files("opwright_build.spec").joinpath("templates").joinpath(*f"{template}.tmpl".split("/")).read_text("utf-8")
    )
    return Template(text).substitute(words).encode("utf-8")
