"""`python -m tests.opinfo.sample FOLDER FUNCTION ...`: of a harvest the calls that a spec keeps, as its `vectors.npz`.

Left out are calls that the function refuses, and those on which a runtime errs: `tests.opinfo.campaign` tells of them.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from opwright.bundle.format import FunctionEntry
from opwright.bundle.read import find_bundle
from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.model import SpecVersion, VectorKind, VectorSource
from opwright_build.verify.cases.bindings import Unbound
from opwright_build.verify.cases.stored.fitting import stored_case
from opwright_build.verify.cases.stored.numpy_archive import read_archive
from opwright_build.verify.cases.stored.sampled import sampled

from tests.opinfo.archive import file_name
from tests.opinfo.campaign import DOMAIN, PLACE, ROOT, copy_library, judge, operator_of

MOST = 40


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.opinfo.sample", description=__doc__)
    parser.add_argument("vectors", type=Path, help="the folder of the harvest")
    parser.add_argument("functions", nargs="+", help="whose vectors are written")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder).resolve()
        chosen = copy_library(library, options.vectors, options.functions)
        tallies = judge(library, chosen)
        bundle = find_bundle(library / "dist" / "opwright-aten-0.1.0.onnxlib")
        for name, version in chosen.items():
            harvest = options.vectors / file_name(operator_of(version))
            entry = bundle.index.table.find(DOMAIN, name, 1)
            if not harvest.exists() or entry is None:
                print(f"{name}: nothing was harvested")
                continue
            without = {*tallies[name].failed, *_refused(library, version, entry)}
            kept = sampled(harvest.read_bytes(), MOST, without, tallies[name].passed)
            (ROOT / "specs" / DOMAIN / name / "vectors.npz").write_bytes(kept)
            print(f"{name}: {len(kept) / 1000:.1f} kB, {len(without)} calls left out")
    return 0


def _refused(library: Path, version: SpecVersion, entry: FunctionEntry) -> Iterator[str]:
    """The names of calls that the function does not serve, or whose results are of other types than its own."""
    source = VectorSource(VectorKind.ARRAYS, PLACE, path="vectors.npz")
    for vector in read_archive(LibraryFiles(library), f"specs/{DOMAIN}/{version.name}", source).vectors:
        try:
            stored_case(vector, version, entry)
        except Unbound:
            yield vector.name


if __name__ == "__main__":
    raise SystemExit(main())
