"""Builds and tests on a cluster of dask: a scheduler, and two workers of which one is killed (`nox -s services`)."""

from __future__ import annotations

import datetime
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import distributed
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from opwright_build.cluster import dask_cluster

from tests.cli.conftest import BASE, run_command

NAMES = [f"Swish{letter}" for letter in "ABCDEFGHIJ"]
CALLER = """\
from base import opset1 as acme


def Twice(X):
    return acme.SwishA(acme.SwishB(X))
"""
CALLER_SPEC = """\
schema: 1
domain: com.acme
name: Twice
summary: Two of them.
since_version: 1
opset: ">=18"
inputs: {X: T}
outputs: {Y: T}
types: {T: [float, double]}
vectors: [vectors.yaml]
"""
CALLER_ROWS = """\
schema: 1
rows:
  - {name: zero, inputs: {X: 0.0}, outputs: {Y: 0.0}}
"""


@dataclass
class Cluster:
    """A scheduler and its workers, each a process."""

    folder: Path
    scheme: str = "tcp"
    options: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    port: int = 0
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    scheduler: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        return f"dask:{self.url}"

    def start(self, workers: int = 2) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        where = ("--host", self.url) if self.scheme == "tls" else ("--host", "127.0.0.1", "--port", str(self.port))
        self.scheduler = self._process("dask_scheduler", "scheduler", *where, "--no-show")
        for _ in range(workers):
            self.add_worker()

    def add_worker(self, environment: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        name = f"worker{len(self.workers)}"
        words = (self.url, "--nthreads", "1", "--no-nanny", "--name", name, "--death-timeout", "60")
        given = (*words, "--local-directory", str(self.folder / name))
        self.workers.append(self._process("dask_worker", name, *given, environment=environment))
        return self.workers[-1]

    def _process(
        self, module: str, name: str, *words: str, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        (self.folder / f"{name}.d").mkdir()
        with (self.folder / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{module}", *words, "--no-dashboard", *self.options],
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder / f"{name}.d",
                env={**os.environ, **self.environment, **(environment or {})},
            )

    def client(self) -> distributed.Client:
        return distributed.Client(self.url, set_as_default=False, timeout=60)

    def wait_for(self, workers: int) -> None:
        with self.client() as client:
            client.wait_for_workers(workers, timeout=120)

    def stop(self) -> None:
        for process in (*self.workers, *((self.scheduler,) if self.scheduler else ())):
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """It is not started yet."""
    (tmp_path / "cluster").mkdir()
    found = Cluster(tmp_path / "cluster")
    yield found
    found.stop()


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Ten functions alike, and one that calls two of them; the current folder is its root."""
    root = Path(shutil.copytree(BASE, tmp_path / "library"))
    home = root / "specs" / "com.acme"
    add_copies(home, NAMES)
    (home / "Twice").mkdir()
    for file, text in (("spec.yaml", CALLER_SPEC), ("function.py", CALLER), ("vectors.yaml", CALLER_ROWS)):
        (home / "Twice" / file).write_text(text)
    monkeypatch.chdir(root)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return root


def add_copies(home: Path, names: Iterable[str]) -> None:
    """Functions that are Swish under other names."""
    for name in names:
        shutil.copytree(home / "Swish", home / name)
        for path in (home / name).iterdir():
            path.write_text(path.read_text().replace("Swish", name))


def started(*words: str) -> subprocess.Popen[str]:
    """A command in a process of its own, whose signals are those of a shell."""
    command = [sys.executable, "-c", "import sys; from opwright_build.cli.entry import main; sys.exit(main())", *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, preexec_fn=heed_interrupts)


def heed_interrupts() -> None:
    """In a child: SIGINT is heeded, though the tests themselves may run where a shell ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def finished(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return [json.loads(line) for line in out.splitlines()]


def written(root: Path) -> dict[str, bytes]:
    folders = [root / "dist", root / "library"]
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def outcomes(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    return sorted(json.dumps(line) for line in lines if line["event"] in ("outcome", "finding"))


def afresh(root: Path) -> None:
    for name in (".opwright", "dist", "library"):
        shutil.rmtree(root / name, ignore_errors=True)


def until(holds: Callable[[], bool]) -> None:
    for _ in range(1200):
        if holds():
            return
        time.sleep(0.1)
    raise AssertionError("it does not happen")


def kill_the_one_at_work(cluster: Cluster, client: distributed.Client) -> None:
    """Kills a worker, without a last word, while it runs something."""
    busy: list[str] = []

    def some_work() -> bool:
        names = {address: info["name"] for address, info in client.scheduler_info(n_workers=-1)["workers"].items()}
        busy[:] = [str(names[address]) for address, keys in client.processing().items() if keys and address in names]
        return bool(busy)

    until(some_work)
    worker = cluster.workers[int(busy[0].removeprefix("worker"))]
    worker.kill()
    worker.wait()


@pytest.mark.parametrize("failures", ["3", "0"])
def test_a_run_whose_worker_is_killed_ends_as_a_local_one(failures: str, cluster: Cluster, library: Path) -> None:
    """With no failure allowed the scheduler gives up what a killed worker was at, and the command sends it again."""
    finished(started("build", "--json"))
    bundle = written(library)
    expected = outcomes(finished(started("test", "--json")))
    assert len(expected) > 150
    cluster.environment = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": failures}
    for command in ("build", "test"):
        cluster.stop()
        shutil.rmtree(cluster.folder)
        cluster.folder.mkdir()
        cluster.workers.clear()
        cluster.start()
        cluster.wait_for(2)
        afresh(library)
        with cluster.client() as client:
            process = started(command, "--json", "--executor", cluster.address)
            kill_the_one_at_work(cluster, client)
            lines = finished(process)
        if command == "build":
            assert lines[-1]["actions_run"] == len(NAMES) + 4
            assert written(library) == bundle
        else:
            assert outcomes(lines) == expected
            assert lines[-1]["workers"]["level"] >= 0
    cluster.stop()
    kept = finished(started("test", "--json"))
    assert outcomes(kept) == expected, "what the cluster has judged is known here, on a machine like its own"
    assert kept[-1]["kept"] == kept[-1]["cases"] * 9


def test_ctrl_c_ends_what_was_submitted(cluster: Cluster, library: Path) -> None:
    add_copies(library / "specs" / "com.acme", (f"Made{number}" for number in range(100)))  # a build of some seconds
    cluster.start()
    cluster.wait_for(2)
    with cluster.client() as client:
        process = started("build", "--executor", cluster.address)
        until(lambda: any(client.processing().values()))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 130
        assert err.endswith("interrupted\n")
        assert "Traceback" not in err

        def all_forgotten() -> bool:
            return not client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))

        until(all_forgotten)
        until(lambda: not any(client.processing().values()))
    assert finished(started("build", "--json", "--executor", cluster.address))[-1]["exit"] == 0


def codes(*words: str) -> tuple[int, list[str], str]:
    ran = run_command(*words, "--json")
    found = [line["finding"] for line in ran.lines if line["event"] == "finding"]
    return ran.status, [item["code"] for item in found], " ".join(item["message"] for item in found)


def test_a_cluster_without_workers_or_without_a_scheduler(
    cluster: Cluster, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_cluster, "PATIENCE", 2.0)
    cluster.start(workers=0)
    with cluster.client():
        pass
    status, found, message = codes("build", "--executor", cluster.address)
    assert (status, found) == (3, ["OW964"])
    assert "it has no workers" in message
    cluster.stop()
    status, found, _ = codes("build", "--executor", cluster.address)
    assert (status, found) == (3, ["OW964"])


def test_all_workers_are_lost_in_the_middle(cluster: Cluster, library: Path) -> None:
    cluster.start(workers=1)
    cluster.wait_for(1)
    with cluster.client() as client:
        patience = "import opwright_build.cluster.dask_cluster as d; d.PATIENCE = 2.0;"
        command = f"import sys; {patience} from opwright_build.cli.entry import main; sys.exit(main(sys.argv[1:]))"
        words = [sys.executable, "-c", command, "build", "--json", "--executor", cluster.address]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        kill_the_one_at_work(cluster, client)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 3
    assert '"OW964"' in out


def test_a_worker_with_other_versions_is_refused(cluster: Cluster, library: Path, tmp_path: Path) -> None:
    (tmp_path / "other" / "numpy-0.9.dist-info").mkdir(parents=True)
    cluster.start(workers=1)
    cluster.add_worker({"PYTHONPATH": str(tmp_path / "other")})
    cluster.wait_for(2)
    status, found, message = codes("build", "--executor", cluster.address)
    assert (status, found) == (3, ["OW965"])
    assert "numpy 0.9, not " in message
    assert not (library / "dist").exists()


def test_one_that_joins_later_is_refused_too(cluster: Cluster, library: Path, tmp_path: Path) -> None:
    (tmp_path / "other" / "numpy-0.9.dist-info").mkdir(parents=True)
    cluster.start(workers=1)
    cluster.wait_for(1)
    with cluster.client() as client:
        process = started("build", "--json", "--executor", cluster.address)
        until(lambda: any(client.processing().values()))
        cluster.add_worker({"PYTHONPATH": str(tmp_path / "other")})
        cluster.wait_for(2)
        cluster.workers[0].kill()
        out, err = process.communicate(timeout=600)
    if process.returncode == 0:  # it was done before the first one was killed
        assert '"OW965"' not in out
    else:
        assert process.returncode == 3, err
        assert '"OW965"' in out


# ----------------------------------------------------------------------------------------------------------- TLS


def certificate(folder: Path, name: str, issuer: tuple[Any, Any] | None = None) -> tuple[Any, Any]:
    """A certificate and its key, as files `<name>.pem` and `<name>.key`; without an issuer, that of an authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer[0].subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(issuer[1] if issuer else key, hashes.SHA256())
    )
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / f"{name}.key").write_bytes(private)
    (folder / f"{name}.key").chmod(0o600)
    return made, key


def test_tls(cluster: Cluster, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = tmp_path / "tls"
    authority = certificate(files, "authority")
    certificate(files, "cluster", authority)
    certificate(files, "user", authority)
    certificate(files, "stranger", certificate(tmp_path / "elsewhere", "other"))
    cluster.scheme = "tls"
    given = ("authority.pem", "cluster.pem", "cluster.key")
    names = ("--tls-ca-file", "--tls-cert", "--tls-key")
    cluster.options = [word for pair in zip(names, (str(files / file) for file in given), strict=True) for word in pair]

    def known(ca: Path, cert: Path, key: Path) -> None:
        monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TLS__CA_FILE", str(ca))
        monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT", str(cert))
        monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY", str(key))

    def told(status: int) -> str:
        process = started("build", "--json", "--executor", cluster.address)
        out, err = process.communicate(timeout=300)
        assert process.returncode == status, err
        return out

    with ExitStack() as stack:
        stack.callback(cluster.stop)
        cluster.start()
        assert '"OW962"' in told(3), "nothing is known of TLS"
        known(files / "authority.pem", files / "stranger.pem", files / "stranger.key")
        assert '"OW964"' in told(3), "the authority has not signed this one"
        shutil.copytree(files, library / "tls")
        known(library / "tls" / "authority.pem", files / "user.pem", files / "user.key")
        assert '"OW962"' in told(3), "a file of the library"
        known(files / "authority.pem", files / "user.pem", files / "user.key")
        (files / "user.key").chmod(0o644)
        assert '"OW962"' in told(3), "a key that others can read"
        (files / "user.key").chmod(0o600)
        told(0)
    assert "dist/base-1.0.0.onnxlib" in written(library)
