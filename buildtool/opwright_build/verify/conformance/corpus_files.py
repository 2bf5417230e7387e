"""A corpus as files, in the layout of the standard's backend tests: for each case a folder with `model.onnx` and
`test_data_set_0/`. `conformance.json` beside them says what each output may differ by, and the sha256 of every file."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError
from onnx import SequenceProto, TensorProto, numpy_helper
from opwright.diagnostics.diagnostic import Diagnostic, Place
from opwright.elements import BY_NAME

from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.model import Tolerance
from opwright_build.verify.case_model import (
    Answer,
    Array,
    Expected,
    ExpectedItems,
    Items,
    Judge,
    SuiteJudge,
    ToleranceJudge,
    Value,
)
from opwright_build.verify.cases.stored.backend_folder import MODEL, BackendFolder
from opwright_build.verify.cases.stored.stored_rows import UnusableError
from opwright_build.verify.conformance.corpus_case import CorpusCase
from opwright_build.verify.dtypes import element_of
from opwright_build.verify.items import answer_of, parts_of
from opwright_build.verify.judge.outputs import judge_outputs

MANIFEST = "conformance.json"
SCHEMA = "opwright.conformance/1"
SUITE = SuiteJudge(rtol=1e-3, atol=1e-7)  # of the standard's suite, where no manifest says another rule
MOST_MANIFEST = 1 << 28
MOST_CASES = 200_000
_DATA = "test_data_set_0"
_HERE = "."
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,254}")
_ROUNDING = 4.0  # units in the last place that one numpy may differ from another (ADR 5)


def case_files(case: CorpusCase, earlier: Callable[[str], bytes | None]) -> dict[str, bytes]:
    """The files of a case by path below its folder.

    `earlier` gives what lies there. Expected floats that were written once stay as they are where the case is the same
    and what is expected now differs by rounding: numpy computes its functions otherwise on other machines.
    """
    files = {MODEL: case.model}
    for index, value in enumerate(case.inputs):
        files[f"{_DATA}/input_{index}.pb"] = _value_bytes(value)
    same = all(earlier(path) == data for path, data in files.items())
    for index, answer in enumerate(case.outputs):
        path = f"{_DATA}/output_{index}.pb"
        data = _answer_bytes(answer)
        before = earlier(path) if same else None
        files[path] = before if before is not None and _differs_by_rounding(before, answer) else data
    return files


def manifest(library: str, version: str, cases: Iterable[tuple[CorpusCase, Mapping[str, bytes]]]) -> bytes:
    """`conformance.json`; its `digest` covers every byte of the corpus."""
    entries = []
    for case, files in cases:
        digests = {path: hashlib.sha256(data).hexdigest() for path, data in sorted(files.items())}
        entries.append(
            {
                "folder": case.name,
                "function": case.identity,
                "opset": case.opset,
                "tolerance": _judge_record(case.judge, case.outputs),
                "files": digests,
            }
        )
    entries.sort(key=lambda entry: str(entry["folder"]))
    told = {"schema": SCHEMA, "library": library, "version": version, "digest": _digest(entries), "cases": entries}
    return (json.dumps(told, indent=1) + "\n").encode()


def _value_bytes(value: Value) -> bytes:
    if isinstance(value, Items):
        tensors = [_tensor(array) for array in value.arrays]
        kind = SequenceProto.TENSOR
        return SequenceProto(elem_type=kind, tensor_values=tensors).SerializeToString(deterministic=True)
    return _tensor(value).SerializeToString(deterministic=True)


def _answer_bytes(answer: Answer) -> bytes:
    if isinstance(answer, ExpectedItems):
        return _value_bytes(Items(answer.kind, tuple(item.array for item in answer.items)))
    return _value_bytes(answer.array)


def _tensor(array: Array) -> TensorProto:
    if array.dtype.kind == "O":
        texts = [str(item).encode() for item in array.flat]
        return TensorProto(data_type=TensorProto.STRING, dims=array.shape, string_data=texts)
    return numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape))


def _differs_by_rounding(before: bytes, answer: Answer) -> bool:
    if isinstance(answer, ExpectedItems) or not element_of(answer.array).is_float:
        return False
    try:
        kept = numpy_helper.to_array(TensorProto.FromString(before))
    except (DecodeError, ValueError, TypeError):
        return False
    if (kept.shape, kept.dtype) != (answer.array.shape, answer.array.dtype):
        return False
    rule = ToleranceJudge({element_of(answer.array).name: Tolerance(_ROUNDING, 0.0)})
    return not judge_outputs(rule, ["it"], [Expected(answer.array)], [kept])


# ------------------------------------------------------------------------------------------------ tolerances


def _judge_record(judge: Judge, outputs: Iterable[Answer]) -> Mapping[str, Any]:
    if isinstance(judge, SuiteJudge):
        return {"rtol": judge.rtol, "atol": judge.atol}
    assert isinstance(judge, ToleranceJudge)
    kinds = sorted({element_of(part.array).name for answer in outputs for part in parts_of(answer)})
    allowed = {kind: judge.tolerances.get(kind) or judge.tolerances.get("default") for kind in kinds}
    return {
        kind: {"ulp": item.ulp, "absolute": item.absolute * judge.scale}
        for kind, item in allowed.items()
        if item is not None and (item.ulp or item.absolute)
    }


def _judge_of(record: object) -> Judge:
    """UnusableError where it is none."""
    if not isinstance(record, dict):
        raise UnusableError("its tolerance is no object")
    if record.keys() == {"rtol", "atol"}:
        return SuiteJudge(_bound(record["rtol"]), _bound(record["atol"]))
    found: dict[str, Tolerance] = {}
    for kind, item in record.items():
        if kind not in BY_NAME or not isinstance(item, dict) or item.keys() != {"ulp", "absolute"}:
            raise UnusableError(f"its tolerance of {str(kind)[:40]} is none")
        found[kind] = Tolerance(_bound(item["ulp"]), _bound(item["absolute"]))
    return ToleranceJudge(found)


def _bound(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise UnusableError("its tolerance is no number that is finite and not negative")
    return float(value)


# --------------------------------------------------------------------------------------------------- reading


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A folder that is no case, and why."""

    name: str
    reason: str


