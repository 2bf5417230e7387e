"""What opwright itself is shipped as: wheel and source distribution, made twice, with their digests. `nox -s release`.

The second time in another folder, with another umask and other dates of files; the bytes have to be the same.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "dist" / "release"
LIMIT_SECONDS = 600
# What lies in a checkout and is no part of it: anywhere, and at its top, since a function is called `dist`.
_LEFT_OUT = shutil.ignore_patterns(".git", ".nox", ".opwright", ".venv", "__pycache__", ".*_cache")
_LEFT_OUT_AT_TOP = {"dist"}


def left_out(folder: str, names: list[str]) -> set[str]:
    return _LEFT_OUT(folder, names) | (_LEFT_OUT_AT_TOP.intersection(names) if Path(folder) == ROOT else set())


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="opwright-release-") as made:
        first = built(ROOT, Path(made, "first"), 0o022)
        elsewhere = Path(shutil.copytree(ROOT, Path(made, "a", "folder elsewhere"), ignore=left_out))
        for path in elsewhere.rglob("*"):
            os.utime(path, (10**9, 10**9))
        second = built(elsewhere, Path(made, "second"), 0o077)
        differing = [name for name in sorted({*first, *second}) if first.get(name) != second.get(name)]
        if differing:
            print(f"FAILED: not the same where it is built again: {', '.join(differing)}")
            return 1
    shutil.rmtree(TARGET, ignore_errors=True)
    TARGET.mkdir(parents=True)
    sums = {name: sha256(data).hexdigest() for name, data in sorted(first.items())}
    for name, data in first.items():
        (TARGET / name).write_bytes(data)
    (TARGET / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in sums.items()))
    for name, digest in sums.items():
        print(f"{digest}  {TARGET.relative_to(ROOT)}/{name}")
    return 0


def built(place: Path, target: Path, mask: int) -> dict[str, bytes]:
    """The files that the build backend makes of a checkout, by name."""
    environment = {name: text for name, text in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(target)]
    subprocess.run(command, cwd=place, env=environment, check=True, timeout=LIMIT_SECONDS, umask=mask)
    return {path.name: path.read_bytes() for path in target.iterdir()}


if __name__ == "__main__":
    sys.exit(main())
