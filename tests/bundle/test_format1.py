"""Bundles of format 1: read for ever, whole, with the golden ones that were written by those who released it."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import FunctionProto, TensorProto, helper
from opwright.bundle import read
from opwright.bundle.archive import pack, unpack
from opwright.bundle.format import Bundle, Index
from opwright.bundle.json_form import canonical_json
from opwright.bundle.read import find_bundle, read_bundle, read_bundle_file
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.link.apply import attach
from opwright.protos.canonical import canonicalise

from tests.bundle.forging import mutate
from tests.bundle.format1 import write_format1
from tests.bundle.golden_library import check_attached, check_golden_library
from tests.bundle.sample import BODIES, TOP, sample_index
from tests.work import ends

GOLDEN = Path(__file__).parent / "golden"
BUNDLE = write_format1(sample_index(), BODIES, {"source/x.json": b"[]"})


def finding(data: bytes, name: str = "dist/acme-ops-1.2.0.onnxlib") -> Diagnostic:
    with pytest.raises(DiagnosticError) as caught:
        read_bundle(data, name)
    [found] = caught.value.diagnostics
    return found


def with_members(change: Callable[[dict[str, bytes]], object]) -> bytes:
    members = unpack(BUNDLE)
    change(members)
    return pack(members.items())


def with_index(change: Callable[[dict[str, object]], object]) -> bytes:
    def in_members(members: dict[str, bytes]) -> None:
        value = json.loads(members["library.json"])
        change(value)
        members["library.json"] = canonical_json(value)

    return with_members(in_members)


class TestGood:
    def test_it_comes_back(self, index: Index) -> None:
        bundle = read_bundle(BUNDLE, "x.onnxlib")
        assert bundle.index == index
        assert bundle.bodies == BODIES
        assert bundle.others == {"source/x.json": b"[]"}
        assert bundle.digest == sha256(bundle.document).hexdigest()

    def test_its_layout(self) -> None:
        names = list(unpack(BUNDLE))
        assert names[:2] == ["mimetype", "library.json"]
        assert names[2:] == sorted(names[2:])
        assert BUNDLE[30:38] == b"mimetype"
        assert BUNDLE[38:71] == b"application/vnd.opwright.library" + BUNDLE[70:71]

    def test_keys_that_it_does_not_know_are_kept(self, index: Index) -> None:
        data = with_index(lambda value: value.update(future=["x"]))
        bundle = read_bundle(data, "x")
        assert bundle.index == index
        assert json.loads(bundle.document)["future"] == ["x"]

    def test_reading_needs_nothing_but_the_standard_library(self) -> None:
        code = (
            "import sys; from opwright.bundle.read import read_bundle_file;"
            f"print(read_bundle_file(__import__('pathlib').Path({str(GOLDEN / 'format1.onnxlib')!r})).index.library);"
            "print(sorted({'onnx', 'numpy', 'pydantic', 'yaml', 'jinja2', 'google'} & set(sys.modules)))"
        )
        library = Path(read.__file__).parents[2]
        environment = {**os.environ, "PYTHONPATH": str(library)}
        done = subprocess.run(
            [sys.executable, "-S", "-c", code], capture_output=True, text=True, env=environment, timeout=60
        )
        assert done.stdout.split("\n") == ["acme-ops", "[]", ""], done.stderr


class TestGolden:
    """Format 1. The file must never be written again: a reader that does not understand it breaks what is released."""

    def test_it_is_read_as_it_was_written(self) -> None:
        bundle = read_bundle_file(GOLDEN / "format1.onnxlib")
        assert bundle.digest == "b072256ae0b27f3c7263888be74fa391a5c02247298f2b910c99363ea09d1f1c"
        assert bundle.index == sample_index()
        assert bundle.bodies == BODIES

    def test_its_bodies_still_have_their_digests(self) -> None:
        for digest, data in read_bundle_file(GOLDEN / "format1.onnxlib").bodies.items():
            body = canonicalise(FunctionProto.FromString(data), callees={})
            assert (body.digest, body.proto) == (digest, data)

    def test_it_can_still_be_attached(self) -> None:
        node = helper.make_node("Top", [], ["y"], domain="com.acme")
        output = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])
        imports = [helper.make_opsetid("", 18), helper.make_opsetid("com.acme", 3)]
        model = helper.make_model(helper.make_graph([node], "g", [], [output]), opset_imports=imports, ir_version=10)
        attached = attach(model, [read_bundle_file(GOLDEN / "format1.onnxlib")])
        session = onnxruntime.InferenceSession(attached.SerializeToString())
        np.testing.assert_allclose(session.run(None, {})[0], [0.11920292, 0.88079708], rtol=1e-6)

    def test_the_writer_of_these_tests_writes_it(self, index: Index) -> None:
        assert write_format1(index, BODIES) == (GOLDEN / "format1.onnxlib").read_bytes()


class TestGoldenLibrary:
    """A library with variants, versions, calls and a template, as `opwright build` wrote it in format 1."""

    FILE = GOLDEN / "library-format1.onnxlib"

    def test_it_is_the_file_that_was_written(self) -> None:
        digest = "b843bb459d9de28459e8df61e92ae0edfe0d6448a8d211104c98913be540cb4b"
        assert sha256(self.FILE.read_bytes()).hexdigest() == digest
        check_golden_library(read_bundle_file(self.FILE, digest))

    def test_it_is_attached(self) -> None:
        check_attached(read_bundle_file(self.FILE))


class TestRefusals:
    @pytest.mark.parametrize(
        ("data", "code", "words"),
        [
            (b"", "OW511", "not an archive"),
            (b"#!/bin/sh\n", "OW511", "not an archive"),
            (with_members(lambda m: m.update(mimetype=b"text/plain")), "OW511", "does not say"),
            (with_members(lambda m: m.pop("mimetype")), "OW511", "does not say"),
            (with_members(lambda m: m.pop("library.json")), "OW513", "has no library.json"),
            (with_members(lambda m: m.update({"AAA": b""})), "OW512", "not sorted"),
            (with_members(lambda m: m.update(zzz=b"")), "OW513", "zzz, which its index does not list"),
            (with_members(lambda m: m.pop("source/x.json")), "OW513", "lacks the member source/x.json"),
            (with_members(lambda m: m.update({"source/x.json": b"{}"})), "OW514", "digest"),
            (with_members(lambda m: m.update({"source/x.json": b"[ ]"})), "OW514", "3 bytes, not 2"),
            (with_members(lambda m: m.update({"library.json": b"["})), "OW516", "not JSON"),
            (with_index(lambda v: v.update(reader=3)), "OW515", "version 3 on"),
            (with_index(lambda v: v.update(reader="1")), "OW516", "reader is not an integer"),
            (with_index(lambda v: v.pop("functions")), "OW516", "functions is missing"),
            (with_index(lambda v: v["functions"].append(v["functions"][0])), "OW516", "com.acme::Leaf@1 twice"),
            (
                with_index(lambda v: v["functions"][0]["bodies"][0].update(body="body1:" + "0" * 64)),
                "OW516",
                "no member",
            ),
            (BUNDLE + b"\n", "OW512", "before or behind"),
            (BUNDLE.replace(b"\x22\x04Size", b"\x22\x04size"), "OW514", "checksum"),
        ],
    )
    def test_what_is_no_bundle(self, data: bytes, code: str, words: str) -> None:
        found = finding(data)
        assert found.code == code
        assert words in f"{found.message} {found.reason}"
        assert found.place is not None
        assert found.place.file == "dist/acme-ops-1.2.0.onnxlib"

    def test_a_newer_reader_is_named_before_anything_else_is_looked_at(self) -> None:
        data = with_index(lambda value: (value.clear(), value.update(reader=7, layout="unknown")))
        assert finding(data).code == "OW515"

    def test_too_large(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        path = tmp_path / "big.onnxlib"
        with path.open("wb") as file:
            file.truncate((1 << 30) + 1)  # sparse: takes no room on the disk
        tracemalloc.start()
        with pytest.raises(DiagnosticError) as caught:
            read_bundle_file(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
        tracemalloc.stop()
        assert caught.value.diagnostics[0].code == "OW510"
        assert "1,073,741,825 bytes" in caught.value.diagnostics[0].reason
        monkeypatch.setattr(read, "MOST_INDEX_BYTES", 100)
        assert "100 are read at most" in finding(BUNDLE).reason

    @pytest.mark.parametrize(
        "name", ["absent.onnxlib", "folder.onnxlib", "pipe.onnxlib", "a\0b.onnxlib", "folder.onnxlib/x"]
    )
    def test_what_cannot_be_read(self, name: str, tmp_path: Path) -> None:
        (tmp_path / "folder.onnxlib").mkdir()
        os.mkfifo(tmp_path / "pipe.onnxlib")
        with pytest.raises(DiagnosticError) as caught:
            find_bundle(str(tmp_path / name))
        assert caught.value.diagnostics[0].code == "OW510"


def outcome(data: bytes) -> Bundle | Diagnostic:
    """What reading gives; any other exception fails the test that calls this."""
    try:
        return read_bundle(data, "x.onnxlib")
    except DiagnosticError as error:
        [found] = error.diagnostics
        return found


class TestAnyBytes:
    def test_every_single_byte_counts(self) -> None:
        for position in range(len(BUNDLE)):
            changed = bytearray(BUNDLE)
            changed[position] ^= 1 << position % 8
            assert isinstance(outcome(bytes(changed)), Diagnostic), position

    def test_every_cut_is_noticed(self) -> None:
        for size in range(len(BUNDLE)):
            assert isinstance(outcome(BUNDLE[:size]), Diagnostic)

    @given(st.integers(0, len(BUNDLE)), st.integers(0, 40), st.binary(max_size=40))
    @settings(max_examples=500, deadline=None)
    def test_replaced_pieces(self, start: int, length: int, piece: bytes) -> None:
        changed = BUNDLE[:start] + piece + BUNDLE[start + length :]
        assert changed == BUNDLE or isinstance(outcome(changed), Diagnostic)

    @given(st.binary(max_size=300))
    @settings(max_examples=200, deadline=None)
    def test_bytes_from_nowhere(self, data: bytes) -> None:
        assert isinstance(outcome(data), Diagnostic)
        assert isinstance(outcome(b"PK\x03\x04" + data + b"PK\x05\x06" + data[:18].ljust(18, b"\0")), Diagnostic)

    @pytest.mark.long
    def test_mutated_indexes(self) -> None:
        randomness = random.Random(7)
        document = json.loads(unpack(BUNDLE)["library.json"])
        for _ in range(800):
            value = json.loads(json.dumps(document))
            mutate(value, randomness)
            with ends(value):
                outcome(
                    with_members(
                        lambda members, value=value: members.update({"library.json": json.dumps(value).encode()})
                    )
                )

    def test_zipfile_agrees_on_every_bundle_that_is_read(self, tmp_path: Path) -> None:
        path = tmp_path / "x.onnxlib"
        path.write_bytes(BUNDLE)
        with zipfile.ZipFile(path) as file:
            bundle = read_bundle_file(path)
            assert file.read(f"bodies/{TOP.removeprefix('body1:')}.pb") == bundle.bodies[TOP]