def is_corpus(files: LibraryFiles) -> bool:
    """Whether the folder is one, with a manifest or without."""
    if files.missing(_HERE, MANIFEST) is None:
        return True
    return any(files.missing(name, MODEL) is None for name in files.folders(_HERE))


def read_corpus(files: LibraryFiles) -> Iterator[CorpusCase | Unreadable]:
    """The cases in the order of their names, read one after the other; nothing in the folder is trusted.

    Where there is a manifest, they are those that it lists, with the bytes that it says. Else every folder with a model
    is a case, under the rule of the standard's suite. UnusableError where the manifest itself makes no sense.
    """
    if files.missing(_HERE, MANIFEST) is not None:
        names = [name for name in files.folders(_HERE) if files.missing(name, MODEL) is None]
        if len(names) > MOST_CASES:
            raise UnusableError(f"it has more than {MOST_CASES:,} folders")
        for name in names:
            yield from _read_case(files, name, {}, None)
        return
    for entry in _listed(files):
        name = entry["folder"]
        try:
            judge = _judge_of(entry.get("tolerance"))
            digests = entry.get("files")
            if not isinstance(digests, dict) or not digests:
                raise UnusableError("no files are listed")
        except UnusableError as error:
            yield Unreadable(name, str(error))
            continue
        yield from _read_case(files, name, {**entry, "judge": judge}, digests)


def _digest(entries: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(entries, sort_keys=True).encode()).hexdigest()


def _listed(files: LibraryFiles) -> list[dict[str, Any]]:
    data = files.read(_HERE, MANIFEST, MOST_MANIFEST)
    if isinstance(data, Diagnostic):
        raise UnusableError(data.message)
    try:
        told = json.loads(data) if len(data) <= MOST_MANIFEST else None
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or told.get("schema") != SCHEMA or not isinstance(told.get("cases"), list):
        raise UnusableError(f"{MANIFEST} is no list of the schema {SCHEMA}")
    entries = told["cases"]
    if len(entries) > MOST_CASES:
        raise UnusableError(f"{MANIFEST} has more than {MOST_CASES:,} cases")
    if told.get("digest") != _digest(entries):
        raise UnusableError(f"the cases that {MANIFEST} lists are not those of its digest")
    for entry in entries:
        name = entry.get("folder") if isinstance(entry, dict) else None
        if (
            not isinstance(name, str)
            or not name
            or name[0] in "._"
            or not name.isprintable()
            or set(name) & set("/\\:")
        ):
            raise UnusableError(f"{MANIFEST} names a folder that is none")
    return list(entries)


def _read_case(
    files: LibraryFiles, name: str, entry: Mapping[str, Any], digests: Mapping[str, object] | None
) -> Iterator[CorpusCase | Unreadable]:
    folder = BackendFolder(files, name, Place(name))
    identity, opset = entry.get("function"), entry.get("opset")
    try:
        model = folder.model()
        constants = {item.name for item in model.graph.initializer}
        inputs = [item.name for item in model.graph.input if item.name not in constants]
        found = list(folder.data_sets(model.graph))
        _require_pinned(folder, digests)
        for data in found:
            if any(text not in data.inputs for text in inputs):
                raise UnusableError(f"{data.name} does not have every input of the graph")
            if any(item.name not in data.outputs for item in model.graph.output):
                raise UnusableError(f"{data.name} does not have every output of the graph")
            yield CorpusCase(
                name if len(found) == 1 else f"{name}/{data.name}",
                identity if isinstance(identity, str) else "",
                opset if isinstance(opset, int) else 0,
                model.SerializeToString(),
                tuple(data.inputs[text] for text in inputs),
                tuple(answer_of(data.outputs[item.name]) for item in model.graph.output),
                entry.get("judge", SUITE),
            )
    except UnusableError as error:
        yield Unreadable(name, str(error))


def _require_pinned(folder: BackendFolder, digests: Mapping[str, object] | None) -> None:
    """UnusableError where a file that was read is not the one that the manifest lists, or is not listed."""
    if digests is None:
        return
    start = f"{folder.path}/"
    read = {path.removeprefix(start): data for path, data in folder.seen.items() if data is not None}
    for path in sorted({*read, *(path for path in digests if isinstance(path, str))}):
        data = read.get(path)
        if data is None or hashlib.sha256(data).hexdigest() != digests.get(path):
            raise UnusableError(f"{path[:80]} is not the file that {MANIFEST} lists")
