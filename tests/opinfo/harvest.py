"""`python -m tests.opinfo.harvest -o FOLDER [--operators NAME ...] [--types TYPE ...] [--seed N]`: vectors from torch.

Runs each sample of torch's OpInfo and listens at the dispatcher: each call of an overload of `targets` is a vector, as
are the calls of `rows`. Of each operator and its element types it keeps `MOST` calls, rows and edges first, has torch
evaluate them alone, and writes an archive for each operator (`archive` says how). Needs torch, expecttest and scipy.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.ao.quantization.fx._decomposed
from torch.testing._internal.common_methods_invocations import op_db

from tests.opinfo.archive import Vector, file_name, write_vectors
from tests.opinfo.dispatched import listening
from tests.opinfo.evaluated import Call, Refused, element_types, evaluated
from tests.opinfo.rows import rows
from tests.opinfo.schemas import read_table
from tests.opinfo.targets import targets
from tests.opinfo.torch_values import COMPLEX, TYPES, Unstorable, described, kinds, owned, tensors

MOST = 150  # of an operator and the element types of a call
_HELD = 600  # of them, until the best are chosen
_COMPLEX = ("aten::_fft_", "aten::view_as_", "aten::real", "aten::polar", "aten::fft_")


@dataclass(slots=True)
class Collected:
    """Distinct calls of the operators that are wanted, bounded by chance that the seed decides."""

    wanted: frozenset[str]
    seed: int
    rows: dict[tuple[str, str], dict[str, Call]] = field(default_factory=lambda: defaultdict(dict))
    held: dict[tuple[str, str], dict[str, tuple[int, Call]]] = field(default_factory=lambda: defaultdict(dict))
    worst: dict[tuple[str, str], int] = field(default_factory=dict)

    def add_row(self, row: Call) -> None:
        """Rows are not left to chance, and differ in their values too."""
        if row.operator in self.wanted:
            call = Call(row.operator, owned(row.args), owned(row.kwargs), row.provenance)
            values = hashlib.sha256(repr([item.tolist() for item in tensors([call.args, call.kwargs])]).encode())
            key = f"{described([call.args, call.kwargs])} {values.hexdigest()}"
            self.rows[call.operator, element_types(call)].setdefault(key, call)

    def add(self, operator: str, args: Sequence[Any], kwargs: dict[str, Any], provenance: str) -> None:
        if operator not in self.wanted:
            return
        call = Call(operator, [*args], kwargs, provenance)
        group = operator, element_types(call)
        key = described([call.args, kwargs]) + _special(call)
        held = self.held[group]
        chance = self._chance(key)
        if key in held or (len(held) >= _HELD and chance >= self.worst[group]):
            return
        if not operator.startswith(_COMPLEX) and any(item.dtype in COMPLEX for item in tensors([call.args, kwargs])):
            return
        try:
            held[key] = chance, Call(operator, owned(call.args), owned(kwargs), provenance)
        except Unstorable:
            return
        if len(held) > _HELD:
            del held[max(held, key=lambda item: held[item][0])]
        if len(held) == _HELD:
            self.worst[group] = max(chance for chance, _ in held.values())

    def _chance(self, key: str) -> int:
        return int.from_bytes(hashlib.sha256(f"{self.seed} {key}".encode()).digest()[:8], "big")

    def ordered(self, operator: str) -> Iterator[tuple[str, list[Call]]]:
        """The calls by element types: rows, then the first of each edge's shapes, then by turns one of each kind."""
        for group in sorted({*self.held, *self.rows}):
            if group[0] == operator:
                turns: Counter[str] = Counter()
                edges: set[str] = set()
                places: list[tuple[bool, int, int, Call]] = []
                for chance, call in sorted(self.held[group].values(), key=lambda item: item[0]):
                    shapes = repr([[*tensor.shape] for tensor in tensors([call.args, call.kwargs])])
                    form = kinds([call.args, call.kwargs])
                    places.append((shapes in edges or not _edge(call), turns[form], chance, call))
                    edges.add(shapes)
                    turns[form] += 1
                others = sorted(places, key=lambda item: item[:3])
                yield group[1], [*self.rows[group].values(), *(call for *_, call in others)]


