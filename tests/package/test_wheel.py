"""The wheel: what pip makes of it, and that its bytes depend on nothing but what goes in."""

from __future__ import annotations

import base64
import csv
import email
import io
import os
import subprocess
import sys
import zipfile
from dataclasses import replace
from hashlib import sha256
from importlib.metadata import PathDistribution
from pathlib import Path

import opwright
import pytest
from opwright_build.package.typed_package import render_stubs
from opwright_build.package.wheel import build_wheel
from opwright_build.spec.model import About
from packaging.metadata import Metadata

from tests.package.sample import bundle_bytes, sample_library

BUNDLE = sample_library()
NAME, WHEEL = build_wheel(BUNDLE.index, bundle_bytes(BUNDLE), render_stubs(BUNDLE.index))


def members() -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(WHEEL)) as file:
        assert file.testzip() is None
        return {info.filename: file.read(info) for info in file.infolist()}


def test_its_name_and_members() -> None:
    assert NAME == "acme_ops-1.0.0-py3-none-any.whl"
    names = list(members())
    package = [name for name in names if name.startswith("acme_ops/")]
    assert package == sorted(package)
    assert "acme_ops/acme-ops-1.0.0.onnxlib" in package
    assert "acme_ops/py.typed" in package
    information = ("sboms/acme-ops.cdx.json", "METADATA", "WHEEL", "entry_points.txt", "RECORD")
    assert names == [*package, *(f"acme_ops-1.0.0.dist-info/{name}" for name in information)]


def test_its_record_has_every_member() -> None:
    found = members()
    rows = list(csv.reader(io.StringIO(found["acme_ops-1.0.0.dist-info/RECORD"].decode())))
    assert [row[0] for row in rows] == list(found)
    assert rows[-1][1:] == ["", ""]
    for path, digest, size in rows[:-1]:
        expected = base64.urlsafe_b64encode(sha256(found[path]).digest()).rstrip(b"=").decode()
        assert (digest, size) == (f"sha256={expected}", str(len(found[path])))


def test_its_metadata() -> None:
    index = replace(
        BUNDLE.index, library="Acme.Ops", summary="Two\nlines.", requires=(("opwright", ">=0.1"), ("b", ""))
    )
    name, wheel = build_wheel(index, b"", {})
    assert name == "acme_ops-1.0.0-py3-none-any.whl"
    with zipfile.ZipFile(io.BytesIO(wheel)) as file:
        metadata = email.message_from_bytes(file.read("acme_ops-1.0.0.dist-info/METADATA"))
    assert metadata["Name"] == "Acme.Ops"
    assert metadata["Summary"] == "Two lines."
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata.get_all("Requires-Dist") == ["opwright>=0.1", "b"]


def test_the_same_bytes_every_time() -> None:
    index = sample_library().index
    assert build_wheel(index, bundle_bytes(BUNDLE), dict(reversed(render_stubs(index).items())))[1] == WHEEL
    known = sha256(bundle_bytes(BUNDLE)).hexdigest()
    assert build_wheel(index, bundle_bytes(BUNDLE), render_stubs(index), bundle_sha256=known)[1] == WHEEL


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    (folder / NAME).write_bytes(WHEEL)
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", str(folder / "site")]
    subprocess.run([*command, str(folder / NAME)], check=True, capture_output=True, timeout=120)
    return folder / "site"


