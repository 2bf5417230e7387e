from pathlib import Path

import pytest
from opwright_build.engine.content_digest import canonical_json, digest_bytes
from opwright_build.engine.machine import machine_identity
from opwright_build.engine.seal import Seal, Unsealed
from opwright_build.engine.state_file import StateFile

from tests.sealed import OTHERS, SEAL

BODIES = [b"", b"\n", b"text", b"two\nlines\n", bytes(range(256))]


@pytest.mark.parametrize("body", BODIES)
def test_what_is_closed_is_opened_by_its_maker_alone(body: bytes) -> None:
    closed = SEAL.close("purpose", body)
    assert SEAL.open("purpose", closed) == body
    assert OTHERS.open("purpose", closed) is Unsealed.FOREIGN
    assert SEAL.bound_to("here").open("purpose", closed) is Unsealed.FOREIGN
    assert SEAL.open("another", closed) is Unsealed.FOREIGN


@pytest.mark.parametrize("body", BODIES)
def test_what_others_make_to_agree_with_itself_is_foreign(body: bytes) -> None:
    digest = digest_bytes(body).encode()
    for line in (digest, digest + b" ", digest + b" " + digest, SEAL.close("purpose", body)[:128]):
        assert SEAL.open("purpose", line + b"\n" + body) is Unsealed.FOREIGN


def test_no_changed_byte_is_believed() -> None:
    closed = SEAL.close("purpose", b"text")
    for index in range(len(closed)):
        changed = closed[:index] + bytes([closed[index] ^ 1]) + closed[index + 1 :]
        assert isinstance(SEAL.open("purpose", changed), Unsealed), index
    assert SEAL.open("purpose", closed[:-1]) is Unsealed.DAMAGED
    assert SEAL.open("purpose", b"") is Unsealed.DAMAGED


def test_a_purpose_and_a_digest_cannot_be_cut_otherwise() -> None:
    digest = digest_bytes(b"text")
    assert SEAL.close("a", b"text") != SEAL.close(f"a\0{digest}", b"text")
    assert SEAL.name("text") != SEAL.close("name", b"text")[65:129].decode()


def test_a_short_secret_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 32 bytes"):
        Seal(b"x" * 31)


def test_the_machine_keeps_its_identity() -> None:
    assert machine_identity() == machine_identity() != ""


def test_a_state_file_comes_back_to_its_maker_alone(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "hints.json"
    file = StateFile(path, SEAL)
    assert (file.exists(), file.load()) == (False, {})
    file.save({"a": [1]})
    assert (file.exists(), file.load()) == (True, {"a": [1], "format": 1})
    assert StateFile(path, OTHERS).load() == {}
    assert StateFile(path, None).load() == {}
    other = path.with_name("outputs.json")
    other.write_bytes(path.read_bytes())
    assert StateFile(other, SEAL).load() == {}


@pytest.mark.parametrize("body", [b"[]", b"3", b"{", b'{"format":99,"a":1}', b"[" * 99_999, b"\xff"])
def test_a_state_file_of_another_form_is_none(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "hints.json"
    path.write_bytes(SEAL.close("hints.json", body))
    assert StateFile(path, SEAL).load() == {}


def test_without_a_seal_nothing_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "hints.json"
    StateFile(path, None).save({"a": 1})
    assert not path.exists()
    path.write_bytes(canonical_json({"format": 1, "a": 1}))
    assert (StateFile(path, None).exists(), StateFile(path, None).load()) == (False, {})
