"""`python -m tests.opinfo.sample FOLDER FUNCTION ...`: of a harvest the calls that a spec keeps, as its `vectors.npz`.

They are few calls that stand for all by what is given (`sampled`), and besides the first, smallest ones that pass on a
body or notice a mutant of the function where these do not. Left out are calls that the function refuses, and those on
which a runtime errs: `tests.opinfo.campaign` tells of them.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from opwright_build.spec.model import SpecVersion
from opwright_build.verify.cases.stored.numpy_archive import calls_of, members_of
from opwright_build.verify.cases.stored.sampled import sampled

from tests.opinfo.archive import Tensor, Vector, file_name, read_vectors, write_vectors
from tests.opinfo.campaign import ROOT, copy_library
from tests.opinfo.judged_calls import DOMAIN, judge, operator_of
from tests.opinfo.mutants import fates

MOST = 28


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.opinfo.sample", description=__doc__)
    parser.add_argument("vectors", type=Path, help="the folder of the harvest")
    parser.add_argument("functions", nargs="+", help="whose vectors are written")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder).resolve()
        chosen = copy_library(library, options.vectors, options.functions)
        tallies = judge(library, chosen, frozenset())
        left_out: dict[str, set[str]] = {}
        reached: dict[str, dict[str, set[str]]] = {}
        for name, version in chosen.items():
            harvest = options.vectors / file_name(operator_of(version))
            if not harvest.exists():
                print(f"{name}: nothing was harvested")
                continue
            calls = tallies[name].calls.values()
            left_out[name] = {call.name for call in calls if call.refused or call.messages}
            reached[name] = {call.name: {*call.bodies, call.element_types} for call in calls}
            _put_first(library, version, sampled(harvest.read_bytes(), MOST, left_out[name], reached[name]))
        for item in fates(library, []):
            calls_of_function = reached.get(item.function, {})
            if item.fate == "killed" and item.vector in calls_of_function:
                calls_of_function[item.vector].add(item.mutant)
    for name, without in left_out.items():
        archive = (options.vectors / file_name(operator_of(chosen[name]))).read_bytes()
        kept = sampled(archive, MOST, without, reached[name])
        (ROOT / "specs" / DOMAIN / name / "vectors.npz").write_bytes(kept)
        print(f"{name}: {len(kept) / 1000:.1f} kB, {len(without)} calls left out")
    return 0


def _put_first(library: Path, version: SpecVersion, sample: bytes) -> None:
    """Orders the calls of a spec in the copy: those of the sample, then the smallest, so that of several calls which
    notice a mutant these do."""
    path = library / "specs" / DOMAIN / version.name / "vectors.npz"
    first = {call["name"] for call in calls_of(members_of(sample))}
    write_vectors(path, sorted(read_vectors(path), key=lambda call: (call.name not in first, _size(call))))


def _size(call: Vector) -> int:
    return sum(item.array.size for item in (*call.args, *call.kwargs.values()) if isinstance(item, Tensor))


if __name__ == "__main__":
    raise SystemExit(main())
