"""`opwright publish`: the folder of a release, the same wherever it is made, and what is no release refused."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import onnx
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from opwright_build.publication.artefacts import read_sums

from tests.output_lines import validate

Opwright = Callable[..., Any]
LIBRARY = Path("specs/library.yaml")
SPEC = Path("specs/com.acme/Swish/spec.yaml")
DIST = Path("dist/base-1.0.0")
NAMES = [
    "SHA256SUMS",
    *(f"base-1.0.0-opset{opset}.onnx" for opset in range(18, 23)),
    "base-1.0.0-py3-none-any.whl",
    *(f"base-1.0.0.{end}" for end in ("cdx.json", "intoto.json", "md", "onnxlib", "tar.gz")),
]


def codes(ran: Any) -> list[str]:
    return [line["finding"]["code"] for line in ran.lines if line["event"] == "finding"]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def released(library: Path, opwright: Opwright) -> Path:
    LIBRARY.write_text(LIBRARY.read_text() + "readme: README.md\nurls: {Repository: 'https://example.com/base'}\n")
    Path("README.md").write_text("# base\n")
    assert opwright("release", "1.0.0").status == 0
    return library


def test_the_folder_of_a_release(released: Path, opwright: Opwright) -> None:
    ran = opwright("publish", "--json")
    assert ran.status == 0, ran.out
    for line in ran.lines:
        validate(line, "publish")
    assert sorted(os.listdir(DIST)) == NAMES
    sums = read_sums((DIST / "SHA256SUMS").read_bytes())
    assert sums == {name: sha256((DIST / name).read_bytes()).hexdigest() for name in NAMES[1:]}
    told = {line["path"]: line["sha256"] for line in ran.lines if line["event"] == "artefact"}
    assert told == {f"{DIST}/{name}": sha256((DIST / name).read_bytes()).hexdigest() for name in NAMES}
    for name in ("base-1.0.0-py3-none-any.whl", "base-1.0.0.onnxlib", "base-1.0.0.md"):
        assert (DIST / name).read_bytes() == Path("dist", name).read_bytes()
    onnx.checker.check_model(onnx.load(DIST / "base-1.0.0-opset20.onnx"))
    assert (DIST / "base-1.0.0.md").read_text().startswith("## base 1.0.0\n")


def test_the_statement_of_provenance(released: Path, opwright: Opwright) -> None:
    assert opwright("publish").status == 0
    statement = json.loads((DIST / "base-1.0.0.intoto.json").read_text())
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "https://slsa.dev/provenance/v1"
    subjects = {item["name"]: item["digest"]["sha256"] for item in statement["subject"]}
    assert sorted(subjects) == [name for name in NAMES[1:] if not name.endswith(".intoto.json")]
    assert all(sha256((DIST / name).read_bytes()).hexdigest() == digest for name, digest in subjects.items())
    definition = statement["predicate"]["buildDefinition"]
    assert definition["externalParameters"] == {"command": "opwright publish", "library": "base", "version": "1.0.0"}
    resolved = {item["name"]: item for item in definition["resolvedDependencies"]}
    assert "repository" not in resolved
    assert resolved["onnx"]["annotations"]["version"] == onnx.__version__
    with tarfile.open(DIST / "base-1.0.0.tar.gz") as archive:
        sources = sorted(
            (name.removeprefix("base-1.0.0/"), name)
            for name in archive.getnames()
            if name.startswith("base-1.0.0/specs/") or name == "base-1.0.0/README.md"
        )
        lines = []
        for path, name in sources:
            stream = archive.extractfile(name)
            assert stream is not None
            lines.append(f"{sha256(stream.read()).hexdigest()}  {path}\n")
    assert resolved["sources"]["digest"]["sha256"] == sha256("".join(lines).encode()).hexdigest()


def test_the_commit_is_named_where_it_holds_the_sources(released: Path, opwright: Opwright) -> None:
    def git(*words: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.autocrlf=false", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def repository() -> Any:
        assert opwright("publish").status == 0
        resolved = json.loads((DIST / "base-1.0.0.intoto.json").read_text())["predicate"]["buildDefinition"]
        return [item for item in resolved["resolvedDependencies"] if item["name"] == "repository"]

    git("init", "-q")
    git("add", "specs", "README.md")
    git("commit", "-q", "-m", "one")
    commit = git("rev-parse", "HEAD")
    (found,) = repository()
    assert found["digest"] == {"gitCommit": commit}
    assert found["uri"] == f"git+https://example.com/base@{commit}"
    Path("specs/com.acme/notes.txt").write_text("not committed")
    assert repository() == []


def test_equal_sources_give_equal_bytes_wherever_they_lie(
    released: Path, tmp_path: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another folder, another umask, dates of files from another year, and a process of its own."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert opwright("publish", "--oci").status == 0
    other = tmp_path / "a" / "quite" / "other place"
    shutil.copytree(released / "specs", other / "specs")
    shutil.copy(released / "README.md", other)
    for path in other.rglob("*"):
        os.utime(path, (10**9, 10**9))
    command = [sys.executable, "-m", "opwright_build", "publish", "--oci", str(other)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry), "TZ": "UTC+9"}
    subprocess.run(command, check=True, capture_output=True, env=environment, umask=0o077 if os.name == "posix" else -1)
    for folder in (DIST, Path(f"{DIST}-oci")):
        assert contents(other / folder) == contents(folder)


@pytest.mark.long
def test_verify_builds_again_and_compares(released: Path, opwright: Opwright) -> None:
    ran = opwright("publish", "--verify", "--json")
    assert (ran.status, ran.summary["verified"]) == (0, True)
    assert contents(DIST)  # written as without it


@pytest.mark.long
def test_a_package_with_a_sibling_is_built_again_too(library: Path, opwright: Opwright) -> None:
    """Both have a README of their own; the sources of the one hold what the other needs to be built."""
    more = Path("specs/com.acme.more/Twice")
    shutil.copytree("specs/com.acme/Swish", more)
    shutil.copy("specs/com.acme/domain.yaml", more.parent)
    text = (more / "spec.yaml").read_text()
    (more / "spec.yaml").write_text(text.replace("com.acme", "com.acme.more").replace("Swish", "Twice"))
    (more / "reference.py").write_text((more / "reference.py").read_text().replace("Swish", "Twice"))
    (more / "function.py").write_text(
        "from base import opset1 as base\n\n\n"
        "def Twice(X, alpha: float = 1.0):\n    return base.Swish(X, alpha=alpha)\n"
    )
    LIBRARY.write_text(
        "schema: 1\nversion: 1.0.0\nopsets: '>=18,<=22'\npackages:\n"
        "  - {library: base, package: base, domains: [com.acme], readme: A.md}\n"
        "  - {library: more, package: more, domains: [com.acme.more], readme: B.md, dependencies: [base]}\n"
    )
    Path("A.md").write_text("# a\n")
    Path("B.md").write_text("# b\n")
    assert opwright("release", "1.0.0").status == 0
    ran = opwright("publish", "--verify", "--json")
    assert (ran.status, ran.summary["verified"]) == (0, True), ran.out
    assert sorted(item["folder"] for item in ran.summary["packages"]) == ["dist/base-1.0.0", "dist/more-1.0.0"]


@pytest.mark.long
def test_what_differs_elsewhere_is_not_published(
    released: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hidden file that a build needs is not among the sources that are published."""
    shutil.copy("specs/com.acme/Swish/function.py", "specs/com.acme/Swish/.kept.txt")
    assert opwright("publish", "--verify").status == 0  # one that it does not need
    from opwright_build.workflow import rebuilding

    monkeypatch.setattr(rebuilding, "_bytes_of", lambda path: b"")
    shutil.rmtree(DIST)
    ran = opwright("publish", "--verify", "--json")
    assert (ran.status, codes(ran)) == (1, ["OW662"])
    assert not DIST.exists()


