"""Which function implements an operator of PyTorch: those of several libraries, in the order in which they count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from opwright.aten.binding import Binding, bind_operator
from opwright.bundle.format import Bundle, FunctionEntry
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.link.library_forms import AnyLibrary, given_library
from opwright.suggest import close_names

_GROUPS = ("special_", "linalg_", "fft_")  # before the names of what is in modules of torch, as torch.special
LAST = "opwright-aten"  # whose functions stand behind those of any other library


@dataclass(frozen=True, slots=True)
class Implementation:
    """A function of a library, and what the arguments of an operator are to it. `domain` is that of its nodes."""

    library: Bundle
    domain: str
    binding: Binding

    @property
    def function(self) -> FunctionEntry:
        return self.binding.function


class Registry(Mapping[str, Implementation]):
    """Implementations by the name of the operator, such as `aten::add.Tensor`."""

    def __init__(self, implementations: Mapping[str, Implementation]) -> None:
        self._implementations = dict(implementations)

    def __getitem__(self, operator: str) -> Implementation:
        return self._implementations[operator]

    def __iter__(self) -> Iterator[str]:
        return iter(self._implementations)

    def __len__(self) -> int:
        return len(self._implementations)

    def unknown(self, operator: str, place: Place | None) -> Diagnostic:
        """The finding about an operator that no function implements, called at that place."""
        close = self._neighbours(operator)
        return Diagnostic(
            "OW684",
            f"no function implements {operator}",
            place,
            reason="the libraries that were given have no function for it",
            help=f"the nearest that {'is' if len(close) == 1 else 'are'} implemented: {', '.join(close)}"
            if close
            else "write a function that `implements:` it, and give its library to `registry`",
        )

    def _neighbours(self, operator: str) -> list[str]:
        """Up to three operators whose own names are alike: all have `aten::`, many a group or an overload `Tensor`."""
        named: dict[str, list[str]] = {}
        for other in sorted(self):
            named.setdefault(_own_name(other), []).append(other)
        close = close_names(_own_name(operator), named, most=3, cutoff=0.8)
        return [other for name in close for other in named[name]][:3]


def _own_name(operator: str) -> str:
    """`add` of `aten::add.Tensor`, `ndtri` of `aten::special_ndtri`."""
    name = operator.rpartition("::")[2].partition(".")[0]
    group = next((item for item in _GROUPS if name.startswith(item)), "")
    return name.removeprefix(group)


def make_registry(libraries: Sequence[AnyLibrary]) -> Registry:
    """What the libraries implement. Of two functions for one operator that of the library which is named first counts,
    and `opwright-aten` comes last wherever it is named.

    Raises DiagnosticError: OW518 and OW510 to OW516 for what is no library, OW685 for one that implements nothing.
    """
    bundles = [given_library(item) for item in libraries]
    found: dict[str, Implementation] = {}
    for bundle in sorted(bundles, key=lambda item: item.index.library == LAST):
        own = _implementations(bundle)
        if not own:
            raise DiagnosticError([_implements_nothing(bundle)])
        for operator, implementation in own.items():
            found.setdefault(operator, implementation)
    return Registry(found)


def _implementations(bundle: Bundle) -> dict[str, Implementation]:
    """Those of one library: of a function the newest version for each operator, deprecated ones left out."""
    domains = {item.name: item.mirror for item in bundle.index.domains}
    newest: dict[tuple[str, str, str], FunctionEntry] = {}
    for entry in bundle.index.functions:
        if entry.implements is not None and not entry.deprecated:
            key = (entry.domain, entry.name, entry.implements.schema.partition("(")[0])
            if key not in newest or newest[key].since_version < entry.since_version:
                newest[key] = entry
    found: dict[str, Implementation] = {}
    for entry in newest.values():
        assert entry.implements is not None
        bound = bind_operator(entry.implements, entry)
        if isinstance(bound, Binding):  # one that does not fit is not built; a later release may have other rules
            made = Implementation(bundle, domains.get(entry.domain, entry.domain), bound)
            found.setdefault(bound.schema.identity, made)
    return found


def _implements_nothing(bundle: Bundle) -> Diagnostic:
    return Diagnostic(
        "OW685",
        f"no function of {bundle.index.library} {bundle.index.version} implements an operator of PyTorch",
        reason="the spec of a function says so: `implements: aten::relu`",
        help="name a library that has such functions, as opwright-aten",
    )
