"""The bill of materials in a wheel holds to the schema that CycloneDX publishes, and says what the wheel is made of."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from opwright.bundle.format import DependencyEntry, DomainEntry
from opwright_build.package.sbom import bill_of_materials
from opwright_build.spec.model import About
from referencing import Registry, Resource

from tests.package.sample import bundle_bytes, sample_library

BUNDLE = sample_library()
SHA256 = sha256(bundle_bytes(BUNDLE)).hexdigest()
PATH = "acme_ops/acme-ops-1.0.0.onnxlib"
ABOUT = About(
    authors=("Ada Lovelace <ada@example.org>", "Acme"),
    urls={"Repository": "https://example.com/acme-ops", "Home page": "https://example.com"},
)
LOW = DependencyEntry("acme-low", "0.3.0", "acme_low", "0" * 64, (DomainEntry("com.low", 1, "com.low"),))
NN = DependencyEntry(
    "acme-nn", "2.0.0", "acme_nn", "1" * 64, (DomainEntry("com.nn", 1, "com.nn"),), needs=("acme-low",)
)
PLAIN = BUNDLE.index
FULL = replace(
    PLAIN,
    library="Acme.Ops",
    summary="Two\nlines.",
    license="MIT OR Apache-2.0",
    requires=(("opwright", ">=0.1"), ("b", "")),
    dependencies=(LOW, NN),
)


def validator() -> jsonschema.Draft7Validator:
    """The schema as the package cyclonedx-python-lib ships it, with the two that it refers to."""
    folder = files("cyclonedx.schema") / "_res"
    resources = []
    for name in ("bom-1.6", "spdx", "jsf-0.82"):
        schema = json.loads((folder / f"{name}.SNAPSHOT.schema.json").read_text(encoding="utf-8"))
        resources.append((schema["$id"], Resource.from_contents(schema)))
    registry: Any = Registry().with_resources(resources)
    return jsonschema.Draft7Validator(resources[0][1].contents, registry=registry)


@pytest.mark.parametrize(("index", "about"), [(PLAIN, About()), (FULL, ABOUT)])
def test_it_holds_to_the_schema(index: Any, about: About) -> None:
    document = json.loads(bill_of_materials(index, "1.0.0.dev0+g0123456789ab", about, PATH, SHA256))
    validator().validate(document)
    refs = [document["metadata"]["component"]["bom-ref"], *(item["bom-ref"] for item in document["components"])]
    assert sorted(item["ref"] for item in document["dependencies"]) == sorted(refs)
    assert {ref for item in document["dependencies"] for ref in item.get("dependsOn", ())} <= set(refs)
    assert document["metadata"]["component"]["purl"].endswith("@1.0.0.dev0%2Bg0123456789ab")


def test_the_schema_refuses_others() -> None:
    document = json.loads(bill_of_materials(PLAIN, "1.0.0", About(), PATH, SHA256))
    document["components"][0]["hashes"][0]["alg"] = "sha256"
    with pytest.raises(jsonschema.ValidationError):
        validator().validate(document)


def test_what_it_says() -> None:
    document = json.loads(bill_of_materials(FULL, "1.0.0", ABOUT, PATH, SHA256))
    described = document["metadata"]["component"]
    assert described["authors"] == [{"name": "Ada Lovelace", "email": "ada@example.org"}, {"name": "Acme"}]
    assert described["licenses"] == [{"expression": "MIT OR Apache-2.0"}]
    assert [item["type"] for item in described["externalReferences"]] == ["vcs", "website"]
    assert (described["description"], described["purl"]) == ("Two lines.", "pkg:pypi/acme-ops@1.0.0")
    found = {item["name"]: item for item in document["components"]}
    assert found[PATH]["hashes"] == [{"alg": "SHA-256", "content": SHA256}]
    assert found["acme-low"]["hashes"] == [{"alg": "SHA-256", "content": "0" * 64}]
    assert found["opwright"]["description"] == "Installed beside it: opwright>=0.1"
    depends = {item["ref"]: item.get("dependsOn") for item in document["dependencies"]}
    assert depends[f"carried:{'1' * 64}"] == [f"carried:{'0' * 64}"]
