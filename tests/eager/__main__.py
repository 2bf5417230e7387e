"""`python -m tests.eager`: every function of specs/ as Python and as one graph, against its compiled bodies, on every
vector that it is verified with.

Exit status 1 where one differs. Differences in the last places of halves are counted and judged by the vector's
tolerance: onnxruntime computes halves in float, and keeps them so between the nodes of a graph.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

from opwright.bundle.read import find_bundle
from opwright_build.spec.load import load_library
from opwright_build.verify.collect import collect_cases

from tests.eager.spec_agreement import Agreement, compare
from tests.own_specs import ROOT, build_specs


def main() -> int:
    loaded = load_library(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        bundle = find_bundle(build_specs(Path(folder)))
    interfaces = {entry.identity: entry for entry in bundle.index.functions}
    cases = collect_cases(loaded.versions, interfaces, ROOT, run_oracle=True).cases
    counts: Counter[tuple[str, Agreement]] = Counter()
    reached: set[str] = set()
    for row in compare(loaded, bundle, cases):
        counts[row.runtime, row.agreement] += 1
        reached.add(row.identity)
        if row.agreement is Agreement.DIFFERENT:
            print(f"  {row}")
    print(f"{len(reached)} of {len(loaded.versions)} versions, {len(cases):,} cases")
    for (runtime, agreement), count in sorted(counts.items(), key=lambda item: (item[0][0], item[0][1].value)):
        print(f"{runtime}: {count:,} {agreement.value}")
    return int(any(agreement is Agreement.DIFFERENT for _, agreement in counts) or len(reached) < len(loaded.versions))


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # numpy's, of what the reference evaluator does on the way
    sys.exit(main())
