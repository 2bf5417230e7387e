"""Reads as a record has them are those that were read, however few of them are taken apart."""

import json

import pytest
from opwright_build.engine import action
from opwright_build.engine.action import (
    Done,
    Failed,
    PackedReads,
    Read,
    Record,
    Unsupported,
    decode_record,
    encode_record,
    pack_reads,
)
from opwright_build.engine.content_digest import digest_bytes

ODD = 'file:a],["b",null],["reads":[]'
READS = (Read("file:x", "aa"), Read(ODD, None), Read('list:"\\', "bb"), Read("file:é\udc80", "cc"))


@pytest.fixture(autouse=True)
def _all_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(action, "MANY_READS", 0)


@pytest.mark.parametrize("outcome", [Done({"reads": digest_bytes(b"")}), Failed(()), Unsupported('","reads":[]')])
@pytest.mark.parametrize("reads", [(), READS[:1], READS])
def test_a_record_comes_back_equal(outcome: Done | Failed | Unsupported, reads: tuple[Read, ...]) -> None:
    record = Record(outcome, reads)
    found = decode_record(encode_record(record))
    assert found is not None and found == record
    assert found.trace == record.trace and list(found.reads) == list(reads)
    assert encode_record(found) == encode_record(record)


def test_bytes_of_another_form_never_hold() -> None:
    for data in (b"", b"[3]", b'[["x"]]', b'[["x",3]]', b'{"a":[]}', b"[" * 100_000):
        assert tuple(PackedReads(data)) == (Read("", ""),)


def test_a_read_is_found_by_its_name_and_digest() -> None:
    packed = pack_reads(READS)
    assert all(packed.may_have(read) for read in READS)
    assert packed.may_have(Read("file:of none", "aa"))
    assert not any(packed.may_have(Read(name, "zz")) for name, _ in READS)


def test_digests_are_replaced_in_their_places() -> None:
    digests = {ODD: "11", "file:x": None, "file:é\udc80": "22"}
    expected = [Read(name, digests.get(name, digest)) for name, digest in READS]
    assert list(pack_reads(READS).with_digests(digests)) == expected
    assert pack_reads(READS).with_digests({}) == pack_reads(READS)
    with pytest.raises(ValueError, match="not found"):
        pack_reads(READS).with_digests({"file:of none": "11"})


def test_what_others_have_not_is_told() -> None:
    others = pack_reads([*READS[:1], Read("file:y", None)])
    assert set(pack_reads(READS).without(others)) >= set(READS[1:])
    plain = [Read("file:x", "aa"), Read("file:z", "dd")]
    assert list(pack_reads(plain).without(others)) == plain[1:]
    assert not list(pack_reads(READS).without(pack_reads(READS)))
    assert not list(pack_reads(()).without(others)) and list(pack_reads(plain).without(pack_reads(()))) == plain


def test_they_are_json_of_the_reads() -> None:
    assert json.loads(pack_reads(READS).data) == [list(read) for read in READS]
    assert pack_reads(pack_reads(READS)) == READS and hash(pack_reads(READS)) == hash(READS)
