"""Do what a newcomer does, on a machine that has nothing: `nox -s fresh`. Needs root and debootstrap.

A Debian of `python3`, `python3-pip` and `git` alone: externally managed, no ensurepip, no nox, no git identity, an
empty home, an ordinary user. In it, each from a clone of its own: `python3 noxfile.py -s build`, and once more without
a network; `python3 noxfile.py -s test`. Then the README's example with what pip makes of the wheel and its extras, and
`attach` where only the plain package is installed. pip there uses the settings of the pip here. The system is made
once and kept in `.nox/fresh/base`; every run works on a copy.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".nox" / "fresh"
PACKAGES = "python3,python3-pip,ca-certificates,git"
USER = "newcomer"
LIMIT_SECONDS = 40 * 60
EXAMPLE = """
python3 -m pip wheel --quiet --no-deps --wheel-dir ~/wheel ~/build
for extras in "" "[build,run]"; do
    python3 -m venv --without-pip ~/venv$extras
    python3 -m pip --python ~/venv$extras/bin/python install --quiet "$(ls ~/wheel/*.whl)$extras"
done
mkdir ~/acme && cd ~/acme
~/venv[build,run]/bin/opwright new function com.acme/Swish
~/venv[build,run]/bin/opwright build
~/venv[build,run]/bin/opwright test
~/venv[build,run]/bin/python - <<MODEL
from onnx import TensorProto, helper, save
values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [3]) for name in "xy"]
graph = helper.make_graph([helper.make_node("Swish", ["x"], ["y"], domain="com.acme")], "g", values[:1], values[1:])
imports = [helper.make_opsetid("", 18), helper.make_opsetid("com.acme", 1)]
save(helper.make_model(graph, opset_imports=imports, ir_version=10), "model.onnx")
MODEL
~/venv/bin/opwright attach model.onnx --library dist/acme-ops-0.1.0.onnxlib -o ready.onnx
~/venv[build,run]/bin/python - <<RUN
import numpy, onnxruntime
x = numpy.array([-1, 0, 2], numpy.float32)
(y,) = onnxruntime.InferenceSession("ready.onnx").run(None, dict(x=x))
numpy.testing.assert_allclose(y, x / (1 + numpy.exp(-x)), rtol=1e-6)
RUN
code=0; ~/venv/bin/opwright build > said 2>&1 || code=$?
test $code = 2 && grep --quiet "opwright\\[build\\]" said
"""


def main() -> int:
    base, machine = HOME / "base", HOME / "machine"
    if not (base / "finished").exists():
        shutil.rmtree(base, ignore_errors=True)
        base.parent.mkdir(parents=True, exist_ok=True)
        debootstrap = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm", str(base)]
        subprocess.run(debootstrap, check=True, stdout=subprocess.DEVNULL)
        (base / "finished").touch()
    shutil.rmtree(machine, ignore_errors=True)
    subprocess.run(["cp", "--archive", "--reflink=auto", str(base), str(machine)], check=True)
    subprocess.run(["chroot", str(machine), "useradd", "--create-home", "--skel", "/nowhere", USER], check=True)
    subprocess.run(["git", "bundle", "create", "--quiet", str(machine / "opwright.git"), "HEAD"], cwd=ROOT, check=True)
    settings = pip_settings()
    failures = [problem for session in ("build", "test") for problem in first_minute(machine, settings, session)]
    print("$ the example of the README", flush=True)
    if visit(machine, settings, f"set -ex{EXAMPLE}", network=True):
        failures.append("the example of the README")
    for problem in failures:
        print(f"FAILED: {problem}")
    print(f"{len(failures)} failed")
    return 1 if failures else 0


def first_minute(machine: Path, settings: dict[str, str], session: str) -> list[str]:
    """Clone and run the session, a build again without a network; returns what went wrong."""
    clone = f"/home/{USER}/{session}"
    visit(machine, settings, f"git -c advice.detachedHead=false clone --quiet /opwright.git {clone}", network=True)
    problems = []
    for network in (True, False) if session == "build" else (True,):
        command = f"cd {clone} && python3 noxfile.py -s {session}"
        print(f"$ {command}{'' if network else '    # again, without a network'}", flush=True)
        began = time.monotonic()
        code = visit(machine, settings, command, network=network)
        print(f"  exit {code}, {time.monotonic() - began:.0f} s", flush=True)
        if code != 0:
            problems.append(f"{command}: exit {code}")
    if visit(machine, settings, f'cd {clone} && git status --porcelain && test -z "$(git status --porcelain)"', True):
        problems.append(f"{session} left changes in the clone")
    if not list((machine / clone.lstrip("/")).glob("dist/*.onnxlib")) and session == "build":
        problems.append("build wrote no bundle")
    return problems


def visit(machine: Path, settings: dict[str, str], command: str, network: bool) -> int:
    """Run a shell command as the newcomer; the mounts and processes it needs vanish with it."""
    mounts = ["mount -t proc proc $M/proc", "mount --rbind /dev $M/dev"]
    for path in local_paths(settings):
        mounts.append(f"{place(path)} && mount --bind -o ro {path} $M{path}")
    for name in ("resolv.conf", "hosts"):
        mounts.append(f"cp -L /etc/{name} $M/etc/{name} || true")
    inside = f"exec chroot --userspec={USER} $M /usr/bin/env -i {environment(settings)} sh -c {shlex.quote(command)}"
    shell = ["unshare", "--mount", "--pid", "--fork", *(() if network else ("--net",)), "bash", "-ec"]
    script = "\n".join([f"M={machine}", *mounts, inside])
    return subprocess.run([*shell, script], check=False, timeout=LIMIT_SECONDS).returncode


def environment(settings: dict[str, str]) -> str:
    plain = {"HOME": f"/home/{USER}", "PATH": "/usr/bin:/bin", **settings}
    return " ".join(f'{name}="{value}"' for name, value in plain.items())


def pip_settings() -> dict[str, str]:
    """The index settings of the pip here as environment variables: from its configuration files and from PIP_*."""
    python = os.path.realpath(sys.executable)  # nox's environment has no pip, its Python has
    listed = subprocess.run([python, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True)
    settings = {}
    for line in listed.stdout.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.partition(".")
        if section in ("global", "install"):
            settings["PIP_" + name.upper().replace("-", "_")] = str(ast.literal_eval(value))
    return settings | {name: value for name, value in os.environ.items() if name.startswith("PIP_")}


def local_paths(settings: dict[str, str]) -> list[str]:
    """Files and folders that the settings name: certificates, wheel folders, local indexes (whose files lie beside)."""
    words = (re.sub(r"^file://|/simple/?$", "", word) for value in settings.values() for word in value.split())
    return sorted({str(Path(word).resolve()) for word in words if word.startswith("/") and Path(word).exists()})


def place(path: str) -> str:
    """A shell command that makes what a bind mount of `path` needs to stand on."""
    if Path(path).is_dir():
        return f"mkdir -p $M{path}"
    return f"mkdir -p $M{Path(path).parent} && touch $M{path}"


if __name__ == "__main__":
    sys.exit(main())