def test_of_a_build_that_dies_elsewhere_the_last_lines_are_told(
    released: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch
) -> None:
    from opwright_build.workflow import rebuilding

    text = (
        'import sys; print(\'{"event": "sta\'); print("a\\nb\\n" + "x" * 9000, file=sys.stderr); sys.exit("no memory")'
    )
    run = subprocess.run

    def dying(command: list[str], **options: Any) -> Any:
        return run([command[0], "-c", text] if "opwright_build" in command else command, **options)

    monkeypatch.setattr(rebuilding.subprocess, "run", dying)
    ran = opwright("publish", "--verify", "--json")
    (finding,) = [line["finding"] for line in ran.lines if line["event"] == "finding"]
    assert (ran.status, finding["code"]) == (1, "OW662")
    assert (
        finding["reason"]
        == f"what is published cannot be built: it ends with status 1: a / b / {'x' * 300} / no memory"
    )


def test_what_is_no_release_is_refused(released: Path, opwright: Opwright) -> None:
    SPEC.write_text(SPEC.read_text().replace("summary: X", "summary: The value X"))
    ran = opwright("publish", "--json")
    assert (ran.status, codes(ran)) == (1, ["OW660"])
    assert not DIST.exists()


@pytest.mark.parametrize("data", [b"## base 1.0.0\n\nall forged\n", None])
def test_notes_that_are_not_those_of_the_release_are_not_published(
    released: Path, opwright: Opwright, data: bytes | None
) -> None:
    notes = Path("specs/com.acme/released/1.0.0.md")
    if data is None:
        notes.unlink()
    else:
        notes.write_bytes(data)
    for command in (("publish",), ("lock", "--check"), ("release", "1.0.0"), ("release", "1.1.0")):
        ran = opwright(*command, "--json")
        assert (ran.status, codes(ran)) == (1, ["OW610"])
    assert not DIST.exists()


