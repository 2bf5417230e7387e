"""A release on its way to those who use it, with real servers (`nox -s publish`): the blocks of docs/publishing.md.

pypiserver takes what twine sends, and an environment of its own installs from it; Debian's docker-registry takes what
skopeo sends, and oras gets it by its digest. OpenSSL and sha256sum judge what comes. Other tools make the wheel anew.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.test_publishing import blocks, surroundings, type_blocks
from tests.environment import ROOT, build_own_wheel, free_port, served

LIMIT_SECONDS = 600
REGISTRY = """\
version: 0.1
storage: {{filesystem: {{rootdirectory: {folder}}}}}
http: {{addr: "127.0.0.1:{port}"}}
"""
USE = """\
import numpy
from importlib.metadata import entry_points
from base import opset1
assert abs(opset1.Swish(numpy.array([0.0, 20.0], numpy.float32))[1] - 20.0) < 1e-5
(point,) = entry_points(group="opwright.libraries")
assert (point.name, point.load().__name__) == ("base", "base")
"""


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A library whose release the page has written, and the environment of its commands."""
    folder = tmp_path_factory.mktemp("publish")
    environment = surroundings(folder)
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]])
    return type_blocks(folder, environment), environment


@pytest.fixture
def index(tmp_path: Path) -> Iterator[str]:
    """A pypiserver that anybody may upload to."""
    port, folder = free_port(), tmp_path / "packages"
    folder.mkdir()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "pypiserver", "run", "-i", "127.0.0.1", "-p", str(port), "-P", ".", "-a", "."]
    server = served([*command, "--disable-fallback", str(folder)], url, tmp_path / "index.log")
    yield url
    server.terminate()
    server.wait()


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[str]:
    port = free_port()
    settings = tmp_path / "registry.yml"
    settings.write_text(REGISTRY.format(folder=tmp_path / "registry", port=port))
    place = f"127.0.0.1:{port}"
    server = served(["docker-registry", "serve", str(settings)], f"http://{place}/v2/", tmp_path / "registry.log")
    yield place
    server.terminate()
    server.wait()


