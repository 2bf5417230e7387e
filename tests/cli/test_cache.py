"""`opwright cache`: what it tells and removes, beside builds that are at work."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from opwright_build.workflow.cache import parse_age, parse_size, size_text

from tests.output_lines import validate
from tests.sealed import record_files

Opwright = Callable[..., Any]
CACHE = Path(".opwright/cache")
SWISH = Path("specs/com.acme/Swish/function.py")
BUNDLE = Path("dist/base-1.0.0.onnxlib")


def asked(opwright: Opwright, *words: str, status: int = 0) -> dict[str, Any]:
    """The summary of `opwright cache ... --json`, whose lines are what the schema says."""
    ran = opwright("cache", *words, "--json")
    assert ran.status == status, ran.out + ran.err
    for line in ran.lines:
        validate(line, "cache")
    summary: dict[str, Any] = ran.summary
    return summary


def make_old(days: float) -> None:
    when = time.time() - days * 86_400
    for path in record_files(CACHE):
        os.utime(path, (when, when))


def test_stats(library: Path, opwright: Opwright) -> None:
    assert asked(opwright, "stats")["kinds"]["result"] == {"files": 0, "bytes": 0, "youngest": None, "oldest": None}
    assert opwright("build").status == 0
    told = asked(opwright, "stats")["kinds"]["result"]
    assert told["files"] == len(record_files(CACHE)) > 2
    assert told["bytes"] == sum(path.stat().st_size for path in record_files(CACHE))
    make_old(2)
    text = opwright("cache", "stats").out
    assert "results" in text and "2 d" in text
    elsewhere = asked(opwright, "stats", "--cache", str(library / "nowhere"))
    assert elsewhere["kinds"]["result"]["files"] == 0


def test_verify(library: Path, opwright: Opwright) -> None:
    assert opwright("build").status == 0
    count = len(record_files(CACHE))
    assert asked(opwright, "verify")["conditions"]["good"] == count
    first, second, *_ = record_files(CACHE)
    first.write_bytes(first.read_bytes()[:-1])
    second.write_bytes(b"")
    assert asked(opwright, "verify", status=1)["conditions"] == {
        "good": count - 2,
        "damaged": 2,
        "incomplete": 0,
        "foreign": 0,
        "unreadable": 0,
    }
    assert asked(opwright, "verify", "--remove")["removed"]["files"] == 2
    assert not first.exists() and not second.exists()
    assert asked(opwright, "verify")["conditions"]["good"] == count - 2


def test_gc_by_age_keeps_what_the_last_build_took(library: Path, opwright: Opwright) -> None:
    text = SWISH.read_text()
    assert opwright("build").status == 0
    before = set(record_files(CACHE))
    SWISH.write_text(text.replace("def Swish", "# changed\ndef Swish"))
    assert opwright("build").status == 0
    make_old(40)
    stale = {path.as_posix().removeprefix(f"{CACHE}/") for path in before}
    dry = opwright("cache", "gc", "--dry-run", "--json")
    going = {line["path"] for line in dry.lines if line["event"] == "removed"}
    assert going and going <= stale
    assert asked(opwright, "gc", "--max-age", "41d")["removed"]["files"] == 0
    assert asked(opwright, "gc")["removed"]["files"] == len(going)
    assert not any((CACHE / name).exists() for name in going)
    again = opwright("build", "--json")
    assert again.summary["actions_run"] == 0


def test_gc_by_size(library: Path, opwright: Opwright) -> None:
    assert opwright("build").status == 0
    bundle = BUNDLE.read_bytes()
    assert asked(opwright, "gc", "--max-size", "1G")["removed"]["files"] == 0
    assert asked(opwright, "gc", "--max-size", "0")["kinds"]["result"]["files"] == 0
    shutil.rmtree("dist")
    assert opwright("build", "--json").summary["actions_run"] > 0
    assert BUNDLE.read_bytes() == bundle


@pytest.mark.parametrize(
    "words",
    [
        ("stats", "--max-age", "1d"),
        ("verify", "--dry-run"),
        ("gc", "--remove"),
        ("gc", "--max-age", "soon"),
        ("gc", "--max-size", "-1"),
        ("clean",),
        ("gc", "--shared"),
    ],
)
def test_what_makes_no_sense(library: Path, opwright: Opwright, words: tuple[str, ...]) -> None:
    assert opwright("cache", *words).status == 2


def test_texts_of_limits() -> None:
    assert [parse_age(text) for text in ("90s", "15m", "12h", "30d", "2w")] == [90, 900, 43_200, 2_592_000, 1_209_600]
    assert [parse_size(text) for text in ("0", "10k", "500M", "2G", "1GiB")] == [
        0,
        10_240,
        524_288_000,
        1 << 31,
        1 << 30,
    ]
    assert [size_text(size) for size in (1, 999, 1000, 3_400_000)] == ["1 byte", "999 bytes", "1.0 kB", "3.4 MB"]


def test_builds_beside_a_collector(library: Path, opwright: Opwright) -> None:
    """Builds of changing sources, while another process removes every result again and again."""
    assert opwright("build").status == 0
    text = SWISH.read_text()
    expected: list[bytes] = []
    for number in range(3):
        SWISH.write_text(f"{text}\n# {number}\n")
        assert opwright("build", "--cache", f"quiet-{number}").status == 0
        expected.append(BUNDLE.read_bytes())
    program = (
        "import sys, time\n"
        "from opwright_build.cli.entry import main\n"
        "while True:\n"
        "    try:\n"
        "        main(['cache', 'gc', '--max-size', '0'])\n"
        "    except SystemExit as end:\n"
        "        if end.code: sys.exit(end.code)\n"
    )
    collector = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        assert collector.stdout is not None
        collector.stdout.readline()  # it is at work
        for _ in range(3):
            for number, bundle in enumerate(expected):
                SWISH.write_text(f"{text}\n# {number}\n")
                ran = opwright("build", "--json")
                assert ran.status == 0, ran.out + ran.err
                codes = [line["finding"]["code"] for line in ran.lines if line["event"] == "finding"]
                assert codes == [], json.dumps(codes)
                assert BUNDLE.read_bytes() == bundle
        assert collector.poll() is None
    finally:
        collector.kill()
        collector.communicate()
