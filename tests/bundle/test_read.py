"""Bundles of format 2: what is opened is checked, what is not costs nothing, and no bytes lead to anything else."""

from __future__ import annotations

import gc
import json
import os
import random
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import onnx.parser
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opwright.bundle import read
from opwright.bundle.archive import pack, unpack
from opwright.bundle.byte_source import HeldBytes
from opwright.bundle.format import Bundle, FunctionEntry, Index, OutputEntry
from opwright.bundle.member_names import table_count, table_of
from opwright.bundle.read import check_bundle, find_bundle, read_bundle, read_bundle_file
from opwright.bundle.write import write_bundle
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.link.apply import attach
from opwright.link.catalogue import merge_libraries

from tests.bundle.forging import Members, in_folder, mutate, with_function, with_library, with_members, with_table
from tests.bundle.golden_library import IDENTITIES, check_attached, check_golden_library
from tests.bundle.sample import BODIES, BUNDLE, TOP, sample_index
from tests.shares import one_in
from tests.work import ends

GOLDEN = Path(__file__).parent / "golden" / "library-format2.onnxlib"
NAMES = ("Leaf", "Many", "Top")
NAME = "dist/acme-ops-1.2.0.onnxlib"


def finding(made: Callable[[], object]) -> Diagnostic:
    with pytest.raises(DiagnosticError) as caught:
        made()
    [found] = caught.value.diagnostics
    return found


class Watched(HeldBytes):
    """Bytes that know what was read of them."""

    __slots__ = ("read_bytes",)

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.read_bytes = 0

    def read(self, offset: int, size: int) -> bytes:
        found = super().read(offset, size)
        self.read_bytes += len(found)
        return found


def large(count: int) -> Index:
    """An index of that many functions without bodies."""
    entry = FunctionEntry("com.acme", "", 1, "One of many.", "", False, (), (OutputEntry("Y", "float"),), (), (), ())
    entries = sorted((replace(entry, name=f"F{number}") for number in range(count)), key=lambda item: item.name)
    return replace(sample_index(), functions=tuple(entries))


class TestGood:
    def test_it_comes_back(self, index: Index) -> None:
        bundle = read_bundle(BUNDLE, "x.onnxlib")
        assert bundle.index == index
        assert bundle.bodies == BODIES
        assert bundle.others == {"source/x.json": b"[]"}
        assert bundle.digest == sha256(bundle.document).hexdigest()
        assert bundle.document == unpack(BUNDLE)["library.json"]

    def test_its_layout(self) -> None:
        names = list(unpack(BUNDLE))
        assert names[:3] == ["mimetype", "library.json", "source/x.json"]
        assert names[3:] == sorted(names[3:])
        assert {len(name) for name in names[3:]} == {74}
        assert BUNDLE[30:38] == b"mimetype"
        assert BUNDLE[38:71] == b"application/vnd.opwright.library" + BUNDLE[70:71]

    def test_the_same_bytes_from_other_dictionary_orders(self, index: Index) -> None:
        backwards = dict(reversed(BODIES.items()))
        assert write_bundle(index, backwards, {"source/x.json": b"[]"}) == BUNDLE

    def test_a_missing_body_is_our_mistake(self, index: Index) -> None:
        with pytest.raises(ValueError, match=r"com\.acme::Leaf@1 names body1:"):
            write_bundle(index, {TOP: b""})

    def test_a_body_that_nothing_names_is_our_mistake(self, index: Index) -> None:
        with pytest.raises(ValueError, match="no function names body1:00"):
            write_bundle(index, {**BODIES, "body1:00": b""})

    def test_what_later_formats_add_is_passed_over(self, index: Index) -> None:
        data = with_library(BUNDLE, lambda value: value.update(format=3, future=["x"]))
        bundle = check_bundle(data, "x")
        assert bundle.index == index
        assert json.loads(bundle.document)["future"] == ["x"]
        assert check_bundle(with_function(BUNDLE, "Leaf", lambda value: value.update(future=["x"])), "x").index == index
        assert check_bundle(with_table(BUNDLE, lambda value: value["functions"][0].append("x")), "x").index == index

    def test_reading_needs_nothing_but_the_standard_library(self) -> None:
        code = (
            "import sys; from opwright.bundle.read import read_bundle_file;"
            f"bundle = read_bundle_file(__import__('pathlib').Path({str(GOLDEN)!r}));"
            "print(len(bundle.index.functions[0].bodies), len(bundle.bodies));"
            "print(sorted({'onnx', 'numpy', 'pydantic', 'yaml', 'jinja2', 'google'} & set(sys.modules)))"
        )
        library = Path(read.__file__).parents[2]
        environment = {**os.environ, "PYTHONPATH": str(library)}
        done = subprocess.run(
            [sys.executable, "-S", "-c", code], capture_output=True, text=True, env=environment, timeout=60
        )
        assert done.stdout.split("\n") == ["4 19", "[]", ""], done.stderr

    def test_zipfile_agrees(self, tmp_path: Path) -> None:
        path = tmp_path / "x.onnxlib"
        path.write_bytes(BUNDLE)
        with zipfile.ZipFile(path) as file:
            bundle = read_bundle_file(path)
            assert file.testzip() is None
            assert file.read(f"bodies/{TOP.removeprefix('body1:')}.pb") == bundle.bodies[TOP]


