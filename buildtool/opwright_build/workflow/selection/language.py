"""Selectors as text: `com.acme/Sw*@2`, `domain:com.acme`, `tag:fast,+Swish`.

selector = term {"," term}           all of the terms hold
term     = ["+"] base ["+"]          a leading + adds what they call, a trailing one what calls them
base     = name | method ":" value
name     = [domain ("/" | "::")] Name ["@" version], or the function's folder; * ? and [...] are globs
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Protocol

from opwright.diagnostics.diagnostic import Diagnostic
from opwright.suggest import close_or, did_you_mean

from opwright_build.spec.model import OpsetRange
from opwright_build.workflow.opened.status import UsageError
from opwright_build.workflow.selection.candidate import Candidate

MODIFIED, FAILED = "modified", "failed"
STATES = (MODIFIED, FAILED)
_OPSETS = re.compile(r"(\d{1,4})(?:-(\d{1,4}))?")


class Answers(Protocol):
    """What is known of a library besides what its YAML declares."""

    def in_state(self, state: str, candidate: Candidate) -> bool:
        """Whether the version is in that state, one of `STATES`."""
        ...

    def changed_since(self, revision: str, candidate: Candidate) -> bool:
        """Whether the version has changed since the revision of git."""
        ...


@dataclass(frozen=True, slots=True)
class Name:
    """Versions by globs over the three parts of their identity; an empty one fits all."""

    text: str
    domain: str
    name: str
    version: str

    def fits(self, candidate: Candidate, answers: Answers) -> bool:
        return self.fits_identity(candidate.domain, candidate.name, candidate.version)

    def fits_identity(self, domain: str, name: str, version: str) -> bool:
        own = ((self.domain, domain), (self.name, name), (self.version, version))
        return bool(self.name) and all(not glob or fnmatchcase(value, glob) for glob, value in own)

    def unknown(self, candidates: Sequence[Candidate]) -> Diagnostic:
        """That it means nothing."""
        return unknown_function(self.text, self.name, [item.name for item in candidates])


@dataclass(frozen=True, slots=True)
class Labelled:
    """Versions by a label that their specs give: `kind` is `domain`, `tag`, `type` or `package`, `value` a glob."""

    kind: str
    value: str

    def fits(self, candidate: Candidate, answers: Answers) -> bool:
        return any(fnmatchcase(label, self.value) for label in candidate.labels(self.kind))

    def unknown(self, candidates: Sequence[Candidate]) -> Diagnostic:
        known = sorted({label for item in candidates for label in item.labels(self.kind)})
        message = f"no function of the library has the {self.kind} {self.value}"
        return Diagnostic("OW907", message, help=_lower(did_you_mean(self.value, known)) or "`opwright ls` lists them")


@dataclass(frozen=True, slots=True)
class AtOpsets:
    """Versions that are for one of these opsets."""

    opsets: OpsetRange

    def fits(self, candidate: Candidate, answers: Answers) -> bool:
        own = candidate.opsets
        return own is not None and own.first <= self.opsets.last and self.opsets.first <= own.last

    def unknown(self, candidates: Sequence[Candidate]) -> Diagnostic:
        own = [item.opsets for item in candidates if item.opsets is not None]
        message = f"no function of the library is for opset {_range(self.opsets)}"
        if not own:
            return Diagnostic("OW907", message)
        whole = OpsetRange(min(item.first for item in own), max(item.last for item in own))
        return Diagnostic("OW907", message, help=f"the library is for opsets {_range(whole)}")


@dataclass(frozen=True, slots=True)
class InState:
    """Versions that have changed, or failed; there may be none."""

    state: str

    def fits(self, candidate: Candidate, answers: Answers) -> bool:
        return answers.in_state(self.state, candidate)


@dataclass(frozen=True, slots=True)
class Since:
    """Versions that differ from those of a revision of git; there may be none."""

    revision: str

    def fits(self, candidate: Candidate, answers: Answers) -> bool:
        return answers.changed_since(self.revision, candidate)


Base = Name | Labelled | AtOpsets | InState | Since


@dataclass(frozen=True, slots=True)
class Term:
    """`callees`: and what they call, and so on; `callers`: and what calls them, and so on."""

    base: Base
    callees: bool = False
    callers: bool = False


Selector = tuple[Term, ...]
_LABELS = ("domain", "tag", "type", "package")
METHODS = (*_LABELS, "opset", "state", "since")


def parse_selector(text: str) -> Selector:
    """The selector that `text` is. UsageError (OW532) when it is none."""
    return tuple(_term(part.strip(), text) for part in text.split(","))


def parse_name(text: str) -> Name:
    """A name: `Swish`, `com.acme/Swish`, `com.acme::Swish@1`, `specs/com.acme/Swish/`, with globs or without."""
    wanted, _, version = text.rstrip("/").partition("@")
    domain, _, name = wanted.replace("::", "/").rpartition("/")
    return Name(text, domain.rpartition("/")[2], name, version)


def unknown_function(text: str, name: str, known: Sequence[str]) -> Diagnostic:
    """That the library has no function that `text` means; `known` are the names that it has."""
    help_ = close_or(name, dict.fromkeys(known), "`opwright ls` lists them", cutoff=0.5)
    return Diagnostic("OW907", f"the library has no function {text}", help=help_)


def select_identities(text: str, identities: Iterable[str]) -> list[str]:
    """Those identities (`domain::Name@version`) that the name `text` means, in their order.

    UsageError, with names that are close, when it means none.
    """
    wanted = parse_name(text)
    parts = {identity: split_identity(identity) for identity in identities}
    found = [identity for identity, own in parts.items() if wanted.fits_identity(*own)]
    if not found:
        raise UsageError([unknown_function(text, wanted.name, [name for _, name, _ in parts.values()])])
    return found


def split_identity(identity: str) -> tuple[str, str, str]:
    """Domain, name and version; the version is empty where there is none."""
    domain, _, rest = identity.partition("::")
    name, _, version = rest.partition("@")
    return domain, name, version


def _term(part: str, text: str) -> Term:
    base = part.removeprefix("+").removesuffix("+")
    if not base:
        raise _nonsense(text, "a part of it is empty", "write a name, such as Swish, or domain:com.acme")
    return Term(_base(base, text), callees=part.startswith("+"), callers=part.endswith("+"))


def _base(base: str, text: str) -> Base:
    method, colon, value = base.partition(":")
    if not colon or value.startswith(":"):  # of `com.acme::Swish`
        return parse_name(base)
    if method not in METHODS:
        raise _nonsense(text, f"there is no selector `{method}:`", _lower(did_you_mean(method, METHODS)))
    if not value:
        raise _nonsense(text, f"nothing stands after `{method}:`", "")
    match method:
        case "opset":
            return AtOpsets(parse_opsets(value))
        case "state":
            if value not in STATES:
                raise _nonsense(text, f"there is no state `{value}`", _lower(did_you_mean(value, STATES)))
            return InState(value)
        case "since":
            return Since(value)
        case _:
            return Labelled(method, value)


def parse_opsets(text: str) -> OpsetRange:
    """`18` or `18-21`, both included. UsageError (OW532) for any other text."""
    found = _OPSETS.fullmatch(text)
    if found is None or int(found[1]) > int(found[2] or found[1]):
        raise _nonsense(text, "it is neither an opset nor a range of them", "write 18, or 18-21")
    return OpsetRange(int(found[1]), int(found[2] or found[1]))


def _nonsense(text: str, reason: str, help_: str) -> UsageError:
    return UsageError([Diagnostic("OW532", f"`{text}` selects nothing that makes sense", reason=reason, help=help_)])


def _range(opsets: OpsetRange) -> str:
    return str(opsets.first) if opsets.first == opsets.last else f"{opsets.first} to {opsets.last}"


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
