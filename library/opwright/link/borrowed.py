"""What libraries carry of others because their functions call it: to be called, never to serve a model's own nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from opwright.bundle.format import DomainEntry, FunctionEntry


@dataclass(frozen=True, slots=True)
class Origin:
    """A library release."""

    library: str
    version: str

    def __str__(self) -> str:
        return f"{self.library} {self.version}"


@dataclass(frozen=True, slots=True)
class Borrowed:
    """Functions by identity, with the release that each is of; every version that a function has where it is from, by
    (domain, name); the domains."""

    functions: Mapping[str, FunctionEntry] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)
    versions: Mapping[tuple[str, str], tuple[int, ...]] = field(default_factory=dict)
    domains: Mapping[str, DomainEntry] = field(default_factory=dict)

    def versions_of(self, domain: str, name: str) -> tuple[FunctionEntry, ...]:
        """The versions of one function that are carried, oldest first."""
        found = (self.functions.get(f"{domain}::{name}@{since}") for since in self.versions.get((domain, name), ()))
        return tuple(entry for entry in found if entry is not None)


def same_function(left: FunctionEntry, right: FunctionEntry) -> bool:
    """Whether two entries of one identity say the same, but for what they tell people."""
    return left is right or left == right or _without_texts(left) == _without_texts(right)


def differing_parts(left: FunctionEntry, right: FunctionEntry) -> tuple[str, str]:
    """What two entries of one identity say differently, in words: the first of their parts that differs."""
    for name, said in _PARTS.items():
        one, other = said(left), said(right)
        if one != other:
            return f"{name} {one or 'none'}", f"{name} {other or 'none'}"
    ours, theirs = _bodies(left), _bodies(right)
    for key in (*ours, *theirs):
        if ours.get(key) != theirs.get(key):
            return f"{ours.get(key, 'no body')} {key}", f"{theirs.get(key, 'no body')} {key}"
    return "shapes or templates of its own", "others"


_PARTS: Mapping[str, Callable[[FunctionEntry], str]] = {
    "the inputs": lambda entry: ", ".join(f"{item.name}: {item.type}" + "?" * item.optional for item in entry.inputs),
    "the outputs": lambda entry: ", ".join(f"{item.name}: {item.type}" for item in entry.outputs),
    "the attributes": lambda entry: ", ".join(
        f"{item.name}: {item.type}" + ("" if item.default is None else f" = {item.default!r}")
        for item in entry.attributes
    ),
    "the types": lambda entry: "; ".join(f"{name}: {' '.join(elements)}" for name, elements in entry.types),
}


def _bodies(entry: FunctionEntry) -> dict[str, str]:
    """Digests by the opsets and the variant that a body serves."""
    found = {}
    for body in entry.bodies:
        variant = "".join(f", {axis}={value}" for axis, value in body.variant)
        found[f"for opsets {body.first_opset} to {body.last_opset}{variant}"] = body.body
    return found


def _without_texts(entry: FunctionEntry) -> FunctionEntry:
    return replace(
        entry,
        summary="",
        doc="",
        deprecated=False,
        inputs=tuple(replace(item, doc="") for item in entry.inputs),
        outputs=tuple(replace(item, doc="") for item in entry.outputs),
        attributes=tuple(replace(item, doc="") for item in entry.attributes),
    )
