"""What a worker must have in common with the command, or the run is refused: our own sources, Python, onnx, numpy, the
runtimes. Beside that there is the machine, whose processor decides the last bits of results: verdicts say which one
they are of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from opwright.regular_file import read_regular

from opwright_build.engine.content_digest import digest_bytes
from opwright_build.engine.environment import environment_parts, sources_digest
from opwright_build.engine.tree import MOST_BYTES
from opwright_build.import_path import package_folders

_DIGITS = 64  # of a digest
_RUN = ("distributed", "onnxruntime", "onnxruntime-gpu")


class _FilesNow:
    """Digests of files, which are read."""

    def digest(self, path: str, /) -> str | None:
        return digest_bytes(read_regular(Path(path), MOST_BYTES))


@cache
def parts_here(distributions: tuple[str, ...]) -> Mapping[str, str]:
    """What this process has, by name; `distributions` are those that decide about the bytes of a build."""
    folders = [Path(folder) for folder in package_folders().values()]
    return environment_parts(sources_digest(folders, _FilesNow()), (*distributions, *_RUN))


@cache
def machine_here() -> str:
    """The digest of this machine and of the builds of its packages."""
    from opwright_build.verify.run.version_verdict import this_machine

    return this_machine()


def differences(expected: Mapping[str, str], found: Mapping[str, str]) -> Sequence[str]:
    """What differs, each as a part of a sentence: `numpy 2.1.0, not 2.2.0`, `other sources: ...`."""
    told = []
    for name in sorted(expected.keys() | found.keys()):
        wanted, has = expected.get(name, "absent"), found.get(name, "absent")
        if wanted != has:
            told.append(f"other sources: {name}" if len(wanted) == _DIGITS else f"{name} {has}, not {wanted}")
    return told
