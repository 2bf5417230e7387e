"""A few calls of an archive that stand for all of it: every combination of element types, of what is given and of
static values, ranks and emptiness, smallest arrays first."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from opwright_build.verify.case_model import Array
from opwright_build.verify.cases.stored.numpy_archive import CALLS, calls_of, members_of

_SMALL = 8  # up to this an integer counts by its value, and a list by its items


def sampled(
    archive: bytes, most: int, without: Collection[str] = (), reached: Mapping[str, Collection[str]] | None = None
) -> bytes:
    """An archive of at most so many of its calls, all of an operator; the same bytes wherever it is made. Calls of the
    names `without` are not among them. `reached` has for the name of a call what it alone can show, such as the bodies
    that it runs: for each of these a call is taken before others, however many these are."""
    arrays = members_of(archive)
    calls: Sequence[Mapping[str, Any]] = [call for call in calls_of(arrays) if call["name"] not in without]
    sizes = {number: sum(arrays[name].nbytes for name in _names(call)) + 64 for number, call in enumerate(calls)}
    bodies = {number: {*(reached or {}).get(call["name"], ())} for number, call in enumerate(calls)}
    features = {number: set(_features(call, arrays)) for number, call in enumerate(calls)}
    chosen = _covering(bodies, sizes, len(calls))
    for number in chosen:
        seen = features.pop(number)
        for others in features.values():
            others -= seen
    chosen += _covering(features, sizes, most - len(chosen))
    return _archive([calls[number] for number in sorted(chosen)], arrays)


def _covering(open_: Mapping[int, set[Any]], sizes: Mapping[int, int], most: int) -> list[int]:
    """Calls that have all of what is `open_` of any, or as much of it as so many can, small ones first."""
    left = {number: {*features} for number, features in open_.items()}
    chosen: list[int] = []
    while left and len(chosen) < most:
        best = max(left, key=lambda number: (len(left[number]) / sizes[number], len(left[number]), -number))
        seen = left.pop(best)
        if not seen:
            break
        chosen.append(best)
        for features in left.values():
            features -= seen
    return chosen


def _features(call: Mapping[str, Any], arrays: Mapping[str, Array]) -> Iterator[tuple[Any, ...]]:
    given = [*enumerate(call["call"].get("args", ())), *sorted(call["call"].get("kwargs", {}).items())]
    types = tuple(item["type"] for item in _tensors(call["call"]))
    flags = tuple((key, json.dumps(value)) for key, value in given if value is None or isinstance(value, bool | str))
    yield ("types", types, flags)
    yield ("ranks", types, tuple(arrays[item["array"]].ndim for item in _tensors(call["call"])))
    yield (
        "given",
        tuple(key for key, value in given if value is not None),
        tuple(map(_kind, (item for _, item in given))),
    )
    for key, value in given:
        yield ("value", key, _text_of(value))
    for place, item in enumerate(_tensors(call["call"])):
        array = arrays[item["array"]]
        yield ("rank", place, array.ndim)
        yield ("size", place, min(array.size, 2))
        if array.dtype.kind == "f" and array.size:
            with np.errstate(invalid="ignore"):
                yield ("odd", place, bool(np.isnan(array).any()), bool(np.isinf(array).any()))


def _kind(value: Any) -> str:
    """What decides of element types: whether a number is whole, a truth value or neither."""
    return next(iter(value), "") if isinstance(value, dict) else type(value).__name__


def _text_of(value: Any) -> str:
    """A static value, roughly: what is large counts by its kind."""
    if isinstance(value, dict):
        return "tensor" if "array" in value else json.dumps(value, sort_keys=True)[:40]
    if isinstance(value, list):
        return f"[{', '.join(map(_text_of, value))}]" if len(value) <= _SMALL else f"{len(value)} items"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _SMALL:
        return "many" if value > 0 else "few"
    return json.dumps(value)


def _tensors(form: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(form, dict) and "array" in form:
        yield form
    elif isinstance(form, dict | list):
        for item in form.values() if isinstance(form, dict) else form:
            yield from _tensors(item)


def _names(call: Mapping[str, Any]) -> dict[str, None]:
    parts = (call["call"], call["outputs"], call.get("truth"))
    return dict.fromkeys(item["array"] for part in parts for item in _tensors(part))


def _archive(calls: Sequence[Mapping[str, Any]], arrays: Mapping[str, Array]) -> bytes:
    document = json.dumps({"schema": 1, "calls": list(calls)}, sort_keys=True, separators=(",", ":"))
    members = {CALLS: np.frombuffer(document.encode(), np.uint8)}
    members |= {name: arrays[name] for call in calls for name in _names(call)}
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in members.items():
            data = io.BytesIO()
            np.lib.format.write_array(
                data, np.ascontiguousarray(array).reshape(array.shape), (1, 0), allow_pickle=False
            )
            archive.writestr(
                zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), data.getvalue(), zipfile.ZIP_DEFLATED
            )
    return written.getvalue()


def element_types(archive: bytes) -> list[str]:
    """Those of the first tensor of each call, each once."""
    calls: Sequence[Mapping[str, Any]] = calls_of(members_of(archive))
    firsts = (next(_tensors(call["call"]), None) for call in calls)
    return list(dict.fromkeys(str(item["type"]) for item in firsts if item is not None))
