"""specs/library.yaml: one package, or several that share a repository and what stands above them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from opwright.bundle.normal_name import normal_name
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Related
from opwright.version import VERSION

from opwright_build.engine.tree import stays_inside
from opwright_build.spec.boundary import Checked, check
from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.forms import DependencyForm, LibraryModel, PackageModel, PackagesModel
from opwright_build.spec.library_root import LIBRARY_FILE, SPECS
from opwright_build.spec.model import About, Dependency, Library, OpsetRange, Package
from opwright_build.spec.package_name import refuse_package, why_taken
from opwright_build.spec.ranges import RangeError, admits_release, meant_range, parse_opsets
from opwright_build.spec.yaml_nodes import MappingNode, Node, Sequence, key_places, node_at, rewritten
from opwright_build.spec.yaml_source import MAX_BYTES, read_yaml

_ABOUT = ("authors", "urls", "readme", "license_files")
_SHARED = ("version", "license", "opsets", "requires", *_ABOUT)  # what may stand above several packages
_OF_A_PACKAGE = ("library", "package", "summary", "domains", "dependencies")


def read_library(files: LibraryFiles, opwright_version: str = VERSION, folders: Iterable[str] = ()) -> Library:
    """specs/library.yaml alone. DiagnosticError when anything is wrong with it.

    `folders` are the domains that the package of a file without `packages:` has. Whether those that are listed exist is
    not asked.
    """
    data = files.read(SPECS, "library.yaml", MAX_BYTES)
    if isinstance(data, Diagnostic):
        raise DiagnosticError([data])
    source = read_yaml(data, LIBRARY_FILE)
    found = list(source.diagnostics)
    root = source.root
    if root is None:
        raise DiagnosticError(found)
    if isinstance(root, MappingNode) and "packages" in root.entries:
        several, found_in_keys = _several(root)
        drafts = [] if several is None else _drafts(several, root, found)
        found += found_in_keys
    else:
        one: Checked[LibraryModel] = check(LibraryModel, root)
        found += one.diagnostics
        drafts = [] if one.value is None else [_Draft.of_library(one.value, root, tuple(folders))]
    names = {normal_name(draft.name): draft.name for draft in drafts}
    packages = [_package(draft, names, opwright_version, found) for draft in drafts]
    found += _twice(drafts) or [*_cycles(drafts, names), *_refused_siblings(packages)]
    if found or not packages:
        raise DiagnosticError(list(dict.fromkeys(found)))
    places = {key: entry.key for key, entry in root.entries.items()} if isinstance(root, MappingNode) else {}
    return Library(files.root, tuple(package for package in packages if package is not None), places)


@dataclass(frozen=True, slots=True)
class _Draft:
    """A package as it is written: `node` is its mapping, `shared` the one whose keys fill in what it leaves out."""

    name: str
    package: str
    version: str
    summary: str
    license: str
    opsets: str
    requires: Mapping[str, str]
    domains: tuple[str, ...]
    dependencies: Mapping[str, str | DependencyForm]
    about: About
    node: MappingNode
    shared: MappingNode

    @staticmethod
    def of_library(model: LibraryModel, root: Node, folders: tuple[str, ...]) -> _Draft:
        assert isinstance(root, MappingNode)
        return _Draft(
            model.library,
            model.package,
            model.version,
            model.summary,
            model.license,
            model.opsets,
            {str(name): text for name, text in model.requires.items()},
            folders,
            _by_name(model.dependencies),
            _about({key: getattr(model, key) for key in _ABOUT}),
            root,
            root,
        )

    def at(self, *path: str | int) -> Place:
        """Where a value of the package stands, or what holds it."""
        for mapping in (self.node, self.shared):
            found = node_at(mapping, path)
            if found is not None:
                return found.place
        return self.node.place

    def dependency_place(self, name: str) -> Place:
        """Where a dependency is named: a key of a mapping, or an item of a list."""
        entry = self.node.entries["dependencies"]
        if isinstance(entry.value, MappingNode):
            return entry.value.entries[name].key
        return self.at("dependencies", list(self.dependencies).index(name))


def _about(values: Mapping[str, Any]) -> About:
    """What the wheel says to people, by the keys of the file."""
    urls = {str(name): str(url) for name, url in values["urls"].items()}
    return About(tuple(values["authors"]), urls, str(values["readme"]), tuple(values["license_files"]))


def _by_name(dependencies: list[str] | dict[str, str | DependencyForm]) -> dict[str, str | DependencyForm]:
    return dict.fromkeys(dependencies, "") if isinstance(dependencies, list) else dependencies


def _several(root: MappingNode) -> tuple[PackagesModel | None, list[Diagnostic]]:
    """The file of several packages; keys that belong into one of them are told as such."""
    misplaced = [key for key in _OF_A_PACKAGE if key in root.entries]
    kept = MappingNode({key: entry for key, entry in root.entries.items() if key not in misplaced}, root.place)
    checked = check(PackagesModel, kept)
    found = list(checked.diagnostics)
    for key in misplaced:
        message = f"the key `{key}` stands beside `packages`, and says nothing of any of them"
        found.append(Diagnostic("OW139", message, root.entries[key].key, help=f"Write `{key}:` in each package."))
    return checked.value, found


def _drafts(model: PackagesModel, root: MappingNode, found: list[Diagnostic]) -> list[_Draft]:
    """The packages with what stands above them filled in; for a key that neither says, a finding."""
    listed = root.entries["packages"].value
    assert isinstance(listed, Sequence)
    drafts: list[_Draft] = []
    for item, node in zip(model.packages, listed.items, strict=True):
        assert isinstance(node, MappingNode)
        values = {key: getattr(item if key in item.model_fields_set else model, key) for key in _SHARED}
        for key in ("version", "opsets"):
            if not values[key]:
                message = f"the key `{key}` is missing in the package `{item.library}`"
                help_ = "Write it there, or once beside `packages:` for all of them."
                found.append(Diagnostic("OW107", message, node.place, help=help_))
        if values["version"] and values["opsets"]:
            drafts.append(_draft(item, values, node, root))
    return drafts


def _draft(item: PackageModel, values: Mapping[str, object], node: MappingNode, root: MappingNode) -> _Draft:
    requires = values["requires"]
    assert isinstance(requires, dict)
    return _Draft(
        item.library,
        item.package,
        str(values["version"]),
        item.summary,
        str(values["license"]),
        str(values["opsets"]),
        {str(name): str(text) for name, text in requires.items()},
        tuple(item.domains),
        _by_name(item.dependencies),
        _about(values),
        node,
        root,
    )


def _package(draft: _Draft, names: Mapping[str, str], opwright_version: str, found: list[Diagnostic]) -> Package | None:
    """The package; None, reported, where its name is taken or a range is none."""
    before = len(found)
    taken = why_taken(draft.package)
    if taken is not None:
        found.append(refuse_package(draft.package, taken, draft.at("package")))
    opsets = _opsets(draft, found)
    if "opwright" in draft.requires:
        found.extend(_requirement(draft.requires["opwright"], draft.at("requires", "opwright"), opwright_version))
    siblings: dict[str, str] = {}
    dependencies: dict[str, Dependency] = {}
    for name, value in draft.dependencies.items():
        form = DependencyForm(version=value) if isinstance(value, str) and value else value
        written = form if isinstance(form, DependencyForm) else DependencyForm()
        place = draft.dependency_place(name)
        found.extend(_dependency_findings(name, written, place))
        if normal_name(name) in names and not written.bundle:
            siblings[names[normal_name(name)]] = written.version
        else:
            dependencies[name] = Dependency(written.version, written.bundle, place)
    if opsets is None or len(found) > before:
        return None
    places = {
        **{key: place for key, place in key_places(draft.shared).items() if key.partition(".")[0] in _SHARED},
        **key_places(draft.node),
    }
    return Package(
        name=draft.name,
        version=draft.version,
        package=draft.package,
        summary=draft.summary,
        license=draft.license,
        opsets=opsets,
        requires=draft.requires,
        domains=draft.domains,
        siblings=siblings,
        dependencies=dependencies,
        places=places,
        about=draft.about,
    )


def _opsets(draft: _Draft, found: list[Diagnostic]) -> OpsetRange | None:
    try:
        return parse_opsets(draft.opsets)
    except RangeError as error:
        message = f"the opset range `{draft.opsets[:40]}` {error}"
        way_out = "A library has a first and a last opset: `>=13,<=28`."
        fix = rewritten(draft.at("opsets"), draft.opsets, meant_range(draft.opsets), quoted=True)
        found.append(Diagnostic("OW116", message, draft.at("opsets"), help=way_out, replacement=fix))
        return None


def _requirement(requirement: str, place: Place, opwright_version: str) -> list[Diagnostic]:
    try:
        if admits_release(requirement, opwright_version):
            return []
    except RangeError as error:
        return [Diagnostic("OW109", f"the requirement `{requirement[:40]}` {error}", place)]
    message = f"the library requires opwright {requirement}, but this is {opwright_version}"
    return [Diagnostic("OW120", message, place, help=f"Install opwright {requirement}.")]


def _dependency_findings(name: str, written: DependencyForm, place: Place) -> list[Diagnostic]:
    """What is wrong with a dependency as it is written, whatever there is of that name."""
    found: list[Diagnostic] = []
    if written.version:
        try:
            admits_release(written.version, "0")
        except RangeError as error:
            found.append(Diagnostic("OW109", f"the requirement `{written.version[:40]}` {error}", place))
    if written.bundle and not (stays_inside(written.bundle) and written.bundle.endswith(".onnxlib")):
        message = f"the bundle of `{name}` is no file `.onnxlib` below specs/: {written.bundle[:80]}"
        help_ = "Write its path relative to specs/, such as `vendor/acme-1.0.0.onnxlib`; or install the library."
        found.append(Diagnostic("OW127", message, place, help=help_))
    return found


# ---------------------------------------------------------------------------------------------- between packages


def _twice(drafts: Iterable[_Draft]) -> list[Diagnostic]:
    """Names of distributions and imports, and domains, that two packages have."""
    found: list[Diagnostic] = []
    distributions: dict[str, _Draft] = {}
    imports: dict[str, _Draft] = {}
    domains: dict[str, tuple[_Draft, Place]] = {}
    for draft in drafts:
        for key, known, name in (
            ("library", distributions, normal_name(draft.name)),
            ("package", imports, draft.package),
        ):
            other = known.setdefault(name, draft)
            if other is not draft:
                message = f"two packages have the `{key}` {draft.name if key == 'library' else name}"
                related = Related(other.at(key), "the other one")
                help_ = "Give each package a name of its own: its bundle, wheel and modules are called so."
                found.append(Diagnostic("OW135", message, draft.at(key), help=help_, related=(related,)))
        for position, domain in enumerate(draft.domains if "domains" in draft.node.entries else ()):
            place = draft.at("domains", position)
            owner, claimed = domains.setdefault(domain, (draft, place))
            if claimed != place:
                message = f"the domain `{domain}` is claimed by `{owner.name}` and by `{draft.name}`"
                related = Related(claimed, f"claimed by `{owner.name}`")
                help_ = "A domain belongs to one package: remove it from the other."
                found.append(Diagnostic("OW134", message, place, help=help_, related=(related,)))
    return found


def _cycles(drafts: list[_Draft], names: Mapping[str, str]) -> list[Diagnostic]:
    """The circles of packages that depend on one another, each once."""
    by_name = {draft.name: draft for draft in drafts}
    done: set[str] = set()
    found: list[Diagnostic] = []
    for draft in drafts:
        path: list[str] = []
        pending: list[tuple[str, bool]] = [(draft.name, False)]
        while pending:
            name, leaving = pending.pop()
            if leaving:
                path.pop()
                done.add(name)
            elif name in path:
                circle = [*path[path.index(name) :], name]
                found.append(_cycle(by_name[circle[-2]], circle))
            elif name not in done:
                path.append(name)
                pending.append((name, True))
                wanted = (names.get(normal_name(item)) for item in by_name[name].dependencies)
                pending += ((item, False) for item in reversed([item for item in wanted if item is not None]))
    return found


def _cycle(draft: _Draft, circle: list[str]) -> Diagnostic:
    written = next(name for name in draft.dependencies if normal_name(name) == normal_name(circle[-1]))
    return Diagnostic(
        "OW138",
        f"the package `{circle[-1]}` depends on itself",
        draft.dependency_place(written),
        reason=" depends on ".join(circle),
        help="Move what both need into a package of its own, or make one package of them.",
    )


def _refused_siblings(packages: Iterable[Package | None]) -> list[Diagnostic]:
    """Siblings of a release that a range does not admit."""
    known = {package.name: package for package in packages if package is not None}
    found: list[Diagnostic] = []
    for package in known.values():
        for name, releases in package.siblings.items():
            sibling = known.get(name)
            if sibling is None or not releases or admits_release(releases, sibling.version):
                continue
            message = f"`{package.name}` needs {name} {releases}, but this repository has {sibling.version}"
            written = next(key for key in package.places if normal_name(key) == normal_name(f"dependencies.{name}"))
            related = Related(sibling.places["version"], f"the version of `{name}`")
            help_ = f"Write a range that {sibling.version} is in."
            found.append(Diagnostic("OW140", message, package.places[written], help=help_, related=(related,)))
    return found
