"""`python -m tests.export LIBRARY [MODEL...]`: a line for each model and form, and what holds of all together."""

from __future__ import annotations

import argparse
import sys
from itertools import combinations

from opwright.torch import registry

from tests.export import zoo_more, zoo_text, zoo_vision
from tests.export.judging import Judged, judge

LEAST_OPERATORS = 110
MOST_SHARED = 0.8  # of the operators of one model that are also another one's


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.export", description=__doc__)
    parser.add_argument("library", help="the bundle, or the name under which it is installed")
    parser.add_argument("models", nargs="*", help="only these")
    parser.add_argument("--form", choices=("static", "dynamic"), help="only this one")
    options = parser.parse_args()
    known = registry(options.library)
    models = [*zoo_vision.MODELS, *zoo_text.MODELS, *zoo_more.MODELS]
    chosen = [item for item in models if not options.models or item.name in options.models]
    judged: list[Judged] = []
    for model in chosen:
        for dynamic in (False, True):
            if options.form in (None, "dynamic" if dynamic else "static"):
                judged.append(judge(model, known, dynamic=dynamic))
                print(_line(judged[-1]), flush=True)
    failed = sum(bool(item.findings) for item in judged)
    if not options.models and options.form is None:
        failed += _all_together(judged)
    print(f"{len(judged)} exports of {len(chosen)} models, {failed} with findings")
    return 1 if failed else 0


def _line(item: Judged) -> str:
    form = "dynamic" if item.dynamic else "static"
    plain = "none" if item.plain is None else str(item.plain)
    head = (
        f"{item.name:12} {form:7} {len(item.operators):3} operators, {item.functions:3} functions,"
        f" {item.nodes:4} nodes ({plain} without), error {item.error:.2f} of torch's"
    )
    return "\n".join([head, *(f"    {text}" for text in dict.fromkeys(item.findings))])


def _all_together(judged: list[Judged]) -> int:
    """How many of the conditions on all models do not hold."""
    operators = {item.name: set(item.operators) for item in judged if item.dynamic}
    reached = set().union(*operators.values())
    print(f"{len(reached)} operators are reached: {' '.join(sorted(reached))}")
    failed = int(len(reached) < LEAST_OPERATORS)
    for (first, one), (second, other) in combinations(operators.items(), 2):
        shared = len(one & other) / max(1, min(len(one), len(other)))
        if shared > MOST_SHARED:
            print(f"    {first} and {second} share {shared:.0%} of the operators of one of them")
            failed += 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
