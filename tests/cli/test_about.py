"""What a library says of itself is in the wheel that `opwright build` writes, and nowhere is it taken as it stands."""

from __future__ import annotations

import email
import json
import os
import zipfile
from collections.abc import Callable
from email.message import Message
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from opwright_build.report.schemas import output_schemas

Opwright = Callable[..., Any]
LIBRARY = Path("specs/library.yaml")
TOLD = """\
authors: [Ada Lovelace <ada@example.org>]
urls: {Repository: "https://example.org/base"}
readme: README.md
license_files: [LICENSE]
"""


def say(text: str) -> None:
    LIBRARY.write_text(LIBRARY.read_text() + text)


def metadata_of(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as file:
        (name,) = [item for item in file.namelist() if item.endswith("METADATA")]
        return email.message_from_bytes(file.read(name))


def test_the_wheel_says_what_the_library_says(library: Path, opwright: Opwright) -> None:
    Path("README.md").write_bytes("# Base\r\n\r\né\r\n".encode())
    Path("LICENSE").write_text("All of it.\n")
    assert opwright("build").status == 0
    (before,) = Path("dist").glob("*.onnxlib")
    bundle = before.read_bytes()
    say(TOLD)
    assert opwright("build").status == 0
    (wheel,) = Path("dist").glob("*.whl")
    told = metadata_of(wheel)
    assert told["Author-email"] == "Ada Lovelace <ada@example.org>"
    assert told["Project-URL"] == "Repository, https://example.org/base"
    assert told["License-File"] == "LICENSE"
    assert told.get_payload(decode=True) == "# Base\n\né\n".encode()
    assert before.read_bytes() == bundle, "the bundle is what it was"


def test_a_change_of_the_readme_makes_the_wheel_again_and_compiles_nothing(library: Path, opwright: Opwright) -> None:
    Path("README.md").write_text("one")
    say("readme: README.md\n")
    assert opwright("build").status == 0
    assert opwright("build", "--json").summary["actions_run"] == 0
    Path("README.md").write_text("two")
    ran = opwright("build", "--json")
    kinds = {line["kind"] for line in ran.lines if line["event"] == "action" and not line["cached"]}
    assert kinds == {"library", "package"}
    (wheel,) = Path("dist").glob("*.whl")
    assert metadata_of(wheel).get_payload() == "two"


@pytest.mark.parametrize(
    "text",
    [
        'authors: ["Mallory\\nName: other"]',
        "authors: [Ada <ada@example.org>, b@c]",
        'authors: ["A <a@b.c>\\rX: y"]',
        'authors: ["\\u202eAda"]',
        "urls: {Repository: example.org}",
        "urls: {Repository: 'javascript:alert(1)'}",
        'urls: {Repository: "https://a\\nName: b"}',
        'urls: {"A, B": "https://a"}',
        "readme: ../README.md",
        "readme: /etc/passwd",
        "readme: .opwright/lock",
        "readme: no/such.md",
        "license_files: [a//b]",
        "license_files: [specs]",
        "authers: [Ada]",
    ],
)
def test_what_makes_no_sense_is_refused_at_its_place(library: Path, opwright: Opwright, text: str) -> None:
    line = len(LIBRARY.read_text().splitlines()) + 1
    say(f"{text}\n")
    ran = opwright("build")
    assert ran.status == 1
    assert f"specs/library.yaml:{line}:" in ran.out
    assert not list(Path("dist").glob("*.whl"))


@pytest.mark.parametrize("data", [b"\xff\xfe", b"bell \x07", b"x" * ((1 << 20) + 1)])
def test_a_text_is_looked_at_before_it_is_used(library: Path, opwright: Opwright, data: bytes) -> None:
    Path("README.md").write_bytes(data)
    say("readme: README.md\n")
    ran = opwright("build")
    assert ran.status == 1
    assert "OW115: README.md cannot be put into the wheel of base: " in ran.out


def test_a_text_is_no_link_out_of_the_library(library: Path, opwright: Opwright, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    os.symlink(tmp_path / "secret", "README.md")
    say("readme: README.md\n")
    assert opwright("build").status in (1, 2)
    assert not list(Path("dist").glob("*.whl"))


def test_packages_share_what_stands_above_them(library: Path, opwright: Opwright) -> None:
    Path("README.md").write_text("all")
    LIBRARY.write_text(
        "schema: 1\nversion: 1.0.0\nopsets: '>=18,<=22'\nreadme: README.md\nauthors: [Ada]\n"
        "packages:\n  - {library: base, package: base, domains: [com.acme], authors: [Bob]}\n"
    )
    assert opwright("build").status == 0
    (wheel,) = Path("dist").glob("*.whl")
    told = metadata_of(wheel)
    assert (told["Author"], told.get_payload()) == ("Bob", "all")


def test_what_doctor_prints_keeps_to_its_schema(library: Path, opwright: Opwright) -> None:
    validator = jsonschema.Draft202012Validator(output_schemas()["doctor"])
    lines = [json.loads(line) for line in opwright("doctor", "--json").out.splitlines()]
    assert lines
    for line in lines:
        validator.validate(line)
    assert not validator.is_valid({**lines[0], "state": "bad"})


def test_a_wheel_that_is_made_of_the_last_one_says_the_same(library: Path, opwright: Opwright) -> None:
    Path("README.md").write_text("one")
    Path("LICENSE").write_text("all\n")
    say(TOLD)
    assert opwright("build").status == 0
    source = Path("specs/com.acme/Swish/function.py")
    source.write_text(source.read_text().replace("return X * op.Sigmoid", "return op.Identity(X) * op.Sigmoid"))
    assert opwright("build").status == 0
    (wheel,) = Path("dist").glob("*.whl")
    edited = wheel.read_bytes()
    assert metadata_of(wheel).get_payload() == "one"
    assert opwright("build", "--rerun").status == 0
    assert wheel.read_bytes() == edited
