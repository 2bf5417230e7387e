"""OW623: a lock that says less than the last commit's."""

from __future__ import annotations

from tests.diagnostics.examples import Example, Pair

_COMMIT = """\
import shutil
import subprocess

for words in ("init -q", "add specs", "-c user.name=a -c user.email=a@example.org commit -q -m released"):
    subprocess.run(["git", *words.split()], check=True)
"""


def _released(after: str = "") -> Example:
    return Example("release 1.0.0 && python commit.py && release 1.0.1", {"commit.py": _COMMIT + after})


PAIRS: tuple[Pair, ...] = (
    Pair("OW623", bad=_released('shutil.rmtree("specs/com.acme/released")\n'), good=_released()),
)