def test_without_a_lock_there_is_a_warning(library: Path, opwright: Opwright) -> None:
    ran = opwright("publish", "--json")
    assert (ran.status, codes(ran)) == (0, ["OW661"])
    assert "`com.acme::Swish@1`: it is new" in (DIST / "base-1.0.0.md").read_text()


def test_links_are_not_left_out_in_silence(released: Path, opwright: Opwright) -> None:
    Path("specs/com.acme/Swish/more.txt").symlink_to("function.py")
    ran = opwright("publish", "--json")
    assert ran.status == 1 and codes(ran) == ["OW521"]


def test_a_signature_is_of_the_sums(released: Path, opwright: Opwright, tmp_path: Path) -> None:
    key = Ed25519PrivateKey.generate()
    form = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "key.pem").write_bytes(key.private_bytes(*form))
    (tmp_path / "other.pem").write_bytes(generate_private_key(SECP256R1()).private_bytes(*form))
    assert opwright("publish", "--sign", str(tmp_path / "key.pem"), "--oci").status == 0
    key.public_key().verify((DIST / "SHA256SUMS.sig").read_bytes(), (DIST / "SHA256SUMS").read_bytes())
    for name in ("other.pem", "none.pem", "library"):
        ran = opwright("publish", "--sign", str(tmp_path / name), "--json")
        assert (ran.status, codes(ran)) == (1, ["OW663"])
    assert opwright("publish").status == 0
    assert not (DIST / "SHA256SUMS.sig").exists()  # it was of something else


def test_an_oci_layout_holds_every_file(released: Path, opwright: Opwright) -> None:
    ran = opwright("publish", "--oci", "--json")
    layout = Path(f"{DIST}-oci")
    assert json.loads((layout / "oci-layout").read_text()) == {"imageLayoutVersion": "1.0.0"}
    (root,) = json.loads((layout / "index.json").read_text())["manifests"]
    assert root["digest"] == ran.summary["packages"][0]["manifest"]

    def blob(descriptor: Any) -> bytes:
        data = (layout / "blobs" / descriptor["digest"].replace(":", "/")).read_bytes()
        assert (f"sha256:{sha256(data).hexdigest()}", len(data)) == (descriptor["digest"], descriptor["size"])
        return data

    manifest = json.loads(blob(root))
    assert blob(manifest["config"]) == b"{}"
    found = {item["annotations"]["org.opencontainers.image.title"]: blob(item) for item in manifest["layers"]}
    assert found == contents(DIST)


def test_the_wheel_names_the_library_and_what_it_is_made_of(released: Path, opwright: Opwright) -> None:
    assert opwright("publish").status == 0
    with zipfile.ZipFile(io.BytesIO((DIST / "base-1.0.0-py3-none-any.whl").read_bytes())) as wheel:
        entries = wheel.read("base-1.0.0.dist-info/entry_points.txt").decode()
        bill = wheel.read("base-1.0.0.dist-info/sboms/base.cdx.json")
    assert entries == "[opwright.libraries]\nbase = base\n"
    assert bill == (DIST / "base-1.0.0.cdx.json").read_bytes()