class TestGolden:
    """Format 2. The file must never be written again: a reader that does not understand it breaks what is released."""

    DIGEST = "aa19fc67de68ee95023648eb507c3062722d260584d84689dbfd24ecc5fd5c52"

    def test_it_is_the_file_that_was_written(self) -> None:
        check_golden_library(read_bundle_file(GOLDEN, self.DIGEST))
        check_golden_library(check_bundle(GOLDEN.read_bytes(), "golden"))

    def test_it_is_attached(self) -> None:
        check_attached(read_bundle_file(GOLDEN))

    def test_the_writer_still_writes_it(self) -> None:
        bundle = read_bundle_file(GOLDEN)
        assert write_bundle(bundle.index, bundle.bodies, templates=bundle.templates) == GOLDEN.read_bytes()

    def test_both_formats_hold_the_same_library(self) -> None:
        old, new = read_bundle_file(GOLDEN.with_name("library-format1.onnxlib")), read_bundle_file(GOLDEN)
        assert (old.index, old.bodies, old.templates) == (new.index, new.bodies, new.templates)
        merged = merge_libraries([old, new])
        assert list(merged.functions) == IDENTITIES
        assert len(merged.bodies) == len(old.bodies)


class TestGoldenDependency:
    """Format 2, with functions of another library beside its own, and with shapes. It must never be written again."""

    FILE = GOLDEN.with_name("dependent-format2.onnxlib")
    DIGEST = "46618dd1a17bcd9800b726ac136a0aea7dcb8adc03c3b6482d2ebc724a2b919b"

    def test_it_is_the_file_that_was_written(self) -> None:
        for bundle in (read_bundle_file(self.FILE, self.DIGEST), check_bundle(self.FILE.read_bytes(), "golden")):
            index = bundle.index
            assert [entry.identity for entry in index.functions] == ["com.acme.tools::Quad@1", "com.acme.tools::Rows@1"]
            rows = index.functions[1]
            assert [item.declared_shape for item in (*rows.inputs, *rows.outputs)] == [("N", 3), ("N",), ("N",)]
            (carried,) = index.dependencies
            assert (carried.library, carried.version, carried.package) == ("golden-ops", "1.0.0", "golden_ops")
            assert carried.sha256 == TestGolden.DIGEST
            assert [entry.identity for entry in carried.functions] == ["com.acme::Gate@2", "com.acme::Twice@1"]
            assert carried.versions == (("com.acme::Gate", (1, 2)), ("com.acme::Twice", (1,)))
            assert {call.name for body in index.functions[0].bodies for call in body.calls} == {"Twice"}
            called = {body.body for entry in carried.functions for body in entry.bodies}
            assert {call.body for body in index.functions[0].bodies for call in body.calls} <= called

    def test_it_is_attached(self) -> None:
        bundle = read_bundle_file(self.FILE)
        text = """
            <ir_version: 8, opset_import: ["": 19, "com.acme.tools": 1]>
            agraph (float[2, 3] x, float[2] w) => (float[2] y) {
                z = com.acme.tools.Rows(x, w)
                y = com.acme.tools.Quad(z)
            }
        """
        model = attach(onnx.parser.parse_model(text), bundle)
        x, w = np.array([[1, 2, 3], [0, -1, 0]], np.float32), np.array([1, 2], np.float32)
        (found,) = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": x, "w": w})

        def gate(values: Any, alpha: float) -> Any:
            return values / (1 + np.exp(-alpha * values))

        def twice(values: Any) -> Any:
            return gate(values, 1.0) + gate(values, 2.0)

        rows = x.sum(axis=1)
        assert np.allclose(found, twice(twice(rows / (1 + np.exp(-rows)) * w)), rtol=1e-5)
        with pytest.raises(DiagnosticError, match="OW143"):
            attach(onnx.parser.parse_model(text.replace("float[2, 3] x", "float[2, 4] x")), bundle)

    def test_the_writer_still_writes_it(self) -> None:
        bundle = read_bundle_file(self.FILE)
        assert write_bundle(bundle.index, bundle.bodies, templates=bundle.templates) == self.FILE.read_bytes()


