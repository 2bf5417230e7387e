"""A package as the last build made it, and as an edit makes it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from opwright.bundle.format import DependencyEntry, FunctionEntry

from opwright_build.engine.action import Done
from opwright_build.engine.dataclass_bytes import decode_value, encode_value
from opwright_build.engine.mutual_actions import Result
from opwright_build.engine.run import Engine
from opwright_build.spec.model import Domain, Package
from opwright_build.workflow.compiled.version_parts import BODIES, FACTS, RELEASED, decode_blobs


@dataclass(frozen=True)
class NotedPackage:
    """A package as the last build made it; for its `facts` see `VersionTable`."""

    facts: Mapping[str, Any]

    @cached_property
    def declared(self) -> Package:
        """What library.yaml says of it."""
        return decode_value(Package, self.facts["inputs"]["package"].encode("ascii"))

    @cached_property
    def domains(self) -> tuple[Domain, ...]:
        """Those that it has."""
        return decode_value(tuple[Domain, ...], self.facts["inputs"]["domains"].encode("ascii"))

    @cached_property
    def dependencies(self) -> tuple[DependencyEntry, ...]:
        """What its bundle carries of other packages."""
        return decode_value(tuple[DependencyEntry, ...], self.facts["inputs"]["dependencies"].encode("ascii"))

    def carries(self, identity: str) -> bool:
        """Whether it carries a version of another package."""
        return any(entry.identity == identity for item in self.dependencies for entry in item.functions)

    def inputs_now(self, bundles: Mapping[str, str]) -> dict[str, str]:
        """The inputs of its action, with other digests of the bundles of some packages that it depends on."""
        inputs: dict[str, str] = dict(self.facts["inputs"])
        if any(item.library in bundles for item in self.dependencies):
            moved = tuple(replace(item, sha256=bundles.get(item.library, item.sha256)) for item in self.dependencies)
            inputs["dependencies"] = encode_value(moved).decode("ascii")
        return inputs

    @cached_property
    def carried(self) -> frozenset[str]:
        """The digests of the bodies of other packages that its bundle has."""
        return frozenset(decode_value(dict[str, bytes], self.facts["inputs"]["closure"].encode("ascii")))

    def of_own(self, identities: Iterable[str]) -> list[str]:
        """Those of its own versions among these."""
        return [identity for identity in identities if identity.partition("::")[0] in self.declared.domains]

    def is_released(self, differing: Iterable[str]) -> bool:
        """Whether it is what was released, where these versions of the library are not."""
        return RELEASED in self.facts["inputs"] and not self.of_own(differing)

    def calls_of(self, entry: bytes) -> set[tuple[str, str]]:
        """The bodies of other packages that a version calls, each with its function."""
        bodies = decode_value(FunctionEntry, entry).bodies
        calls = (call for body in bodies for call in body.calls if call.domain not in self.declared.domains)
        return {(f"{call.domain}::{call.name}@{call.since_version}", call.body) for call in calls}


@dataclass(frozen=True)
class PackageNow:
    """A package as it is made now, with the `inputs` of its action but for versions. `shared`: how many of its versions
    have a body, where more than one has."""

    engine: Engine
    result: Result
    inputs: Mapping[str, str]
    shared: Mapping[str, int]

    @cached_property
    def told(self) -> Mapping[str, Any]:
        """Its figures."""
        figures: dict[str, Any] = json.loads(self.engine.fetch(self.result, FACTS))
        return figures

    @property
    def outputs(self) -> dict[str, str]:
        """Its files, each with its digest."""
        assert isinstance(self.result.outcome, Done)
        return {path: digest for path, digest in self.result.outcome.outputs.items() if path != FACTS}

    @property
    def unkept(self) -> tuple[str, ...]:
        """The paths of those that no store has."""
        assert isinstance(self.result.outcome, Done)
        return self.result.outcome.unkept

    def noted(self) -> dict[str, Any]:
        """What the next edit is told of it."""
        return {"inputs": self.inputs, "outputs": self.outputs, "shared": self.shared}


@dataclass(frozen=True, slots=True)
class EditedVersion:
    """A version that gives its package something else than before: its figures and bodies (digests and sizes) before,
    its interface where that was another one, and its parts now."""

    identity: str
    figures: Mapping[str, int]
    bodies: Mapping[str, int]
    interface: bytes | None
    parts: Mapping[str, bytes]

    def now(self) -> Iterable[str]:
        """The digests of its bodies."""
        return decode_blobs(self.parts[BODIES])
