"""Which of the suite's cases judge a version, and how each fits the version's interface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from opwright.bundle.format import FunctionEntry
from opwright.diagnostics.diagnostic import Diagnostic, Place

from opwright_build.spec.model import SpecVersion, VectorKind, VectorSource
from opwright_build.verify.case_model import Case, RandomJudge, Value
from opwright_build.verify.cases.bindings import Unbound, bind
from opwright_build.verify.cases.making import suite_judge, with_digest
from opwright_build.verify.cases.suite import SuiteCase, newest_version
from opwright_build.verify.items import answer_of, type_of

# Their cases hold what numpy drew, so shape and type are all that can be judged. The schemas' own mark would not do: it
# stands at every operator that takes a graph, too.
_RANDOM = frozenset(
    {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}
)

SUITE_KINDS = (VectorKind.SUITE, VectorKind.SUITE_LATEST, VectorKind.SUITE_GLOB)


@dataclass(frozen=True, slots=True)
class Selected:
    """A case of the suite that one of the version's sources asks for. `replay`: it was made for another version."""

    case: SuiteCase
    replay: bool
    place: Place


def select(version: SpecVersion, suite: Sequence[SuiteCase]) -> tuple[list[Selected], list[Diagnostic]]:
    """The cases that the version's sources ask for, each once, in the order of the sources and by name."""
    own = [case for case in suite if (case.domain, case.operator) == (version.domain.name, version.name)]
    selected: dict[str, Selected] = {}
    findings: list[Diagnostic] = []
    for source in version.vectors:
        if source.kind in SUITE_KINDS:
            found = _matching(version, source, own)
            if not found and not _may_be_empty(version, source):
                findings.append(_nothing(version, source))
            for case in found:
                replay = case.since_version != version.since_version
                selected.setdefault(case.name, Selected(case, replay, source.place))
    return list(selected.values()), findings


def fit(selected: Selected, entry: FunctionEntry) -> Case:
    """The case under this version's interface. Raises Unbound, with the reason, where it does not fit."""
    case = selected.case
    if case.obstacle:
        raise Unbound(case.obstacle)
    known = {attribute.name for attribute in entry.attributes}
    for name in case.attributes:
        if name not in known:
            raise Unbound(f"this version has no attribute {name}")
    for attribute in entry.attributes:
        if attribute.required and attribute.name not in case.attributes:
            raise Unbound(f"it leaves out the attribute {attribute.name}, which is required")
    outputs = _without_trailing_holes(case.outputs)
    bindings = bind(entry, _types(case.inputs), _types(outputs))
    padding = (None,) * (sum(not item.variadic for item in entry.inputs) - len(case.inputs))
    return with_digest(
        Case(
            identity=entry.identity,
            name=case.name,
            bindings=bindings,
            inputs=case.inputs + padding,
            attributes=case.attributes,
            expected=tuple(None if value is None else answer_of(value) for value in outputs),
            judge=RandomJudge() if case.operator in _RANDOM else suite_judge(case.rtol, case.atol, outputs),
            place=selected.place,
            digest="",
        )
    )


def _matching(version: SpecVersion, source: VectorSource, own: Sequence[SuiteCase]) -> list[SuiteCase]:
    wanted = version.since_version
    if source.kind is VectorKind.SUITE_LATEST:
        wanted = newest_version(version.domain.name, version.name)
    found = [case for case in own if case.since_version == wanted]
    if source.kind is VectorKind.SUITE_GLOB:
        return [case for case in found if fnmatchcase(case.name, source.pattern)]
    return found


def _may_be_empty(version: SpecVersion, source: VectorSource) -> bool:
    """Plain `onnx` stands for all versions of a spec, while the suite has cases of an operator's newest one alone."""
    newest = newest_version(version.domain.name, version.name)
    return source.kind is VectorKind.SUITE and version.since_version < newest


def _nothing(version: SpecVersion, source: VectorSource) -> Diagnostic:
    newest = newest_version(version.domain.name, version.name)
    if newest == 0:
        reason = f"The installed onnx has no operator {version.domain.name}::{version.name}."
        way_out = "Remove the source; rows of a `vectors.yaml` judge functions of your own."
    elif source.kind is VectorKind.SUITE_GLOB:
        reason = f"The pattern is compared with whole names, as in `test_{version.name.lower()}_example`."
        way_out = "Correct the pattern, or ask for all cases with `onnx`."
    else:
        reason = f"The newest version that the installed onnx knows is {newest}."
        way_out = "Remove the source, and write rows instead."
    asked = f"onnx:{source.pattern}" if source.kind is VectorKind.SUITE_GLOB else source.kind.value
    return Diagnostic("OW409", f"`{asked}` finds no case for {version.identity}", source.place, reason, way_out)


def _without_trailing_holes(outputs: Sequence[Value | None]) -> list[Value | None]:
    kept = list(outputs)
    while kept and kept[-1] is None:
        kept.pop()
    return kept


def _types(values: Sequence[Value | None]) -> list[str | None]:
    return [None if value is None else type_of(value) for value in values]