def _special(call: Call) -> str:
    """Apart from others: calls on infinities and nan."""
    given = [item for item in tensors([call.args, call.kwargs]) if item.dtype.is_floating_point]
    return "" if all(bool(item.isfinite().all()) for item in given if item.layout == torch.strided) else " special"


def _edge(call: Call) -> bool:
    given = [*tensors([call.args, call.kwargs])]
    return any(item.numel() == 0 or item.ndim == 0 for item in given) or bool(_special(call))


def seed_all(*parts: object) -> None:
    seed = int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:4], "big")
    torch.manual_seed(seed)
    random.seed(seed)
    np.random.seed(seed)


def run_samples(collected: Collected, types: Sequence[torch.dtype]) -> tuple[int, int]:
    """Runs the samples of each OpInfo in each type that it takes, by each name that the operator has.

    How many runs there were, and how many of them torch refused.
    """
    runs = refused = 0
    for info in op_db:
        title = f"{info.name}.{info.variant_test_name}" if info.variant_test_name else info.name
        forms = [info.op, *filter(None, [info.operator_variant]), *(alias.op for alias in info.aliases)]
        for dtype in types:
            if dtype not in info.supported_dtypes("cpu"):
                continue
            seed_all(collected.seed, title, str(dtype))
            for position, sample in enumerate(info.sample_inputs("cpu", dtype, requires_grad=False)):
                provenance = f"opinfo: {title} {TYPES[dtype]} sample {position}"
                for form in forms:
                    runs += 1
                    try:
                        with listening(lambda *call, text=provenance: collected.add(*call, text)):
                            form(sample.input, *sample.args, **sample.kwargs)
                    except Exception:  # a sample that torch refuses has given the calls before that
                        refused += 1
    return runs, refused


def vectors_of(collected: Collected, operator: str) -> Iterator[Vector]:
    """What is written for an operator."""
    for types, calls in collected.ordered(operator):
        taken = 0
        for call in calls:
            if taken == MOST:
                break
            try:
                yield evaluated(call, f"{types}-{taken}")
            except (Refused, Unstorable):
                continue
            taken += 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--operators", nargs="+", help="these alone, such as aten::add.Tensor")
    parser.add_argument("--types", nargs="+", choices=[*TYPES.values()], default=[*TYPES.values()])
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    # The kernels of oneDNN, and their results, are another for each processor; those of flash attention take an
    # exponential that is 20 ulp off, where the processor has it.
    torch.backends.mkldnn.set_flags(False)
    torch.backends.cuda.enable_flash_sdp(False)
    started = time.process_time()
    table = read_table()
    names = arguments.operators or targets()
    collected = Collected(frozenset(names), arguments.seed)
    for row in rows(arguments.seed):
        if row.operator not in table:
            raise ValueError(f"a row is of {row.operator}, which torch does not have")
        collected.add_row(row)
    print(f"{sum(map(len, collected.rows.values()))} rows, {time.process_time() - started:.0f} s of CPU", flush=True)
    runs, refused = run_samples(collected, [dtype for dtype, name in TYPES.items() if name in arguments.types])
    print(f"{runs} samples, {refused} refused, {time.process_time() - started:.0f} s of CPU", flush=True)
    arguments.output.mkdir(parents=True, exist_ok=True)
    empty, total, reached = [], 0, 0
    for name in names:
        vectors = [*vectors_of(collected, name)]
        if not vectors:
            empty.append(name)
            continue
        write_vectors(arguments.output / file_name(name), vectors)
        by_type = Counter(vector.name.partition("-")[0] for vector in vectors)
        print(f"{name:44}", *(f"{kind} {count}" for kind, count in sorted(by_type.items())), flush=True)
        total, reached = total + len(vectors), reached + 1
    print(f"without vectors: {', '.join(empty) or 'none'}")
    print(f"{total} vectors of {reached} operators, {time.process_time() - started:.0f} s of CPU")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
