"""The cases of a corpus: a model of one call, what it is given, and what it should give."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from onnx import FunctionProto, GraphProto, ModelProto, TensorShapeProto
from opwright.bundle.format import BodyEntry, Bundle, FunctionEntry
from opwright.graphs.walk import all_nodes
from opwright.link.instantiate import instantiate
from opwright.opsets.domains import normal_domain

from opwright_build.verify.case_model import Answer, Case, ExpectedItems, Items, Judge, RandomJudge, Value
from opwright_build.verify.run.case_bodies import Bodies, refused_types
from opwright_build.verify.run.models import arguments_of, inlined, one_node_model, signature_of


@dataclass(frozen=True, slots=True)
class CorpusCase:
    """`name` is that of its folder; `model` serialised; `identity` and `opset` say what is called, where that is known.
    Inputs and outputs are the graph's."""

    name: str
    identity: str
    opset: int
    model: bytes
    inputs: tuple[Value, ...]
    outputs: tuple[Answer, ...]
    judge: Judge


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A vector that stands for no case of a corpus, and why."""

    identity: str
    name: str
    reason: str


def corpus_cases(
    bundle: Bundle, cases: Iterable[Case], opset: int | None, expanded: bool
) -> Iterator[CorpusCase | LeftOut]:
    """Each vector with each body that serves it, at the lowest opset of the body, or at `opset` alone.

    `expanded`: the nodes of the body in the place of a call, for consumers that know no functions of models.
    """
    entries = {entry.identity: (entry, Bodies(entry)) for entry in bundle.index.functions}
    closures: dict[tuple[str, str, int], Sequence[FunctionProto]] = {}
    names: set[str] = set()
    for case in cases:
        if case.identity not in entries:
            continue  # of another package
        entry, bodies = entries[case.identity]
        reason = _unusable(case, entry)
        found = [] if reason else _at(bodies.of(case), case, opset)
        if not found:
            yield LeftOut(case.identity, case.name, reason or "no body serves it")
        for body in found:
            at = body.first_opset if opset is None else opset
            key = (entry.identity, body.body, at)
            if key not in closures:
                closures[key] = _closure(bundle, entry, body, at)
            model = one_node_model(closures[key], signature_of(entry, body, case), at)
            given = arguments_of(entry, body, case)
            answers = tuple(answer for answer in case.expected or () if answer is not None)
            _tell_shapes(model, given, answers)
            data = (_flat(model) if expanded else model).SerializeToString(deterministic=True)
            name = _free(f"{case.identity}_{case.name}_opset{at}", names)
            yield CorpusCase(name, case.identity, at, data, given, answers, case.judge)


def _unusable(case: Case, entry: FunctionEntry) -> str:
    """Why others cannot judge by the case; empty where they can."""
    if case.error:
        return "it expects an error"
    if isinstance(case.judge, RandomJudge):
        return "its outputs are random"
    if any(isinstance(value, GraphProto) for value in case.attributes.values()):
        return "it is given a graph"
    if case.expected is None or None in case.expected or len(case.expected) < len(entry.outputs):
        return "nothing says what each output should be"
    return ""


def _at(bodies: Iterable[BodyEntry], case: Case, opset: int | None) -> list[BodyEntry]:
    return [
        body
        for body in bodies
        if (opset is None or body.first_opset <= opset <= body.last_opset)
        and not refused_types(body, case)
        and not body.outputs
    ]


def _closure(bundle: Bundle, entry: FunctionEntry, body: BodyEntry, opset: int) -> Sequence[FunctionProto]:
    emitted = next((item.mirror for item in bundle.index.domains if item.name == entry.domain), entry.domain)
    return instantiate(bundle.index, bundle.bodies, entry, body, opset=opset, domain=emitted)


def _tell_shapes(model: ModelProto, given: Sequence[Value], answers: Sequence[Answer]) -> None:
    """The sizes that the values have: backends want shapes of what goes in and comes out."""
    arrays = [None if isinstance(value, Items) else value for value in given]
    arrays += [None if isinstance(answer, ExpectedItems) else answer.array for answer in answers]
    for info, array in zip((*model.graph.input, *model.graph.output), arrays, strict=True):
        if array is not None:
            dims = [TensorShapeProto.Dimension(dim_value=size) for size in array.shape]
            info.type.tensor_type.shape.CopyFrom(TensorShapeProto(dim=dims))


def _flat(model: ModelProto) -> ModelProto:
    """The model without functions, and without the domains that only they were of."""
    flat = inlined(model)
    used = {normal_domain(node.domain) for node in all_nodes(flat.graph.node)} | {""}
    kept = [item for item in flat.opset_import if normal_domain(item.domain) in used]
    del flat.opset_import[:]
    flat.opset_import.extend(kept)
    return flat


def _free(text: str, taken: set[str]) -> str:
    """A folder's name on every file system: no case tells two apart, and nothing in it is special."""
    name = re.sub(r"[^A-Za-z0-9.]+", "_", text).strip("._")[:160]
    candidate, count = name, 1
    while candidate.lower() in taken:
        count += 1
        candidate = f"{name}_{count}"
    taken.add(candidate.lower())
    return candidate
