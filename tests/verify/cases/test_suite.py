from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from onnx import defs
from opwright_build.verify.case_model import Items
from opwright_build.verify.cases import suite
from opwright_build.verify.items import type_of

from tests.node_cases import cases_of, node_cases
from tests.verify.cases.direct_cases import Loaded, digests

RunPython = Callable[..., bytes]

# Imports only what `extract` imports, in a process of its own, and prints what the direct cases hold.
PARTIAL_LOAD = """
import json, sys, warnings
warnings.simplefilter("ignore")
from opwright_build.verify.cases import suite
from tests.verify.cases.direct_cases import digests
json.dump(digests(suite._import_cases(suite.find_modules(json.loads(sys.argv[1])))), sys.stdout)
"""


@pytest.fixture(scope="module")
def full() -> Loaded:
    """The whole suite as onnx means it to be loaded."""
    return digests(node_cases())


def newest(plain_versions: list[tuple[str, int]]) -> dict[str, int]:
    return {name: since for name, since in plain_versions if defs.get_schema(name, domain="").since_version == since}


def test_the_newest_plain_functions_have_their_104_cases(plain_versions: list[tuple[str, int]]) -> None:
    versions = newest(plain_versions)
    cases = suite.extract(versions)
    assert len(versions) == 28
    assert len(cases) == 104
    assert all(case.since_version == versions[case.operator] and not case.obstacle for case in cases)


def test_cases_equal_the_full_load(full: Loaded, plain_versions: list[tuple[str, int]], run_python: RunPython) -> None:
    operators = newest(plain_versions)
    partial = json.loads(run_python(PARTIAL_LOAD, json.dumps(sorted(operators))))
    wanted = {name: found for name, found in full.items() if found[0] in operators}
    assert len(wanted) == 104
    assert {name: found for name, found in partial.items() if found[0] in operators} == wanted


def test_every_operator_is_found_by_the_modules_that_name_it(full: Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "_import_cases", cases_of)
    operators = sorted({found[0] for found in full.values()})
    assert len(operators) > 180
    extracted = {case.name for case in suite.extract(operators)}
    assert extracted == set(full)
    for name in ("Relu", "Loop", "Cast", "Range"):
        alone = {case.name for case in suite.extract([name])}
        assert alone == {case for case, found in full.items() if found[0] == name}


def test_extracting_leaves_the_random_state_alone(run_python: RunPython) -> None:
    script = (
        "import numpy as np; from opwright_build.verify.cases import suite; np.random.seed(5);"
        "suite.extract(sys.argv[1:]); print(np.random.random())"
    )
    assert run_python(f"import sys; {script}", "Elu") == run_python(f"import sys; {script}")


def test_absent_inputs_keep_their_place() -> None:
    clip = next(case for case in suite.extract(["Clip"]) if case.name == "test_clip_default_max")
    assert [array is None for array in clip.inputs] == [False, True, False]


def test_sequences_of_tensors_are_values() -> None:
    cases = {case.name: case for case in suite.extract(["SequenceInsert", "SequenceMap", "SequenceLength"])}
    assert not any(case.obstacle for case in cases.values())
    both = cases["test_sequence_map_identity_1_sequence_1_tensor"]
    assert [type_of(value) for value in both.inputs if value is not None] == ["seq(float)", "float"]
    assert [type_of(value) for value in both.outputs if value is not None] == ["seq(float)", "seq(float)"]
    inserted = cases["test_sequence_insert_at_back"]
    first, last = inserted.inputs[0], inserted.outputs[0]
    assert isinstance(first, Items)
    assert isinstance(last, Items)
    assert (first.kind, len(first.arrays), len(last.arrays)) == ("int64", 3, 4)


def test_other_values_are_an_obstacle() -> None:
    cases = suite.extract(["OptionalHasElement", "DictVectorizer", "Identity"])
    strange = {case.name: case for case in cases if case.obstacle}
    assert "empty optional" in strange["test_optional_has_element_empty_optional_input"].obstacle
    assert not any(case.inputs or case.outputs for case in strange.values())


def test_the_digest_tells_a_sequence_from_its_tensors() -> None:
    case = next(case for case in suite.extract(["SequenceMap"]) if case.name == "test_sequence_map_identity_1_sequence")
    (items,) = case.inputs
    assert isinstance(items, Items)
    spread = replace(case, inputs=items.arrays)
    empty, other = replace(case, inputs=(Items("float", ()),)), replace(case, inputs=(Items("double", ()),))
    fewer = replace(case, outputs=(Items("float", items.arrays[:-1]),))
    assert len({suite.suite_digest(changed) for changed in (case, spread, empty, other, fewer)}) == 5


def test_small_types_arrive_in_their_own_type() -> None:
    cases = {case.name: case for case in suite.extract(["Celu", "Cast"])}
    assert "bfloat16" in {case.outputs[0].dtype.name for case in cases.values() if case.outputs[0] is not None}
    assert cases["test_cast_FLOAT_to_INT4"].outputs[0].dtype.name == "int4"  # type: ignore[union-attr]


def test_no_operator_needs_no_module() -> None:
    assert suite.find_modules([]) == ()
    assert suite.extract([]) == ()
    assert suite.extract(["Nonesuch"]) == ()


def test_newest_version() -> None:
    assert suite.newest_version("ai.onnx", "Softplus") == 22
    assert suite.newest_version("com.acme", "Softplus") == 0


def test_the_digest_covers_inputs_and_attributes() -> None:
    first, second = (case for case in suite.extract(["Elu"]) if case.name in ("test_elu", "test_elu_default"))
    digests = {suite.suite_digest(first), suite.suite_digest(second)}
    assert len(digests) == 2
    assert all(len(item) == len(hashlib.sha256().hexdigest()) for item in digests)