def run(command: str, place: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        ["sh", "-ec", command], cwd=place, env=environment, capture_output=True, text=True, timeout=LIMIT_SECONDS
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def fresh_environment(folder: Path, environment: dict[str, str]) -> tuple[Path, dict[str, str]]:
    """A Python with nothing but pip, and the variables with which its commands run: opwright's own wheel is in a
    folder that they are told."""
    venv.create(folder / "fresh", with_pip=False)
    python = folder / "fresh" / "bin" / "python"
    wheels = folder / "wheels"
    build_own_wheel(wheels)
    pip = f'#!/bin/sh\nexec {sys.executable} -m pip --python {python} "$@"\n'
    (folder / "fresh" / "bin" / "pip").write_text(pip)
    (folder / "fresh" / "bin" / "pip").chmod(0o755)
    kept = {name: text for name, text in environment.items() if name not in ("PYTHONPATH", "PYTHON")}
    path = os.pathsep.join([str(folder / "fresh" / "bin"), environment["PATH"]])
    told = {"PATH": path, "PIP_FIND_LINKS": str(wheels), "UV_FIND_LINKS": str(wheels)}
    return python, {**kept, **told, "PIP_CONSTRAINT": str(ROOT / "constraints.txt")}


def test_uploaded_installed_and_used(release: tuple[Path, dict[str, str]], index: str, tmp_path: Path) -> None:
    root, environment = release
    upload, install = blocks("sh")[:2]
    accounts = {"INDEX": index, "TWINE_USERNAME": "any", "TWINE_PASSWORD": "any", "TWINE_NON_INTERACTIVE": "1"}
    run(upload, root, {**environment, **accounts})
    python, outside = fresh_environment(tmp_path, environment)
    run(install, tmp_path, {**outside, "INDEX": index, "PIP_TRUSTED_HOST": "127.0.0.1"})
    run("pip install --quiet 'opwright[run]'", tmp_path, outside)
    (tmp_path / "use.py").write_text(USE)
    run(f"{python} use.py", tmp_path, outside)


def test_any_web_server_serves_an_index(release: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    """To pip, and to `opwright search` and `add`."""
    root, environment = release
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "--directory", str(root / "site"), str(port)]
    server = served(command, url, tmp_path / "web.log")
    try:
        plain = {**environment, "PIP_INDEX_URL": f"{url}/simple/"}
        run("pip download --quiet --no-deps --dest got base", tmp_path, plain)
        wheel = "base-1.0.0-py3-none-any.whl"
        assert (tmp_path / "got" / wheel).read_bytes() == (root / "dist/base-1.0.0" / wheel).read_bytes()
        assert "com.acme::Swish@1" in run(f"opwright search Swish --index {url}", tmp_path, environment)
        run(f"opwright new function com.other/Twice --path . && opwright add base --index {url}", tmp_path, environment)
        vendored = tmp_path / "specs/vendor/base-1.0.0.onnxlib"
        assert vendored.read_bytes() == (root / "dist/base-1.0.0/base-1.0.0.onnxlib").read_bytes()
    finally:
        server.terminate()
        server.wait()


def test_pushed_pulled_by_digest_and_judged_by_others(
    release: tuple[Path, dict[str, str]], registry: str, tmp_path: Path
) -> None:
    root, environment = release
    digest = json.loads((root / "dist/base-1.0.0-oci/index.json").read_text())["manifests"][0]["digest"]
    push, pull = blocks("sh")[2].splitlines()
    push = push.replace("skopeo copy", "skopeo copy --dest-tls-verify=false")
    told = {**environment, "REGISTRY": registry, "DIGEST": digest}
    run(push, root, told)
    pull = pull.replace("oras pull", f"{sys.executable} {ROOT}/tests/services/oras_pull.py")
    run(pull, tmp_path, told)
    pulled = {path.name: path.read_bytes() for path in (tmp_path / "pulled").iterdir()}
    assert pulled == {path.name: path.read_bytes() for path in (root / "dist/base-1.0.0").iterdir()}
    check = f"openssl pkeyutl -verify -pubin -inkey {root.parent}/key.pub -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig"
    run(f"{check} && sha256sum --check --quiet SHA256SUMS", tmp_path / "pulled", environment)
    (tmp_path / "pulled" / "SHA256SUMS").write_bytes(pulled["SHA256SUMS"] + b"\n")
    with pytest.raises(AssertionError):
        run(check, tmp_path / "pulled", environment)


@pytest.mark.parametrize(
    "command",
    [
        "pip wheel --quiet --no-deps --wheel-dir made .",
        "python -m build --outdir made .",
        "uv build --out-dir made .",
    ],
)
def test_other_tools_make_the_wheel_of_the_source_distribution(
    release: tuple[Path, dict[str, str]], tmp_path: Path, command: str
) -> None:
    root, environment = release
    shutil.unpack_archive(root / "dist/base-1.0.0/base-1.0.0.tar.gz", tmp_path)
    run(command, tmp_path / "base-1.0.0", environment)
    (made,) = (tmp_path / "base-1.0.0" / "made").glob("*.whl")
    ours, theirs = (members(path) for path in (root / "dist/base-1.0.0/base-1.0.0-py3-none-any.whl", made))
    own = {f"base-1.0.0.dist-info/{name}" for name in ("METADATA", "RECORD", "WHEEL")}  # each tool's own
    assert {name: data for name, data in ours.items() if name not in own} == {
        name: data for name, data in theirs.items() if name not in own
    }
    assert set(theirs) == set(ours)
    (tmp_path / "base-1.0.0" / "src" / "base" / "base-1.0.0.onnxlib").unlink()
    with pytest.raises(AssertionError):
        run(command, tmp_path / "base-1.0.0", environment)


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as wheel:
        return {name: wheel.read(name) for name in wheel.namelist()}
