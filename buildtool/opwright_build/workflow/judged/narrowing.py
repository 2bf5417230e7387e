"""Which cells of the matrix `opwright test` runs: some types, opsets and runtimes, or all up to the first failure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from opwright.diagnostics.diagnostic import Diagnostic
from opwright.suggest import did_you_mean

from opwright_build.workflow.opened.status import UsageError

if TYPE_CHECKING:
    from opwright_build.spec.model import OpsetRange
    from opwright_build.verify.case_model import Outcome
    from opwright_build.verify.run.runtimes import Runtime


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Globs over element types and over names of runtimes, and opsets; of each, none stands for all. `spread` takes two
    opsets of each variant (`verify.run.spread`), `first` stops at the first failure."""

    types: tuple[str, ...] = ()
    opsets: tuple[OpsetRange, ...] = ()
    runtimes: tuple[str, ...] = ()
    spread: bool = False
    first: bool = False

    @property
    def leaves_out(self) -> bool:
        """Whether some cells may be missing, so that nothing follows from what did not pass. Of a spread there
        is all that follows from types."""
        return bool(self.types or self.opsets or self.runtimes or self.first)

    @property
    def is_partial(self) -> bool:
        """Whether some cells of a version do not run, so that there is no verdict to keep."""
        return bool(self.types or self.opsets)

    def fits_opset(self, opset: int) -> bool:
        return not self.opsets or any(opset in item for item in self.opsets)

    def fits_types(self, bindings: Mapping[str, str]) -> bool:
        """Whether a case with these element types is to run; one that has none is."""
        return not self.types or not bindings or any(_fits(kind, self.types) for kind in bindings.values())

    def fits(self, outcome: Outcome) -> bool:
        return self.fits_opset(outcome.opset) and self.fits_types(outcome.case.bindings)

    def narrowed(self, runtimes: Sequence[Runtime]) -> list[Runtime]:
        """Those of the runtimes that are meant. UsageError for a glob that means none."""
        names = [runtime.name for runtime in runtimes]
        _require_all(self.runtimes, names, "runtime at hand is called")
        return [runtime for runtime in runtimes if not self.runtimes or _fits(runtime.name, self.runtimes)]

    def require_types(self, known: Iterable[str]) -> None:
        """UsageError for a glob over types that means none of those that the library declares."""
        _require_all(self.types, sorted(set(known)), "function of the library has the type")


ALL = Narrowing()


def _fits(name: str, globs: Sequence[str]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)


def _require_all(globs: Sequence[str], known: Sequence[str], what: str) -> None:
    unknown = [glob for glob in globs if not any(fnmatchcase(name, glob) for name in known)]
    if unknown:
        found = []
        for glob in unknown:
            help_ = did_you_mean(glob, known)
            found.append(Diagnostic("OW907", f"no {what} {glob}", help=help_[:1].lower() + help_[1:]))
        raise UsageError(found)
