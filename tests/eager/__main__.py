"""`python -m tests.eager`: every function of specs/ as Python and as one graph, against its compiled bodies, on every
vector that it is verified with.

Exit status 1 where one differs. Differences in the last places of halves are counted and judged by the vector's
tolerance: onnxruntime computes halves in float, and keeps them so between the nodes of a graph.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from opwright.bundle.read import find_bundle
from opwright_build.verify.case_model import Case
from opwright_build.verify.cases.collect import collect_cases

from tests.eager.spec_agreement import Agreement, Row
from tests.eager.spec_workers import open_worker, rows_of_version
from tests.own_specs import ROOT, build_specs, load_standard


def main() -> int:
    loaded = load_standard()
    with tempfile.TemporaryDirectory() as folder:
        path = build_specs(Path(folder))
        bundle = find_bundle(path)
        interfaces = {entry.identity: entry for entry in bundle.index.functions}
        by_version: dict[str, list[Case]] = {version.identity: [] for version in loaded.versions}
        for case in collect_cases(loaded.versions, interfaces, ROOT, run_oracle=True).cases:
            by_version[case.identity].append(case)
        workers = len(os.sched_getaffinity(0))
        with ProcessPoolExecutor(workers, get_context("spawn"), open_worker, (path,)) as pool:
            return _report([row for rows in pool.map(rows_of_version, by_version.values()) for row in rows], by_version)


def _report(rows: list[Row], by_version: dict[str, list[Case]]) -> int:
    counts = Counter((row.runtime, row.agreement) for row in rows)
    different = [row for row in rows if row.agreement is Agreement.DIFFERENT]
    reached = {row.identity for row in rows}
    for row in different:
        print(f"  {row}")
    print(f"{len(reached)} of {len(by_version)} versions, {sum(map(len, by_version.values())):,} cases")
    for (runtime, agreement), count in sorted(counts.items(), key=lambda item: (item[0][0], item[0][1].value)):
        print(f"{runtime}: {count:,} {agreement.value}")
    return int(bool(different) or len(reached) < len(by_version))


if __name__ == "__main__":
    sys.exit(main())
