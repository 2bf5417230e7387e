"""`python -m tests.opinfo.schemas [-o FILE]`: the table of ATen's operators that a build reads in place of torch.

A row is an overload that changes none of its arguments, has no `out=` and is no gradient: `name`, `schema` in torch's
own notation, `core` (torch's core set), `pointwise` and `nondeterministic` (its values depend on a seed). The one that
writes and stands here all the same is `aten::_native_batch_norm_legit`, of the core set: models read its results.
The table is committed and changes with torch's version alone; to write it needs torch, to read it does not.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

TABLE = Path(__file__).resolve().parents[2] / "buildtool" / "opwright_build" / "spec" / "torch_schemas.jsonl"
NAMESPACES = ("aten", "quantized_decomposed")


@dataclass(frozen=True, slots=True)
class Schema:
    name: str
    schema: str
    core: bool
    pointwise: bool
    nondeterministic: bool


def schemas() -> Iterator[Schema]:
    """The rows that the torch at hand gives, in the order of their names."""
    import torch
    import torch.ao.quantization.fx._decomposed  # its import registers quantized_decomposed

    for name in sorted(torch._C._dispatch_get_all_op_names()):
        namespace, _, rest = name.partition("::")
        if namespace not in NAMESPACES:
            continue
        base, _, overload = rest.partition(".")
        packet = getattr(getattr(torch.ops, namespace), base)
        operator = getattr(packet, overload or "default")
        signature = operator._schema
        tags = operator.tags
        core = torch.Tag.core in tags
        writes = signature.is_mutable and not (core and not base.endswith("_"))
        if writes or "backward" in base or any(argument.is_out for argument in signature.arguments):
            continue
        if "Dict(" in str(signature):  # of distributed training: no dictionary is a value of a model
            continue
        pointwise, seeded = torch.Tag.pointwise in tags, torch.Tag.nondeterministic_seeded in tags
        yield Schema(name, str(signature), core, pointwise, seeded)


def read_table() -> dict[str, Schema]:
    """The committed table by name."""
    rows = (Schema(**json.loads(line)) for line in TABLE.read_text(encoding="utf-8").splitlines())
    return {row.name: row for row in rows}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=TABLE)
    output: Path = parser.parse_args().output
    rows = list(schemas())
    output.write_text("".join(f"{json.dumps(asdict(row))}\n" for row in rows), encoding="utf-8")
    print(f"{len(rows)} overloads, {sum(row.core for row in rows)} of torch's core set")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
