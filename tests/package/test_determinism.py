"""Same input, same bytes: over hash seeds, time zones and locales."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PROGRAM = """
from hashlib import sha256
from opwright_build.package.library_model import export_model
from opwright_build.package.typed_package import render_stubs
from opwright_build.package.wheel import build_wheel
from tests.package.sample import bundle_bytes, sample_library

bundle = sample_library()
stubs = render_stubs(bundle.index)
parts = [bundle_bytes(bundle), *stubs.values(), build_wheel(bundle.index, bundle_bytes(bundle), stubs)[1]]
parts += [export_model(bundle, opset).SerializeToString(deterministic=True) for opset in (13, 18, 24)]
print(*(sha256(part).hexdigest() for part in parts))
"""


def outputs(seed: str, **environment: str) -> str:
    path = os.pathsep.join(map(str, (ROOT / "library", ROOT / "buildtool", ROOT)))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.long
def test_nothing_around_a_build_reaches_its_bytes() -> None:
    first = outputs("0", TZ="UTC", LANG="C")
    assert len(first.split()) > 10
    assert outputs("1", TZ="Asia/Tokyo", LANG="tr_TR.UTF-8", LC_ALL="tr_TR.UTF-8") == first
    assert outputs("4242", TZ="America/New_York", LANG="de_DE.UTF-8") == first
