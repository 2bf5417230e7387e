"""A bundle with other functions is the one that is made anew, byte for byte."""

from __future__ import annotations

import random

import pytest
from opwright.bundle.archive import pack, repack, unpack
from opwright.bundle.format import Bundle, DomainEntry, FunctionEntry, Index
from opwright.bundle.member_names import body_member
from opwright.bundle.read import read_bundle
from opwright.bundle.write import FunctionMember, assemble, ref_of, replace_functions, write_function

INDEX = Index("acme", "1.0.0", "acme", "", "", (17, 21), "1.20.0", (DomainEntry("com.acme", 1, "com.acme"),), ())


def member(number: int, body: str) -> FunctionMember:
    entry = FunctionEntry("com.acme", f"F{number}", 1, body, "", False, (), (), (), (), ())
    return write_function(entry, {})


def bodies(chosen: dict[int, str]) -> dict[str, bytes]:
    return {body_member(f"body1:{ref_of(text.encode()).sha256}"): text.encode() for text in chosen.values()}


@pytest.mark.parametrize("count", [1, 7, 600])
def test_functions_are_replaced(count: int) -> None:
    dice = random.Random(count)
    chosen = {number: str(dice.randrange(count)) for number in range(count)}
    before = assemble(INDEX, [member(number, text) for number, text in chosen.items()], bodies(chosen).items(), {})
    edited = dict(chosen)
    for _ in range(4):
        edited[dice.randrange(count)] = f"{dice.randrange(count)} {dice.randrange(2)}"
    after = assemble(INDEX, [member(number, text) for number, text in edited.items()], bodies(edited).items(), {})
    replaced = [member(number, text) for number, text in edited.items() if text != chosen[number]]
    gone, come = bodies(chosen).keys() - bodies(edited).keys(), bodies(edited).keys() - bodies(chosen).keys()
    made = replace_functions(before, replaced, gone, {path: bodies(edited)[path] for path in come})
    assert made == after
    assert isinstance(read_bundle(made, "acme"), Bundle)


def test_what_is_not_there_is_refused() -> None:
    bundle = assemble(INDEX, [member(0, "a")], bodies({0: "a"}).items(), {})
    with pytest.raises(ValueError, match="not in the bundle"):
        replace_functions(bundle, [member(1, "b")], (), {})
    with pytest.raises(ValueError, match="not there"):
        replace_functions(bundle, [], bodies({0: "b"}), {})
    with pytest.raises(ValueError, match="there already"):
        replace_functions(bundle, [], (), bodies({0: "a"}))


def test_any_members_are_packed_again() -> None:
    dice = random.Random(5)
    names = [f"m/{number:04}" for number in range(200)]
    for _ in range(30):
        old = {name: dice.randbytes(dice.randrange(40)) for name in sorted(dice.sample(names, dice.randrange(1, 60)))}
        gone = dice.sample(sorted(old), dice.randrange(len(old)))
        come = {name: dice.randbytes(9) for name in dice.sample(sorted(set(names) - set(old)), dice.randrange(20))}
        packed = pack([("head", b"old"), *old.items()])
        kept = {name: data for name, data in old.items() if name not in gone}
        expected = pack([("head", b"newer"), *sorted((kept | come).items())])
        assert repack(packed, [("head", b"newer")], gone, come) == expected
        assert list(unpack(expected)) == ["head", *sorted(kept | come)]
