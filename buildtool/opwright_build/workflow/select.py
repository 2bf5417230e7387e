"""Which functions a name on the command line means."""

from __future__ import annotations

from collections.abc import Iterable

from opwright.diagnostics.diagnostic import Diagnostic
from opwright.suggest import close_names

from opwright_build.workflow.status import UsageError


def select_identities(text: str, identities: Iterable[str]) -> list[str]:
    """Those identities (`domain::Name@version`) that `text` means, in their order.

    `text` is a name, with its domain before `/` or `::` and a version after `@` if wanted, or the function's folder.
    UsageError, with names that are close, when it means none.
    """
    known = list(identities)
    wanted, _, version = text.rstrip("/").partition("@")
    domain, _, name = wanted.replace("::", "/").rpartition("/")
    domain = domain.rpartition("/")[2]
    found = [identity for identity in known if _fits(identity, domain, name, version)]
    if found:
        return found
    names = list(dict.fromkeys(_split(identity)[1] for identity in known))
    close = close_names(name, names, most=3, cutoff=0.5)
    help_ = f"did you mean {' or '.join(close)}?" if close else "`opwright ls` lists them"
    raise UsageError([Diagnostic("OW907", f"the library has no function {text}", help=help_)])


def _fits(identity: str, domain: str, name: str, version: str) -> bool:
    own_domain, own_name, own_version = _split(identity)
    return name == own_name and domain in ("", own_domain) and version in ("", own_version)


def _split(identity: str) -> tuple[str, str, str]:
    domain, _, rest = identity.partition("::")
    name, _, version = rest.partition("@")
    return domain, name, version
