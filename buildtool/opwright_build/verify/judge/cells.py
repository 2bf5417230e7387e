"""Which cells of the matrix something holds for, in few words: types, runtimes and opsets are folded into ranges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from opwright_build.spec.runtime_names import family_of
from opwright_build.verify.case_model import Outcome, Status

Types = tuple[tuple[str, str], ...]

_MOST = 6  # choices of types that are named


class RanAt:
    """What a version was run with, so that `every` and `to` can be said of some of it."""

    def __init__(self, outcomes: Iterable[Outcome]) -> None:
        self._opsets: dict[tuple[str, str], set[int]] = {}
        self._types: dict[str, dict[Types, None]] = {}
        self._runtimes: dict[str, dict[str, None]] = {}
        self._passing: dict[tuple[str, Types], set[str]] = {}
        for outcome in outcomes:
            identity, types = outcome.case.identity, types_of(outcome)
            self._types.setdefault(identity, {})[types] = None
            if outcome.body:
                self._runtimes.setdefault(identity, {})[outcome.runtime] = None
                self._opsets.setdefault((identity, outcome.runtime), set()).add(outcome.opset)
            if outcome.status is Status.PASS:
                self._passing.setdefault((identity, types), set()).add(outcome.runtime)

    def passing(self, outcome: Outcome) -> set[str]:
        """The runtimes on which some vector of that version passes with those types."""
        return self._passing.get((outcome.case.identity, types_of(outcome)), set())

    def opsets(self, identity: str, runtime: str, found: Iterable[int]) -> str:
        """`at every opset`, `at opset 18`, `at opsets 18 to 22, 26`: neighbours are those that the version ran at."""
        known, wanted = sorted(self._opsets.get((identity, runtime), ())), set(found)
        if len(known) > 1 and wanted >= set(known):
            return "at every opset"
        parts: list[list[int]] = []
        for opset in sorted({*known, *wanted}):
            if opset not in wanted:
                parts.append([])
            elif parts and parts[-1]:
                parts[-1].append(opset)
            else:
                parts.append([opset])
        told = [str(part[0]) if len(part) == 1 else f"{part[0]} to {part[-1]}" for part in parts if part]
        return f"at opset{'s' if len(wanted) > 1 else ''} {', '.join(told)}"

    def runtimes(self, identity: str, found: Iterable[str]) -> str:
        """`on every runtime`, `on onnxruntime, reference`: a family stands for all of its runtimes that ran."""
        known, wanted = self._runtimes.get(identity, {}), dict.fromkeys(found)
        if len(known) > 1 and wanted.keys() >= known.keys():
            return "on every runtime"
        names: dict[str, None] = {}
        for name in wanted:
            members = {item for item in known if family_of(item) == family_of(name)}
            names[family_of(name) if members <= wanted.keys() and len(members) > 1 else name] = None
        return f"on {', '.join(names)}"

    def types(self, identity: str, found: Iterable[Types]) -> str:
        """`with every type`, `with T=float, double`; empty where there is no choice."""
        known, wanted = self._types.get(identity, {}), dict.fromkeys(found)
        if len(known) <= 1:
            return ""
        if wanted.keys() >= known.keys():
            return "with every type"
        (variables, *others) = {tuple(name for name, _ in types) for types in wanted}
        if len(variables) == 1 and not others:
            told = [types[0][1] for types in wanted]
            head = f"{variables[0]}="
        else:
            told = [" ".join(f"{name}={kind}" for name, kind in types) for types in wanted]
            head = ""
        more = f" and {len(told) - _MOST} more" if len(told) > _MOST else ""
        return f"with {head}{', '.join(told[:_MOST])}{more}"


def types_of(outcome: Outcome) -> Types:
    return tuple(outcome.case.bindings.items())


def where(cells: Sequence[Outcome], ran: RanAt) -> str:
    """Where the cells of one version are: `with T=float16 on onnxruntime at opsets 18 to 22`."""
    identity = cells[0].case.identity
    ran_with: dict[str, dict[Types, set[int]]] = {}
    for cell in cells:
        if not cell.body:  # no body fits the call, wherever it runs
            return " ".join(filter(None, [ran.types(identity, map(types_of, cells)), "at every opset"]))
        ran_with.setdefault(cell.runtime, {}).setdefault(types_of(cell), set()).add(cell.opset)
    same: dict[tuple[tuple[str, tuple[Types, ...]], ...], list[str]] = {}
    for runtime, by_types in ran_with.items():
        by_opsets: dict[str, list[Types]] = {}
        for types, opsets in by_types.items():
            by_opsets.setdefault(ran.opsets(identity, runtime, opsets), []).append(types)
        same.setdefault(tuple((opsets, tuple(types)) for opsets, types in by_opsets.items()), []).append(runtime)
    return "; ".join(
        " ".join(filter(None, [ran.types(identity, types), ran.runtimes(identity, runtimes), opsets]))
        for groups, runtimes in same.items()
        for opsets, types in groups
    )