class TestOnlyWhatIsAskedFor:
    """What a reader looks at."""

    @pytest.mark.parametrize("count", [1, 200, 5_000])
    def test_one_function_of_many(self, count: int) -> None:
        data = write_bundle(large(count), {})
        source = Watched(data)
        bundle = read._read(source, read.Refusals.of("x"))
        entry = bundle.index.table.find("com.acme", "F0", 1)
        assert entry is not None
        assert entry.name == "F0"
        assert source.read_bytes < 45_000
        assert len(bundle.index.functions) == count
        assert bundle.index.table.versions("com.acme", "F") == ()

    def test_a_lookup_of_a_name_reads_no_entry(self) -> None:
        for name in in_folder(BUNDLE, "functions/"):
            data = with_members(BUNDLE, lambda members, name=name: members.update({name: b"x" * len(members[name])}))
            table = read_bundle(data, "x").index.table
            assert list(table.identities()) == ["com.acme::Leaf@1", "com.acme::Many@2", "com.acme::Top@3"]
            assert table.has_identity("com.acme::Many@2")
            assert not table.has_identity("com.acme::Many@1")

    def test_each_is_read_once(self) -> None:
        source = Watched(BUNDLE)
        bundle = read._read(source, read.Refusals.of("x"))
        first = bundle.index.table.find("com.acme", "Top", 3), bundle.bodies[TOP]
        before = source.read_bytes
        assert first == (bundle.index.table.find("com.acme", "Top", 3), bundle.bodies[TOP])
        assert source.read_bytes == before

    def test_a_file_that_is_replaced_is_read_as_it_was(self, tmp_path: Path) -> None:
        path = tmp_path / "a.onnxlib"
        path.write_bytes(BUNDLE)
        bundle = read_bundle_file(path)
        other = tmp_path / "b"
        other.write_bytes(b"another")
        other.replace(path)
        assert bundle.index == sample_index()
        assert bundle.bodies == BODIES

    def test_its_file_is_closed_with_it(self, tmp_path: Path) -> None:
        path = tmp_path / "a.onnxlib"
        path.write_bytes(BUNDLE)
        folder = Path("/proc/self/fd")
        if not folder.is_dir():
            pytest.skip("the system does not list open files")
        bundle = read_bundle_file(path)
        opened = [link for link in folder.iterdir() if os.path.realpath(link) == str(path.resolve())]
        assert len(opened) == 1
        del bundle
        gc.collect()
        assert not opened[0].exists() or os.path.realpath(opened[0]) != str(path.resolve())

    def test_tables_stay_small(self) -> None:
        for count in (0, 1, 256, 257, 4096, 4097, 65_000):
            tables = table_count(count)
            assert count <= tables * 256
            assert tables == 1 or count > tables * 16
        names = [table_of("com.acme", f"F{number}", 256) for number in range(10_000)]
        assert max(map(names.count, set(names))) < 80


def opens(data: bytes) -> dict[str, Callable[[], object]]:
    """A way to open each member of the sample, by its path: what needs it, and no other that may be damaged."""
    members = unpack(BUNDLE)
    found: dict[str, Callable[[], object]] = {}
    bundle = read_bundle(data, NAME)
    for path, content in members.items():
        if path.startswith("functions/"):
            value = json.loads(content)
            key = (value["domain"], value["name"], value["since_version"])
            found[path] = lambda key=key: bundle.index.table.find(*key)
            for member, _, _ in value["members"]:
                digest = f"body1:{member.removeprefix('bodies/').removesuffix('.pb')}"
                found[member] = lambda key=key, digest=digest: (bundle.index.table.find(*key), bundle.bodies[digest])
        if path.startswith("directory/"):
            found[path] = lambda: bundle.index.table.names()
    found["source/x.json"] = lambda: bundle.others["source/x.json"]
    return found


