"""Defects that trials must find. They are planted in the process that forks them, never in the product."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from opwright_build.engine import hints, publish, seal


@dataclass(frozen=True, slots=True)
class Defect:
    """`kind` are the trials that show it."""

    kind: str
    plant: Callable[[], None]


def _believe_what_lies_there() -> None:
    def equal(given: bytes, wanted: bytes) -> bool:
        return True

    seal.compare_digest = equal  # type: ignore[assignment]


def _take_the_time_for_the_contents() -> None:
    def stamp(status: os.stat_result) -> list[int]:
        return [status.st_size, status.st_mtime_ns, 0, 0]

    hints._stamp = stamp
    hints.SETTLED_NS = -(10**18)


def _write_in_place() -> None:
    def create(path: Path, data: bytes, durable: bool = False) -> None:
        path.write_bytes(b"")
        target = path.with_name(path.name[1:].removesuffix(publish.TEMPORARY))
        target.write_bytes(data)
        path.write_bytes(data)

    publish.create = create  # type: ignore[assignment]


def _forget_what_was_begun() -> None:
    publish.Publisher._load = lambda self: (self._manifest.load().get("files", {}), {})  # type: ignore[method-assign]


DEFECTS: Mapping[str, Defect] = {
    "seals are not checked": Defect("poisoned", _believe_what_lies_there),
    "the time of a file stands for its contents": Defect("clocks", _take_the_time_for_the_contents),
    "outputs are written in place": Defect("full", _write_in_place),
    "what a killed build had begun is forgotten": Defect("killed", _forget_what_was_begun),
}
