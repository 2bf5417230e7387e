"""Whether the bytes of functions depend on the hash seed: the same functions compiled in processes of other seeds.

`python -m tests.differential.determinism SEED COUNT` prints the digests of so many, for the process that compares.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from opwright import OnnxFunction
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.lang.emit import emit_function
from opwright.lang.families.family import Family, build_family
from opwright.lang.meaning.resolve import NoLibraries
from opwright_build.compile import SpecFiles
from opwright_build.compile.unit import make_unit

from tests.differential.campaign import program_of
from tests.differential.compiling import compile_program
from tests.differential.control import control_pairs
from tests.own_specs import ROOT, load_standard

WANTED = 200
SPEC, SAMPLE, PROGRAM = "spec", "sample", "program"
_TYPED = ("activations", "chunk", "dropout", "hardmax", "operators", "scan")
_SAMPLES = ("tests.functions.test_samples", *(f"tests.typing.samples.{name}" for name in _TYPED))
_OPSET = 21


def digests(seed: int, wanted: int = WANTED, step: int = 1) -> dict[str, str]:
    """The digest of each function, by kind and name: the specs of this repository, every so manieth, the samples with
    which ONNX Script has been introduced, and generated programs with nested blocks."""
    found = {f"{SPEC} {name}": _digest(family) for name, family in _specs(step)}
    found |= {f"{SAMPLE} {name}": _digest_of_sample(function) for name, function in _samples()}
    for name, family in _programs(seed):
        if len(found) >= wanted:
            break
        found[f"{PROGRAM} {name}"] = _digest(family)
    return found


def counts(names: Iterable[str]) -> str:
    """How many functions of each kind there are."""
    kinds = Counter(name.partition(" ")[0] for name in names)
    return ", ".join(f"{count} {kind}s" for kind, count in kinds.items())


def _digest(family: Family) -> str:
    digest = hashlib.sha256()
    for variant in family.variants:
        assert variant.lowered.function is not None
        digest.update(repr(variant.key).encode())
        digest.update(emit_function(variant.lowered.function, "test.domain").SerializeToString())
    return digest.hexdigest()


def _digest_of_sample(function: OnnxFunction) -> str:
    """Of a live function: each variant, and the model where it needs to be told nothing."""
    digest = hashlib.sha256()
    for proto in function.to_function_protos():
        digest.update(proto.SerializeToString())
    try:
        digest.update(function.to_model_proto().SerializeToString())
    except DiagnosticError as error:
        digest.update(" ".join(item.code for item in error.diagnostics).encode())
    return digest.hexdigest()


def _samples() -> Iterator[tuple[str, OnnxFunction]]:
    for name in _SAMPLES:
        for function in list(vars(importlib.import_module(name)).values()):
            if isinstance(function, OnnxFunction):
                yield f"{name.rpartition('.')[2]}.{function.name}", function


def _specs(step: int) -> Iterator[tuple[str, Family]]:
    files = SpecFiles(lambda path: (ROOT / path).read_bytes() if (ROOT / path).is_file() else None)
    loaded = load_standard()
    for version in loaded.versions[::step]:
        relative = replace(version, folder=version.folder.relative_to(loaded.library.root))
        unit = make_unit(relative, files, NoLibraries(), [])
        assert unit is not None, version.identity
        yield version.identity, build_family(unit, min(max(version.opsets.first, _OPSET), version.opsets.last))


def _programs(seed: int) -> Iterator[tuple[str, Family]]:
    index = 0
    while True:
        program = program_of(seed, index)
        if control_pairs(program.text):
            family = compile_program(program)
            if isinstance(family, Family):
                yield f"{seed}:{index}", family
        index += 1


def differing(hash_seeds: int, seed: int, wanted: int = WANTED, step: int = 1) -> tuple[list[str], list[str]]:
    """The names of the functions, and of those whose bytes are not the same under every hash seed."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda hash_seed: _elsewhere(hash_seed, seed, wanted, step), range(hash_seeds)))
    names = list(dict.fromkeys(name for item in found for name in item))
    return names, [name for name in names if len({item.get(name) for item in found}) > 1]


def _elsewhere(hash_seed: int, seed: int, wanted: int, step: int) -> dict[str, str]:
    """The digests that a process with that hash seed finds."""
    paths = [str(ROOT / folder) for folder in ("", "library", "buildtool")]
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", "tests.differential.determinism", str(seed), str(wanted), str(step)]
    done = subprocess.run(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    answer: dict[str, str] = json.loads(done.stdout)
    return answer


if __name__ == "__main__":
    print(json.dumps(digests(*map(int, sys.argv[1:]))))
