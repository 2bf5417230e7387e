"""A build that is killed leaves each output old or new, and the next one finishes."""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Opwright = Callable[..., Any]
KILLS = 3  # `nox -s faults` has two hundred


def outputs() -> dict[str, bytes]:
    paths = [path for name in ("dist", "library") for path in sorted(Path(name).rglob("*"))]
    return {path.as_posix(): path.read_bytes() for path in paths if path.is_file() and path.suffix != ".opwright-tmp"}


def start() -> "subprocess.Popen[str]":
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "opwright_build", "build", "--json"]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def test_killed_at_any_moment(library: Path, opwright: Opwright) -> None:
    spec = Path("specs/com.acme/Swish/spec.yaml")
    opwright("build")
    old = outputs()
    spec.write_text(spec.read_text().replace("for each element.", "element by element."))
    begun = time.perf_counter()
    reference = start()
    reference.communicate(timeout=60)
    whole = time.perf_counter() - begun
    new = outputs()
    assert {path for path in old if old[path] != new[path]} >= {"dist/base-1.0.0.onnxlib"}

    moments = random.Random(0)
    for kill in range(KILLS):
        before = outputs()
        # To and fro between the two states, always with an empty cache, so that there is something to interrupt.
        text = "for each element." if kill % 2 else "element by element."
        spec.write_text(spec.read_text().replace("for each element.", text).replace("element by element.", text))
        shutil.rmtree(".opwright/cache", ignore_errors=True)
        process = start()
        time.sleep(whole * moments.uniform(0.3, 1.0))
        process.kill()
        process.communicate(timeout=60)
        for path, data in outputs().items():
            assert data in (old.get(path), new.get(path)), path
        assert set(outputs()) == set(before)

    spec.write_text(spec.read_text().replace("for each element.", "element by element."))
    done = start()
    told, _ = done.communicate(timeout=60)
    assert json.loads(told.splitlines()[-1])["exit"] == 0
    assert outputs() == new
    assert list(Path().rglob("*.opwright-tmp")) == []
