"""The source distribution: what is in it, and that any Python makes the same bytes of it."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import tomllib
from dataclasses import replace

from opwright_build.package.sdist import build_sdist
from opwright_build.spec.model import About

from tests.package.sample import sample_library

INDEX = replace(sample_library().index, summary='A "library"\nof two.', requires=(("opwright", ">=0.1"),))
ABOUT = About(
    ("Ada Lovelace <ada@example.org>", "Ümit", "Bob <bob@example.org>"),
    {"Home page": "https://example.com"},
    "README.md",
    ("LICENSE",),
)
TEXTS = {"README.md": "# Größe\n".encode(), "LICENSE": b"free\n"}
LONG = f"specs/com.acme/{'x' * 90}/{'ü' * 40}.txt"
SPECS = {"specs/library.yaml": b"schema: 1\n", LONG: b"\0" * 200_000}
PACKAGE = {"__init__.py": b"", "acme-ops-1.0.0.onnxlib": b"bundle"}


def build() -> tuple[str, bytes]:
    return build_sdist(INDEX, "1.0.0", ABOUT, TEXTS, PACKAGE, b"{}\n", SPECS)


def members(data: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        infos = archive.getmembers()
        assert {(info.mtime, info.mode, info.uid, info.uname, info.type) for info in infos} == {
            (315_532_800, 0o644, 0, "", tarfile.REGTYPE)
        }
        found = {}
        for info in infos:
            stream = archive.extractfile(info)
            assert stream is not None
            found[info.name] = stream.read()
        return found


def test_what_is_in_it() -> None:
    name, data = build()
    assert name == "acme_ops-1.0.0.tar.gz"
    found = members(data)
    assert list(found) == sorted(found)
    top = {path: found[f"acme_ops-1.0.0/{path}"] for path in (*TEXTS, *SPECS)}
    assert top == {**TEXTS, **SPECS}
    assert found["acme_ops-1.0.0/src/acme_ops/acme-ops-1.0.0.onnxlib"] == b"bundle"
    assert found["acme_ops-1.0.0/PKG-INFO"].startswith(b"Metadata-Version: 2.4\nName: acme-ops\nVersion: 1.0.0\n")
    project = tomllib.loads(found["acme_ops-1.0.0/pyproject.toml"].decode())
    assert project["build-system"]["build-backend"] == "hatchling.build"
    told = project["project"]
    assert (told["name"], told["version"], told["description"]) == ("acme-ops", "1.0.0", 'A "library" of two.')
    assert told["dependencies"] == ["opwright>=0.1"]
    assert told["readme"] == {"file": "README.md", "content-type": "text/markdown"}
    assert told["authors"] == [
        {"name": "Ümit"},
        {"name": "Ada Lovelace", "email": "ada@example.org"},
        {"name": "Bob", "email": "bob@example.org"},
    ]
    assert told["urls"] == {"Home page": "https://example.com"}
    assert told["entry-points"] == {"opwright.libraries": {"acme-ops": "acme_ops"}}
    bill = project["tool"]["hatch"]["build"]["targets"]["wheel"]["sbom-files"][0]
    assert json.loads(found[f"acme_ops-1.0.0/{bill}"]) == {}


def test_nothing_is_compressed() -> None:
    """So that no release of zlib decides a byte; blocks of every length are read by others."""
    _, data = build()
    plain = gzip.decompress(data)
    assert len(plain) < len(data) < len(plain) + 200
    assert data[:10] == bytes((0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF))


def test_a_library_that_says_little() -> None:
    index = replace(INDEX, summary="", license="", requires=())
    _, data = build_sdist(index, "1.0.0", About(), {}, PACKAGE, b"{}\n", SPECS)
    project = tomllib.loads(members(data)["acme_ops-1.0.0/pyproject.toml"].decode())["project"]
    assert "readme" not in project and "authors" not in project and "license" not in project
    assert (project["urls"], project["license-files"]) == ({}, [])
