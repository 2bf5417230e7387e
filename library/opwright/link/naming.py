"""The identity (domain, name, overload) under which a variant of a function version stands in a model.

A model has no field for a function's version: the import of its domain says which version a name means. So the
version that the import means gets the plain name, and any other one in the same model has its version in its name
(`Swish__since_1`). Variants have their key there (`Clip__min_absent__max_present`); a function with one body for all
variants has the plain name. Nothing else decides. In the profile `overload` the same is said by the overload
(`min=absent,max=present`, `@1,T=float`), but of bodies that functions call.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from opwright.bundle.format import BodyEntry, FunctionEntry, TemplateEntry
from opwright.diagnostics.diagnostic import Diagnostic
from opwright.graphs.ids import FunctionId
from opwright.link.catalogue import Catalogue, Same
from opwright.link.conflicts import Conflict, ConflictError, Requirement, make_conflict
from opwright.variants import Key, Profile, labels, overload_of, portable_name

Content = tuple[str, str, tuple[str, ...], tuple[str, ...]]  # identity, body, inputs, attributes


@dataclass(frozen=True, slots=True)
class Instance:
    """One body of one function version."""

    entry: FunctionEntry
    body: BodyEntry

    @property
    def content(self) -> Content:
        """Equal for two bodies of a version that make the same FunctionProto but for its name."""
        return (self.entry.identity, self.body.body, self.body.inputs, self.body.attributes)

    @property
    def variant_text(self) -> str:
        """The key of its variant; empty where there is one variant only."""
        return ",".join(f"{axis}={value}" for axis, value in self.body.variant)


def bodies_at(entry: FunctionEntry, opset: int) -> tuple[BodyEntry, ...]:
    """The variants of a version at that default opset, in declaration order."""
    return tuple(body for body in entry.bodies if body.first_opset <= opset <= body.last_opset)


def template_at(entry: FunctionEntry, opset: int) -> TemplateEntry | None:
    """The template that serves a version at that default opset."""
    return next((item for item in entry.templates if item.first_opset <= opset <= item.last_opset), None)


def version_at(versions: Iterable[FunctionEntry], version: int) -> FunctionEntry | None:
    """The greatest since_version at or below a domain's version; None when all are newer."""
    fitting = [entry for entry in versions if entry.since_version <= version]
    return max(fitting, key=lambda entry: entry.since_version, default=None)


@dataclass(frozen=True, slots=True)
class Naming:
    """Gives instances their ids in one model.

    `imports` maps emitted domains to the versions that the model imports; a domain that is not in it means the
    version that the catalogue assumes, its newest. `nested` are the bodies that functions call: onnxruntime ignores the
    overload of such a call (it would run another variant, silently), so these have it in their name in either profile.
    `needed_by` says for whom an instance is there. Raises ConflictError (OW530) where a variant's name is that of
    another function.
    """

    catalogue: Catalogue
    imports: Mapping[str, int]
    opset: int
    profile: Profile
    nested: Collection[Content] = frozenset()
    needed_by: Callable[[Instance], str] = lambda instance: instance.entry.identity
    _memo: dict[Content, FunctionId] = field(default_factory=dict)
    _owners: dict[FunctionId, Instance] = field(default_factory=dict)

    def id_of(self, instance: Instance) -> FunctionId:
        """The same for every variant of the version that has this very content."""
        found = self._memo.get(instance.content)
        if found is None:
            by_overload = self.profile is Profile.OVERLOAD and instance.content not in self.nested
            found = self._memo[instance.content] = self._make_id(instance, by_overload)
            owner = self._owners.setdefault(found, instance)
            if owner.content != instance.content:
                other = self._named(owner, found[1])
                raise ConflictError(
                    [_same_name(instance, found[1], owner.entry, self._named(instance, found[1]), other)]
                )
        return found

    def possible_ids(self, instance: Instance) -> tuple[FunctionId, FunctionId]:
        """The ids that a body can have in a model with these imports."""
        return (self._make_id(instance, by_overload=True), self._make_id(instance, by_overload=False))

    def variant_of(self, instance: Instance) -> tuple[tuple[str, str], ...]:
        """The variant's key, of those with this content the first one's; empty where all variants are equal.

        An instance of a template always has one: others may be made for the same model.
        """
        named = _keys_of_contents(Same(instance.entry), self.opset)
        has_others = len(named) > 1 or template_at(instance.entry, self.opset) is not None
        return named.get(instance.content, instance.body.variant if has_others else ())

    def import_of(self, domain: str) -> int:
        """The version at which functions of a library's domain are called in this model."""
        emitted = self.catalogue.emitted(domain)
        if emitted in self.imports:
            return self.imports[emitted]
        known = self.catalogue.domain_called(domain)
        return self.catalogue.version_assumed(known) if known is not None else 1

    def _make_id(self, instance: Instance, by_overload: bool) -> FunctionId:
        entry = instance.entry
        since_version = 0 if self._is_plain(entry) else entry.since_version
        variant = self.variant_of(instance)
        domain = self.catalogue.emitted(entry.domain)
        if by_overload:
            version = [f"@{since_version}"] if since_version else []
            return (domain, entry.name, ",".join([*version, overload_of(variant)] if variant else version))
        name = portable_name(entry.name, variant, since_version)
        others = self.catalogue.versions_of(entry.domain, name)
        if others and name != entry.name:
            origin = self.catalogue.origin_of(others[0].identity) or "the library"
            other = Requirement(str(origin), f"has a function {others[0].identity}")
            raise ConflictError([_same_name(instance, name, others[0], self._named(instance, name), other)])
        return (domain, name, "")

    def _named(self, instance: Instance, name: str) -> Requirement:
        variant = f" with {instance.variant_text}" if instance.body.variant else ""
        return Requirement(
            self.needed_by(instance), f"needs {instance.entry.identity}{variant}, which would be called {name}"
        )

    def _is_plain(self, entry: FunctionEntry) -> bool:
        imported = self.import_of(entry.domain)
        since = self.catalogue.since_versions(entry.domain, entry.name)
        return max((version for version in since if version <= imported), default=None) == entry.since_version


@lru_cache(maxsize=1 << 8)
def _keys_of_contents(entry: Same[FunctionEntry], opset: int) -> Mapping[Content, Key]:
    """The bodies of a version at an opset, each with the key of the first variant that has it; an empty one where there
    is one body for all, and no template. Kept, for all bodies of a version are instantiated one by one."""
    siblings = [Instance(entry.value, body) for body in bodies_at(entry.value, opset)]
    contents = [sibling.content for sibling in siblings]
    keys = [sibling.body.variant for sibling in siblings]
    if template_at(entry.value, opset) is None:
        return dict(zip(contents, labels(keys, contents), strict=True))
    return dict(zip(reversed(contents), reversed(keys), strict=True))


def _same_name(
    instance: Instance, name: str, other: FunctionEntry, first: Requirement, second: Requirement
) -> Conflict:
    finding = Diagnostic(
        "OW530",
        f"a variant of {instance.entry.identity} and a function of {other.identity} would both be called {name}",
        reason="variants are told apart by their names, for runtimes do not resolve overloads below functions",
        help=f"rename {other.name} in its library" if other is not instance.entry else "rename an input or attribute",
    )
    return make_conflict(finding, first, second)
