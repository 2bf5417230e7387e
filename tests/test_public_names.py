"""What `import opwright` offers, to programs and to type checkers, and what it costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import opwright
import pytest
from opwright_build.opset_stubs.domain_versions import all_versions

STUB = Path(opwright.__file__).with_suffix(".pyi")
EXPECTED = (
    "AttachPlan",
    "BFLOAT16",
    "BOOL",
    "Bundle",
    "COMPLEX128",
    "COMPLEX64",
    "Comparison",
    "Decompiled",
    "DOUBLE",
    "Diagnostic",
    "DiagnosticError",
    "DiagnosticWarning",
    "FLOAT",
    "FLOAT16",
    "FLOAT4E2M1",
    "FLOAT6E2M3",
    "FLOAT6E3M2",
    "FLOAT8E4M3FN",
    "FLOAT8E4M3FNUZ",
    "FLOAT8E5M2",
    "FLOAT8E5M2FNUZ",
    "FLOAT8E8M0",
    "INT16",
    "INT2",
    "INT32",
    "INT4",
    "INT64",
    "INT8",
    "OnnxFunction",
    "Graph",
    "GraphBuilder",
    "Map",
    "Opset",
    "Optional",
    "OptionalValue",
    "Sequence",
    "STRING",
    "Tensor",
    "UINT16",
    "UINT2",
    "UINT32",
    "UINT4",
    "UINT64",
    "UINT8",
    "__version__",
    "attach",
    "compare",
    "compile_source",
    "convert",
    "decompile",
    "detach",
    "digest",
    "explain_failures",
    "find_bundle",
    "graph",
    "inspect",
    "load_arrays",
    "plan_attach",
    "plan_upgrade",
    "polyfill",
    "proto_function",
    "read_bundle",
    "script",
    "upgrade",
    "UpgradePlan",
    "latest",
    *(version.name for version in all_versions()),
)


def test_the_public_names() -> None:
    assert sorted(opwright.__all__) == sorted(EXPECTED)
    assert dir(opwright) == sorted(opwright.__all__)


@pytest.mark.parametrize("name", EXPECTED)
def test_each_name_resolves(name: str) -> None:
    assert getattr(opwright, name) is not None


def test_the_stub_has_the_same_names() -> None:
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    imported = [alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted([*imported, "__version__"]) == sorted(EXPECTED)


def test_other_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        opwright.nothing  # noqa: B018
    for name, told in (
        ("scirpt", "has no attribute 'scirpt'. Did you mean: 'script'?"),
        ("opset999", ": the installed onnx knows the opsets of ai.onnx to "),
        ("_repr_html_", "has no attribute '_repr_html_'"),
    ):
        with pytest.raises(AttributeError) as caught:
            getattr(opwright, name)
        assert told in str(caught.value)
        assert str(caught.value).count("Did you mean") <= 1


def test_importing_costs_no_large_module() -> None:
    heavy = ("numpy", "onnx", "dataclasses", "inspect", "ast", "re", "pydantic", "typing")
    code = f"import sys; import opwright; opwright.FLOAT['N', 3]; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(STUB.parent.parent)},
        check=True,
    )
    assert done.stdout.strip() == "[]"
