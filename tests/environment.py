"""Environments of their own for tests that must not see this repository: wheels installed, dependencies shared.

What the wheels declare is checked in tests/scaffold and on a bare machine by `nox -s fresh`; here it would only cost
a download per run.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from tests.docs.tutorial_steps import Command

ROOT = Path(__file__).resolve().parents[1]
LIMIT_SECONDS = 15 * 60  # of one command


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment; `run` starts programs in it and knows nothing of the one that the tests run in."""

    folder: Path

    @property
    def programs(self) -> Path:
        return self.folder / ("Scripts" if os.name == "nt" else "bin")

    def run(self, command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
        """Run a command in a folder; stdout and stderr are kept together, in the order of their lines."""
        hidden = ("PYTHONPATH", "VIRTUAL_ENV", "PYTHONHOME")
        variables = {name: value for name, value in os.environ.items() if name not in hidden}
        variables["PATH"] = os.pathsep.join((str(self.programs), variables["PATH"]))
        return subprocess.run(
            command, cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300
        )

    def install(self, *wheels: Path) -> None:
        """Install wheels alone: nothing else is fetched, and an older install of the same name is replaced."""
        pip = [sys.executable, "-m", "pip", "--python", str(self.programs / "python"), "install", "--quiet"]
        alone = ["--no-compile", "--no-deps", "--no-index", "--ignore-installed", *map(str, wheels)]
        subprocess.run([*pip, *alone], check=True, timeout=300)


def make_environment(folder: Path, *wheels: Path) -> Environment:
    """A new environment with these wheels, which also sees the third-party packages that the tests run with."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=300)
    environment = Environment(folder)
    environment.install(*wheels)
    paths = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)})
    shared = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    # Entries of a .pth file are not searched for further .pth files: a development install of ours stays invisible.
    link = link_packages(folder / "third_party", shared)
    (Path(paths["purelib"]) / "third_party.pth").write_text(f"{link}\n", encoding="utf-8")
    return environment


def link_packages(folder: Path, sources: Sequence[str]) -> Path:
    """A folder with links to all that lies in others. The environment of the tests may lie inside this repository,
    which is a library: from its folder the tool imports nothing for an environment elsewhere."""
    folder.mkdir(exist_ok=True)
    for source in dict.fromkeys(sources):
        for entry in Path(source).iterdir():
            link = folder / entry.name
            if not link.exists() and entry.name != "__pycache__":
                link.symlink_to(entry, target_is_directory=entry.is_dir())
    return folder


def build_own_wheel(folder: Path) -> Path:
    """The wheel of `opwright` itself, made from this tree."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
    (wheel,) = folder.glob("opwright-*.whl")
    return wheel


def new_users_variables(folder: Path, wheel: Path) -> dict[str, str]:
    """What a shell of a new user has, with an empty home below `folder` and the settings by which pip here reaches an
    index. opwright is the wheel that is given."""
    home = folder / "home"
    home.mkdir()
    kept = {
        name: text
        for name, text in os.environ.items()
        if name.startswith(("PIP_", "SSL_", "UV_")) or "proxy" in name.lower()
    }
    plain = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "NO_COLOR": "1"}
    wheels = " ".join(filter(None, [str(wheel.parent), os.environ.get("PIP_FIND_LINKS")]))
    found = {"PIP_FIND_LINKS": wheels, "PIP_CONSTRAINT": str(ROOT / "constraints.txt")}
    return {**kept, **plain, **found, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def type_in(step: Command, place: Path, variables: dict[str, str]) -> str:
    """Types a command and gives what is printed. SystemExit where that lacks a line, or the exit code is another."""
    print(f"$ {step.line}", flush=True)
    done = subprocess.run(
        ["sh", "-c", step.line],
        cwd=place,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT_SECONDS,
    )
    missing = step.missing(done.stdout)
    if done.returncode != step.status or missing:
        print(done.stdout)
        sys.exit(f"exit {done.returncode}, not {step.status}; lines that are missing: {missing}")
    return done.stdout


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def served(command: list[str], url: str, log: Path) -> subprocess.Popen[bytes]:
    """A server that answers."""
    with log.open("wb") as stream:
        server = subprocess.Popen(command, stdout=stream, stderr=stream)
    for _ in range(300):
        try:
            urlopen(url).close()
            return server
        except URLError:
            assert server.poll() is None, log.read_text()
            time.sleep(0.2)
    raise AssertionError(f"{command[0]} does not answer")
