"""`python -m tests.models.make FOLDER [--seed N] [--packages FOLDER]` writes the models of all sources, with inputs.

Needs the packages of the group `models` of pyproject.toml; what judges them (`python -m tests.models`) does not.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections.abc import Iterator
from pathlib import Path

from tests.models import classical, quantised, shipped, spox_built, torch_exported, transformers_exported
from tests.models.model import GivenModel


def all_models(seed: int, packages: Path | None) -> Iterator[GivenModel]:
    yield from shipped.models(seed)
    if packages is not None:
        given = list(shipped.of_packages(packages))
        yield from given
        yield from quantised.optimised(given)
    yield from classical.models(seed)
    yield from spox_built.models(seed)
    exported = list(torch_exported.models(seed))
    yield from exported
    yield from quantised.models(exported)
    yield from transformers_exported.models(seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--packages", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    families: dict[str, str] = {}
    for item in all_models(options.seed, options.packages):
        assert item.name not in families, item.name
        families[item.name] = item.family
        Path(options.folder, f"{item.name}.onnx").write_bytes(item.model.SerializeToString())
        Path(options.folder, f"{item.name}.pickle").write_bytes(pickle.dumps(item.feeds))
    Path(options.folder, "families.json").write_text(json.dumps(families, indent=1), encoding="utf-8")
    print(f"{len(families)} models made")


if __name__ == "__main__":
    main()
