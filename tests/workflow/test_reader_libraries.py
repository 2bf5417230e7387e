"""The library that is being built, as its own functions import it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from opwright.bundle.format import FunctionEntry
from opwright_build.engine.dataclass_bytes import encode_value
from opwright_build.engine.reader import Reader
from opwright_build.workflow.compiled.compiling import ReaderLibraries

FACTS = {
    "library": "acme-ops",
    "package": "acme_ops",
    "domains": [
        {"name": "ai.onnx", "emitted": "acme.ai.onnx", "prefix": ""},
        {"name": "com.acme", "emitted": "com.acme", "prefix": "com_acme"},
    ],
}
ENTRY = FunctionEntry("ai.onnx", "Celu", 12, "", "", False, (), (), (), (), ())
ANSWERS = {
    "library:versions/ai.onnx/Celu": json.dumps([12, 28]).encode(),
    "library:entry/ai.onnx::Celu@12": encode_value(ENTRY),
    "library:entry/ai.onnx::Celu@28": encode_value(replace(ENTRY, since_version=28)),
    "library:names/ai.onnx": b'["Celu"]',
}


@pytest.fixture
def libraries(monkeypatch: pytest.MonkeyPatch) -> ReaderLibraries:
    reader = Reader.__new__(Reader)
    monkeypatch.setattr(Reader, "read", lambda self, name: ANSWERS.get(name))
    return ReaderLibraries(reader, FACTS, "ai.onnx::Relu@14")


def test_the_package_stands_for_the_mirror_since_ai_onnx_means_the_primitives(libraries: ReaderLibraries) -> None:
    assert libraries.domain_of("acme_ops") == "acme.ai.onnx"
    assert libraries.domain_of("acme_ops", "com_acme") == "com.acme"
    assert libraries.domain_of("acme_ops", "com_other") is None
    assert libraries.domain_of("other_ops") is None


@pytest.mark.parametrize("domain", ["ai.onnx", "acme.ai.onnx"])
def test_a_domain_is_known_by_both_of_its_names(libraries: ReaderLibraries, domain: str) -> None:
    assert libraries.emitted_domain(domain) == "acme.ai.onnx"
    assert libraries.names(domain) == ("Celu",)
    found = libraries.function(domain, "Celu", 27)
    assert found == ENTRY
    assert libraries.function(domain, "Gelu", 27) is None


def test_a_domain_without_a_mirror_is_itself(libraries: ReaderLibraries) -> None:
    assert libraries.emitted_domain("com.acme") == "com.acme"
    assert libraries.emitted_domain("com.other") is None
