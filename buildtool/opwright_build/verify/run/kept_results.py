"""Results of vectors by what they rest on, so that a run makes those alone that no earlier one has made."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256

from opwright_build.engine.content_digest import canonical_json
from opwright_build.verify.case_model import Status
from opwright_build.verify.run.batches import Result

_SIZE = 32  # hexadecimal digits of a key


class KeptResults:
    """Results of earlier runs, and by version those that this one has used or made.

    A key covers the functions that are run, how they are called, the runtime and all that is judged; the machine is the
    caller's to tell apart. What fails is not kept, nor what the machine lacks: another time it may not.
    """

    def __init__(self, known: Mapping[str, Result]) -> None:
        self._known = known
        self._of: dict[str, dict[str, Result]] = {}
        self.reused = 0  # outcomes

    def find(self, key: str) -> Result | None:
        return self._known.get(key)

    def use(self, identity: str, key: str, result: Result) -> None:
        """Says that an outcome of a version is that result."""
        if key in self._known:
            self.reused += 1
        if result[0] not in (Status.FAIL, Status.LACKING):
            self._of.setdefault(identity, {})[key] = result

    def of(self, identity: str) -> Mapping[str, Result]:
        return self._of.get(identity, {})


def run_key(parts: Iterable[object]) -> str:
    """The key of a run: parts are values whose `repr` tells all of them."""
    return sha256("\n".join(map(repr, parts)).encode()).hexdigest()[:_SIZE]


def encode_results(results: Mapping[str, Result]) -> bytes:
    """The same bytes for the same results, in whatever order they came to be known."""
    results = dict(sorted(results.items()))
    numbers: dict[Result, int] = {}
    listed = [numbers.setdefault(result, len(numbers)) for result in results.values()]
    named = [[status.value, message] for status, message in numbers]
    return canonical_json({"keys": "".join(results), "results": listed, "named": named})


def decode_results(data: bytes) -> dict[str, Result]:
    """The results that `encode_results` wrote."""
    value = json.loads(data)
    named = [(Status(status), message) for status, message in value["named"]]
    keys = value["keys"]
    return {
        keys[start : start + _SIZE]: named[number]
        for start, number in zip(range(0, len(keys), _SIZE), value["results"], strict=True)
    }