def run(site: Path, code: str, *options: str) -> str:
    library = Path(opwright.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(library), str(site)])}
    done = subprocess.run(
        [sys.executable, *options, "-c", code], capture_output=True, text=True, env=environment, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_pip_installs_it(installed: Path) -> None:
    distribution = PathDistribution(installed / "acme_ops-1.0.0.dist-info")
    assert distribution.metadata["Name"] == "acme-ops"
    assert all(file.locate().is_file() for file in distribution.files or ())


def test_importing_the_package_loads_next_to_nothing(installed: Path) -> None:
    code = (
        "import sys; before = set(sys.modules); from acme_ops import opset3 as acme; acme.Scale;"
        "print(*sorted(name for name in set(sys.modules) - before if not name.startswith('_')))"
    )
    expected = "acme_ops acme_ops.opset3 gc opwright opwright.first_use opwright.packaged opwright.version"
    assert run(installed, code, "-S") == expected


def test_the_installed_functions_run(installed: Path) -> None:
    code = (
        "import numpy; from acme_ops import opset1, opset3 as acme;"
        "x = numpy.array([-4, 8], numpy.float32);"
        "print(acme.Twice(x).tolist(), acme.Scale(x, alpha=2.0).tolist(), opset1.Scale(x).tolist())"
    )
    assert run(installed, code) == "[-1.0, 2.0] [8.0, 16.0] [-2.0, 4.0]"


def test_the_library_is_found_by_name(installed: Path) -> None:
    code = (
        "from opwright import find_bundle;"
        "print(*(find_bundle(name).index.library for name in ('acme-ops', 'acme_ops', 'acme')))"
    )
    assert run(installed, code) == "acme-ops acme-ops acme-ops"


def test_a_license_adds_no_headers() -> None:
    index = replace(BUNDLE.index, license="MIT\nRequires-Dist: evil\n\nText", summary="One\nName: other")
    _, wheel = build_wheel(index, bundle_bytes(BUNDLE), render_stubs(BUNDLE.index))
    with zipfile.ZipFile(io.BytesIO(wheel)) as file:
        (name,) = (item for item in file.namelist() if item.endswith("/METADATA"))
        message = email.message_from_bytes(file.read(name))
    assert message["License-Expression"] == "MIT Requires-Dist: evil Text"
    assert message.get_all("Name") == [index.library]
    assert "evil" not in " ".join(message.get_all("Requires-Dist") or [])


ABOUT = About(
    ("Ada Lovelace <ada@example.org>", "Grâce", "B C"),
    {"Repository": "https://example.org/acme", "Issue tracker": "https://example.org/acme/issues"},
    "README.md",
    ("LICENSE", "legal/NOTICE.txt"),
)
TEXTS = {
    "README.md": "# Acmé\n\nName: Mallory\n\n    code\n".encode(),
    "LICENSE": b"Do what you want.\n",
    "legal/NOTICE.txt": b"n\n",
}


def test_its_metadata_says_what_the_library_says_of_itself() -> None:
    _, wheel = build_wheel(BUNDLE.index, b"", {}, about=ABOUT, texts=TEXTS)
    with zipfile.ZipFile(io.BytesIO(wheel)) as file:
        data = file.read("acme_ops-1.0.0.dist-info/METADATA")
        texts = {name: file.read(f"acme_ops-1.0.0.dist-info/licenses/{name}") for name in ABOUT.license_files}
        assert file.namelist()[-1].endswith("RECORD")
    metadata = email.message_from_bytes(data)
    assert metadata.get_all("Name") == ["acme-ops"]
    assert "\nAuthor: Grâce, B C\n" in data.decode()
    assert metadata["Author-email"] == "Ada Lovelace <ada@example.org>"
    assert metadata.get_all("Project-URL") == [f"{name}, {url}" for name, url in ABOUT.urls.items()]
    assert metadata.get_all("License-File") == ["LICENSE", "legal/NOTICE.txt"]
    assert metadata["Description-Content-Type"] == "text/markdown; charset=UTF-8"
    assert data.endswith(b"\n\n" + TEXTS["README.md"])
    assert texts == {name: TEXTS[name] for name in ABOUT.license_files}


@pytest.mark.parametrize(
    ("path", "kind"), [("a.rst", "text/x-rst"), ("A.MD", "text/markdown"), ("README", "text/plain")]
)
def test_a_description_says_what_it_is_written_in(path: str, kind: str) -> None:
    _, wheel = build_wheel(BUNDLE.index, b"", {}, about=About(readme=path), texts={path: b"x"})
    with zipfile.ZipFile(io.BytesIO(wheel)) as file:
        metadata = file.read("acme_ops-1.0.0.dist-info/METADATA").decode()
    assert f"Description-Content-Type: {kind}; charset=UTF-8\n\nx" in metadata


def test_the_metadata_is_what_packaging_reads() -> None:
    _, wheel = build_wheel(BUNDLE.index, b"", {}, about=ABOUT, texts=TEXTS)
    with zipfile.ZipFile(io.BytesIO(wheel)) as file:
        read = Metadata.from_email(file.read("acme_ops-1.0.0.dist-info/METADATA"))
    assert read.description == TEXTS["README.md"].decode()
    assert read.project_urls == dict(ABOUT.urls)
    assert read.license_files == list(ABOUT.license_files)
