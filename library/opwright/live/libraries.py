"""The functions of installed libraries, as calls in a live function reach them: through a package's opset."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING

from onnx import FunctionProto, NodeProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.graphs.ids import FunctionId, call_id, function_id
from opwright.graphs.walk import all_nodes
from opwright.lang import ir
from opwright.lang.meaning.objects import OpsetObject
from opwright.link.metadata import VARIANT
from opwright.opsets.signatures import is_known_domain, signature
from opwright.packaged import LibraryFunction, LibraryOpset

if TYPE_CHECKING:
    from opwright.bundle.format import BodyEntry, Bundle, FunctionEntry

# The opsets of packages that functions have named, by the domain in which their functions stand in a model.
_OPSETS: dict[tuple[str, int], LibraryOpset] = {}


def opset_of_module(module: ModuleType) -> OpsetObject | None:
    """The opset that a generated module shows; None for any other module."""
    found = vars(module).get("_OPSET")
    return opset_object(found) if isinstance(found, LibraryOpset) else None


def opset_object(opset: LibraryOpset) -> OpsetObject:
    """A package's opset as the compiler knows it: under the domain in which its functions stand in a model.

    Raises DiagnosticError when the package's bundle cannot be read, or another package has the domain.
    """
    domain = _emitted(_bundle_of(opset), opset.domain)
    known = _OPSETS.setdefault((domain, opset.version), opset)
    if known.package != opset.package:
        raise DiagnosticError(
            [
                Diagnostic(
                    "OW563",
                    f"the packages {known.package} and {opset.package} both have the domain {domain}",
                    reason="a model tells functions apart by domain and name, not by package",
                    help="use the functions of one of them",
                )
            ]
        )
    return OpsetObject(domain, opset.version)


def _bundle_of(opset: LibraryOpset) -> Bundle:
    return LibraryFunction(opset, "").bundle


def _emitted(bundle: Bundle, domain: str) -> str:
    return next((item.mirror for item in bundle.index.domains if item.name == domain), domain)


class InstalledLibraries:
    """The functions of the packages whose opsets have been named."""

    def domain_of(self, package: str, prefix: str = "") -> str | None:
        return None

    def other_versions(self, package: str, prefix: str, version: int) -> tuple[int, ...] | None:
        return None

    def function(self, domain: str, name: str, version: int) -> FunctionEntry | None:
        opset = _OPSETS.get((domain, version))
        try:
            return None if opset is None else opset.find(name).entry
        except (AttributeError, LookupError):
            return None

    def emitted_domain(self, domain: str) -> str | None:
        return domain if any(known == domain for known, _ in _OPSETS) else None

    def names(self, domain: str) -> tuple[str, ...]:
        found = [opset for (known, _), opset in _OPSETS.items() if known == domain]
        return tuple(dict.fromkeys(name for opset in found for name in opset.list_names()))


class LibraryCalls:
    """The functions of libraries that one model calls, as FunctionProtos; what calls them gets their names."""

    def __init__(self, opset: int) -> None:
        self.opset = opset
        self.protos: dict[FunctionId, FunctionProto] = {}
        self.family_names: dict[FunctionId, str] = {}  # the functions' names without their variants
        self._made: dict[tuple[str, str, str], FunctionId] = {}
        self._called: list[tuple[LibraryFunction, BodyEntry, str]] = []  # and the domains that these stand in

    def identify(self, callee: ir.FunctionReference) -> FunctionId:
        """The id under which a function of a library stands in the model; it and its callees are added."""
        key = (callee.emitted_domain, f"{callee.name}@{callee.since_version}", callee.digest)
        if key not in self._made:
            opset = _OPSETS[callee.emitted_domain, callee.version]
            function = opset.find(callee.name)
            bodies = function.entry.bodies
            body = next(item for item in bodies if item.body == callee.digest and item.variant == callee.variant)
            made = function.instantiate(body, self.opset, callee.emitted_domain)
            for proto in made:
                self.protos.setdefault(function_id(proto), proto)
            identity = self._made[key] = function_id(made[-1])
            self.family_names[identity] = callee.name
            self._called.append((function, body, callee.emitted_domain))
        return self._made[key]

    def import_at(self, versions: Mapping[str, int]) -> None:
        """Names the functions for a model that imports these versions of their domains. Those that are called are the
        same there, but what they call may be of an older version, which then has it in its name."""
        if all(versions[domain] == function.since_version for function, body, domain in self._called if body.calls):
            return
        self.protos = {
            function_id(proto): proto
            for function, body, domain in self._called
            for proto in function.instantiate(body, self.opset, domain, versions[domain])
        }

    def overload_ids(self) -> dict[FunctionId, FunctionId]:
        """The ids that variants have where they are told apart by overloads, by those that they have here."""
        found = {}
        for made, name in self.family_names.items():
            facts = {item.key: item.value for item in self.protos[made].metadata_props}
            found[made] = (made[0], name, facts.get(VARIANT, ""))
        return found


def newest_imports(imports: Mapping[str, int], functions: Iterable[FunctionProto]) -> dict[str, int]:
    """The versions of all domains that a model imports whose graph has these imports, with these functions."""
    versions = dict(imports)
    for item in (item for function in functions for item in function.opset_import):
        versions[item.domain] = max(item.version, versions.get(item.domain, 1))
    return versions


def check_imports(
    nodes: Iterable[NodeProto],
    imports: Mapping[str, int],
    versions: Mapping[str, int],
    by_name: Collection[FunctionId],
    place: Place,
) -> None:
    """DiagnosticError where a node means something else at the version of its domain that the model imports than at the
    one that it was written for. `by_name` are the functions that are found by name, whatever the version."""
    if all(not domain or imports.get(domain, 1) == version for domain, version in versions.items()):
        return
    for node in all_nodes(nodes):
        written, imported = imports.get(node.domain, 1), versions.get(node.domain, 1)
        if not node.domain or written == imported or call_id(node) in by_name:
            continue
        if _meaning(node, written) != _meaning(node, imported):
            raise DiagnosticError(
                [
                    Diagnostic(
                        "OW357",
                        f"{node.domain}::{node.op_type} is of version {written}, and the model imports {imported}",
                        place,
                        reason="a model imports one version of each domain, and it is another operator there",
                        help="use one version of the domain in all functions that are called",
                        subject=node.op_type,
                    )
                ]
            )


def _meaning(node: NodeProto, version: int) -> int:
    """The version of the operator or library function that a version of its domain has."""
    entry = InstalledLibraries().function(node.domain, node.op_type, version)
    if entry is not None:
        return entry.since_version
    found = signature(node.domain, node.op_type, version) if is_known_domain(node.domain) else None
    return version if found is None else found.since_version


def unify_imports(functions: Iterable[FunctionProto], versions: dict[str, int]) -> None:
    """Gives every function the versions of the other domains that the model imports."""
    for function in functions:
        others = [item for item in function.opset_import if versions.get(item.domain, item.version) != item.version]
        used = {"", *(node.domain for node in all_nodes(function.node))} if others else ()
        for item in others:
            if item.domain in used:
                item.version = versions[item.domain]