TREE = sorted(set(unpack(BUNDLE)) - {"mimetype", "library.json"})
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "another byte": lambda content: content[:-1] + bytes([content[-1] ^ 1]),
    "cut": lambda content: content[:-1],
    "more": lambda content: content + b"\n",
    "nothing": lambda content: b"",
}


class TestTampering:
    """Archives that are whole as archives, with other contents than the index says."""

    @pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
    @pytest.mark.parametrize("path", TREE)
    def test_each_member(self, path: str, damage: Callable[[bytes], bytes]) -> None:
        data = with_members(BUNDLE, lambda members: members.update({path: damage(members[path])}))
        ways = opens(data)
        found = finding(ways.pop(path))
        assert found.code == "OW514"
        assert path in found.message
        assert finding(lambda: check_bundle(data, NAME)).code == "OW514"
        if path.startswith(("bodies/", "source/")):
            for other in ways.values():  # what is not damaged is still of use
                assert other() is not None

    def test_swapped_members(self) -> None:
        for folder in ("bodies/", "functions/"):
            first, second, *_ = in_folder(BUNDLE, folder)

            def swap(members: Members, first: str = first, second: str = second) -> None:
                members[first], members[second] = members[second], members[first]

            data = with_members(BUNDLE, swap)
            for path in (first, second):
                assert finding(opens(data)[path]).code == "OW514"

    @pytest.mark.parametrize("path", TREE)
    def test_a_member_that_is_gone(self, path: str) -> None:
        data = with_members(BUNDLE, lambda members: members.pop(path))
        assert finding(lambda: read_bundle(data, NAME)).code in ("OW512", "OW513")

    @pytest.mark.parametrize("path", [name for name in TREE if not name.startswith("source/")])
    def test_a_member_in_the_place_of_another(self, path: str) -> None:
        other = f"bodies/{'0' * 64}.pb"
        data = with_members(BUNDLE, lambda members: members.update({other: members.pop(path)}))
        assert finding(opens(data)[path]).code == "OW513"
        assert finding(lambda: check_bundle(data, NAME)).code == "OW513"

    def test_forged_sizes(self) -> None:
        """In the directory of the archive, and in the header before the member."""
        [path] = in_folder(BUNDLE, "directory/")
        size = len(unpack(BUNDLE)[path]).to_bytes(4, "little")
        name = path.encode("ascii")
        header, entry = BUNDLE.index(name) - 30, BUNDLE.rindex(name) - 46
        for forged in (0, 1, 0xFFFF_FFFF, len(BUNDLE)):
            for places in ([header + 22], [entry + 24], [header + 18, header + 22, entry + 20, entry + 24]):
                data = bytearray(BUNDLE)
                for place in places:
                    assert data[place : place + 4] == size
                    data[place : place + 4] = forged.to_bytes(4, "little")
                assert finding(opens(bytes(data))[path]).code in ("OW512", "OW514")

    def test_a_size_that_is_listed_larger_than_any_index(self) -> None:
        def far(value: dict[str, object]) -> None:
            value["tables"] = [[(1 << 28) + 1, "0" * 64]]

        found = finding(read_bundle(with_library(BUNDLE, far), NAME).index.table.names)
        assert found.code == "OW516"
        assert "268,435,456 are read at most" in found.reason

    def test_nothing_large_is_read_for_a_small_member(self) -> None:
        path, *_ = in_folder(BUNDLE, "bodies/")
        data = with_members(BUNDLE, lambda members: members.update({path: b"\0" * 50_000_000}))
        ways = opens(data)
        tracemalloc.start()
        assert finding(ways[path]).code == "OW514"
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
        tracemalloc.stop()


def refused(data: bytes) -> Diagnostic:
    return finding(lambda: check_bundle(data, NAME))


