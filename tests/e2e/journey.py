"""The path of a newcomer: docs/tutorial.md, command by command, in a fresh environment. `nox -s journey`.

In an empty folder, with an empty home, nothing but what the page prints is typed. opwright is the wheel of this
checkout: pip is told where it lies. Then the library is put to the tools that make wheels of it: each
wheel holds the bundle, the README, the license and the address, and none is made where the bundle is missing.
"""

from __future__ import annotations

import email
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tests.docs.tutorial_steps import PAGE, File, steps
from tests.environment import LIMIT_SECONDS, ROOT, build_own_wheel, new_users_variables, type_in

TOOLS = (
    ("pip wheel", ["python", "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", "made", "."]),
    ("python -m build", ["python", "-m", "build", "--outdir", "made", "."]),
    ("uv build", ["uv", "build", "--out-dir", "made", "."]),
)


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="opwright-journey-") as made:
        folder = Path(made)
        wheel = build_own_wheel(folder / "wheel")
        environment = new_users_variables(folder, wheel)
        place = walk(folder / "work", environment)
        require_checkout(folder / "work" / ".venv")
        tools = folder / "work" / ".venv" / "bin" / "python"
        run([str(tools), "-m", "pip", "install", "--quiet", "build", "uv"], place, environment)
        library = folder / "work" / "acme-ops"
        problems = [problem for name, command in TOOLS for problem in try_tool(name, command, library, environment)]
        problems += without_bundle(library, environment)
    for problem in problems:
        print(f"FAILED: {problem}")
    print(f"{len(problems)} failed")
    return 1 if problems else 0


def require_checkout(venv: Path) -> None:
    """Ends where another opwright was installed than that of this checkout."""
    (installed,) = venv.glob("lib/python*/site-packages/opwright/functions.py")
    if installed.read_bytes() != (ROOT / "library/opwright/functions.py").read_bytes():
        sys.exit(f"{installed} is not that of this checkout")


def walk(place: Path, environment: dict[str, str]) -> Path:
    """Types what the page prints, and compares what is printed with the page; returns the folder where it ends."""
    place.mkdir()
    for step in steps(PAGE.read_text(encoding="utf-8")):
        if isinstance(step, File):
            (place / step.path).write_text(step.text, encoding="utf-8")
        elif step.line.startswith("cd "):
            place = (place / step.line.removeprefix("cd ")).resolve()
        elif step.line.startswith(". "):
            bin_folder = (place / step.line.removeprefix(". ")).parent
            environment["PATH"] = f"{bin_folder}{os.pathsep}{environment['PATH']}"
            environment["VIRTUAL_ENV"] = str(bin_folder.parent)
        else:
            type_in(step, place, environment)
    return place


def try_tool(name: str, command: list[str], library: Path, environment: dict[str, str]) -> list[str]:
    """What is wrong with the wheel that a tool makes of the library that was built."""
    shutil.rmtree(library / "made", ignore_errors=True)
    print(f"$ {' '.join(command)}", flush=True)
    run(command, library, environment)
    (wheel,) = (library / "made").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = [archive.read(item).decode() for item in names if item.endswith(".dist-info/METADATA")]
        bundles = [archive.read(item) for item in names if item.endswith(".onnxlib")]
    told = email.message_from_string(metadata)
    built = library / "dist" / f"{library.name}-0.2.0.onnxlib"
    expected = {
        "the bundle": bundles == [built.read_bytes()],
        "the package": "acme_ops/opset2.pyi" in names and "acme_ops/py.typed" in names,
        "the version": told["Version"] == "0.2.0",
        "the license": told["License-Expression"] == "Apache-2.0",
        "the address": told.get_all("Project-URL") == ["Repository, https://example.com/acme-ops"],
        "the README": str(told.get_payload()).lstrip().startswith("# acme-ops"),
        "opwright": any(item.startswith("opwright") for item in told.get_all("Requires-Dist") or ()),
    }
    return [f"{name}: {what} is not in the wheel as it should be" for what, holds in expected.items() if not holds]


def without_bundle(library: Path, environment: dict[str, str]) -> list[str]:
    """The tools that make a wheel where the bundle is missing."""
    shutil.rmtree(library / "dist")
    problems = []
    for name, command in TOOLS:
        shutil.rmtree(library / "made", ignore_errors=True)
        done = subprocess.run(
            command, cwd=library, env=environment, capture_output=True, text=True, timeout=LIMIT_SECONDS
        )
        if done.returncode == 0 or list(library.glob("made/*.whl")):
            problems.append(f"{name} makes a wheel without a bundle")
        elif "run `opwright build` first" not in done.stdout + done.stderr:
            problems.append(f"{name} does not say what to do: {done.stderr[-300:]}")
    return problems


def run(command: list[str], place: Path, environment: dict[str, str] | None = None) -> None:
    subprocess.run(command, cwd=place, env=environment, check=True, timeout=LIMIT_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