class TestRefusals:
    @pytest.mark.parametrize(
        ("data", "code", "words"),
        [
            (b"", "OW511", "not an archive"),
            (b"#!/bin/sh\n", "OW511", "not an archive"),
            (with_members(BUNDLE, lambda m: m.update(mimetype=b"text/plain")), "OW511", "does not say"),
            (with_members(BUNDLE, lambda m: m.pop("mimetype")), "OW511", "does not say"),
            (with_members(BUNDLE, lambda m: m.pop("library.json")), "OW513", "has no library.json"),
            (with_members(BUNDLE, lambda m: m.update(zzz=b"")), "OW513", "members, and its index lists"),
            (
                with_members(BUNDLE, lambda m: m.update({f"bodies/{'0' * 64}.pb": b""})),
                "OW513",
                "has 11 members, and its index lists 10",
            ),
            (with_members(BUNDLE, lambda m: m.update({"library.json": b"["})), "OW516", "not JSON"),
            (with_library(BUNDLE, lambda v: v.update(reader=3)), "OW515", "version 3 on"),
            (with_library(BUNDLE, lambda v: v.update(reader="2")), "OW516", "reader is not an integer"),
            (with_library(BUNDLE, lambda v: v.pop("tables")), "OW516", "tables is missing"),
            (with_library(BUNDLE, lambda v: v.update(tables=[])), "OW516", "tables has not the length"),
            (with_library(BUNDLE, lambda v: v.update(tables=[[1, "0"]])), "OW516", "not a sha256"),
            (with_library(BUNDLE, lambda v: v.update(functions=2)), "OW516", "list 3 functions, not 2"),
            (with_library(BUNDLE, lambda v: v.update(members=1 << 40)), "OW513", "its index lists 1099511627779"),
            (with_table(BUNDLE, lambda v: v["functions"].append(v["functions"][0])), "OW516", "com.acme::Leaf@1 again"),
            (with_table(BUNDLE, lambda v: v["functions"][0].pop()), "OW516", "not a list of 5"),
            (with_table(BUNDLE, lambda v: v["functions"].pop()), "OW516", "list 2 functions, not 3"),
            (
                with_table(BUNDLE, lambda v: v["functions"][0].__setitem__(1, "Loaf")),
                "OW516",
                "it is com.acme::Leaf@1, not",
            ),
            (
                with_function(BUNDLE, "Leaf", lambda v: v.update(since_version=7)),
                "OW516",
                "it is com.acme::Leaf@7, not",
            ),
            (with_function(BUNDLE, "Leaf", lambda v: v.pop("bodies")), "OW516", "bodies is missing"),
            (with_function(BUNDLE, "Leaf", lambda v: v["members"].pop()), "OW516", "which is no member"),
            (
                with_function(BUNDLE, "Leaf", lambda v: v["members"].append(["x", 0, "0" * 64])),
                "OW516",
                "does not need",
            ),
            (
                with_function(BUNDLE, "Leaf", lambda v: v["bodies"][0].update(body="body1:" + "0" * 64)),
                "OW516",
                "no member",
            ),
            (BUNDLE + b"\n", "OW512", "before or behind"),
            (b"\n" + BUNDLE, "OW512", "before or behind"),
            (BUNDLE.replace(b"\x22\x04Size", b"\x22\x04size"), "OW514", "checksum"),
        ],
    )
    def test_what_is_no_bundle(self, data: bytes, code: str, words: str) -> None:
        found = refused(data)
        assert found.code == code
        assert words in f"{found.message} {found.reason}"
        assert found.place is not None
        assert found.place.file == NAME

    def test_a_newer_reader_is_named_before_anything_else_is_looked_at(self) -> None:
        data = with_library(BUNDLE, lambda value: (value.clear(), value.update(reader=7, layout="unknown")))
        assert finding(lambda: read_bundle(data, NAME)).code == "OW515"

    def test_a_member_twice(self) -> None:
        members = unpack(BUNDLE)
        path, other, *_ = in_folder(BUNDLE, "bodies/")
        doubled = [(path if name == other else name, members[path if name == other else name]) for name in members]
        assert finding(opens(pack(doubled))[path]).code == "OW513"
        assert refused(pack(doubled)).code == "OW513"

    def test_another_size_of_a_shared_body(self) -> None:
        """Two functions that name one body, and do not agree on it."""

        def forge(value: dict[str, list[object]]) -> None:
            bodies = leaf["bodies"]
            value["bodies"] = [bodies[0] | {"inputs": [], "attributes": [], "outputs": []}]
            value["members"] = [[f"bodies/{bodies[0]['body'].removeprefix('body1:')}.pb", 0, "0" * 64]]

        members = [unpack(BUNDLE)[name] for name in in_folder(BUNDLE, "functions/")]
        [leaf] = [value for value in map(json.loads, members) if value["name"] == "Leaf"]
        assert "with another size or digest" in refused(with_function(BUNDLE, "Many", forge)).reason

    @pytest.mark.parametrize(
        ("where", "name"),
        [("inputs", "missing"), ("attributes", "missing"), ("outputs", "missing"), ("inputs", "x_-1")],
    )
    def test_a_body_with_a_parameter_that_the_function_has_not(self, where: str, name: str) -> None:
        def forge(value: dict[str, Any]) -> None:
            value["bodies"][0][where] = [name]

        found = refused(with_function(BUNDLE, "Leaf", forge))
        assert found.code == "OW516"
        assert f"has an {where[:-1]} that the function has not" in found.reason

    def test_two_parameters_of_one_name(self) -> None:
        def forge(value: dict[str, Any]) -> None:
            value["inputs"] = value["inputs"] * 2

        assert "have one name" in refused(with_function(BUNDLE, "Leaf", forge)).reason

    def test_what_other_tools_pack(self, tmp_path: Path) -> None:
        path = tmp_path / "x.onnxlib"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for name, content in unpack(BUNDLE).items():
                file.writestr(name, content)
        assert finding(lambda: read_bundle_file(path)).code == "OW512"

    def test_too_large(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        path = tmp_path / "big.onnxlib"
        with path.open("wb") as file:
            file.truncate((1 << 30) + 1)  # sparse: takes no room on the disk
        tracemalloc.start()
        found = finding(lambda: read_bundle_file(path))
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
        tracemalloc.stop()
        assert found.code == "OW510"
        assert "1,073,741,825 bytes" in found.reason
        monkeypatch.setattr(read, "MOST_INDEX_BYTES", 100)
        assert "100 are read at most" in refused(BUNDLE).reason

    @pytest.mark.parametrize(
        "name", ["absent.onnxlib", "folder.onnxlib", "pipe.onnxlib", "a\0b.onnxlib", "folder.onnxlib/x"]
    )
    def test_what_cannot_be_read(self, name: str, tmp_path: Path) -> None:
        (tmp_path / "folder.onnxlib").mkdir()
        os.mkfifo(tmp_path / "pipe.onnxlib")
        assert finding(lambda: find_bundle(str(tmp_path / name))).code == "OW510"


def outcome(data: bytes) -> Bundle | Diagnostic:
    """What reading all of it gives; any other exception fails the test that calls this."""
    try:
        return check_bundle(data, "x.onnxlib")
    except DiagnosticError as error:
        [found] = error.diagnostics
        return found


def opened_one_by_one(data: bytes) -> Iterable[object]:
    """Everything that can be opened of some bytes, in any order of damage, without a check of the whole."""
    try:
        bundle = read_bundle(data, "x.onnxlib")
        names = list(bundle.index.table.identities())
    except DiagnosticError:
        return
    for name in names:
        try:
            entry = bundle.index.table.find_identity(name)
            assert entry is not None
            yield entry
            for body in entry.bodies:
                yield bundle.bodies[body.body]
        except DiagnosticError:
            continue


class TestAnyBytes:
    @pytest.mark.parametrize("part", one_in(8, range(8)))
    def test_every_single_byte_counts(self, part: int) -> None:
        expected = {*BODIES.values(), *map(repr, sample_index().functions)}
        for position in range(part, len(BUNDLE), 8):
            changed = bytearray(BUNDLE)
            changed[position] ^= 1 << position % 8
            assert isinstance(outcome(bytes(changed)), Diagnostic), position
            for item in opened_one_by_one(bytes(changed)):  # what is given is never anything else
                assert (item if isinstance(item, bytes) else repr(item)) in expected, position

    def test_every_cut_is_noticed(self) -> None:
        for size in range(len(BUNDLE)):
            with pytest.raises(DiagnosticError):
                read_bundle(BUNDLE[:size], "x.onnxlib")

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
        for _ in range(400):
            for made in (
                lambda: with_library(BUNDLE, lambda value: mutate(value, randomness)),
                lambda: with_function(BUNDLE, randomness.choice(NAMES), lambda value: mutate(value, randomness)),
                lambda: with_table(BUNDLE, lambda value: mutate(value, randomness)),
            ):
                try:
                    data = made()
                except (ValueError, KeyError):  # not a number that JSON has; not a text that can be encoded
                    continue
                with ends(data):
                    outcome(data)
