"""What `--executor` takes, and which connections and files are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright_build.cluster.executor_address import parse_executor, require_loopback
from opwright_build.cluster.tls_files import require_tls_file
from opwright_build.engine.system_errors import InfrastructureError


def code_of(text: str) -> str:
    with pytest.raises(DiagnosticError) as caught:
        parse_executor(text)
    (finding,) = caught.value.diagnostics
    return finding.code


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("dask:tcp://127.0.0.1:8786", "tcp://127.0.0.1:8786"),
        ("dask:tcp://127.8.9.1:1", "tcp://127.8.9.1:1"),
        ("dask:tcp://[::1]:8786", "tcp://[::1]:8786"),
        ("dask:tls://10.0.0.5:8786", "tls://10.0.0.5:8786"),
        ("dask:tls://scheduler.acme.com:65535", "tls://scheduler.acme.com:65535"),
    ],
)
def test_addresses(text: str, url: str) -> None:
    address = parse_executor(text)
    assert (address.url, address.is_encrypted) == (url, url.startswith("tls"))


def test_a_name_of_this_machine_is_resolved_once() -> None:
    assert parse_executor("dask:tcp://localhost:8786").url in ("tcp://127.0.0.1:8786", "tcp://[::1]:8786")


@pytest.mark.parametrize(
    "text",
    [
        "dask",
        "tcp://127.0.0.1:8786",
        "dask:tcp://127.0.0.1",
        "dask:tcp://127.0.0.1:0",
        "dask:tcp://127.0.0.1:65536",
        "dask:udp://127.0.0.1:8786",
        "dask:tls://a b:8786",
        "dask:tls://user@host:8786",
        "dask:tls://host:8786/path",
        "dask:tls://host:8786\n",
        "ray:tcp://127.0.0.1:8786",
        "dask:tls://ho\x1b[2Jst:8786",
    ],
)
def test_other_texts(text: str) -> None:
    assert code_of(text) == "OW960"


@pytest.mark.parametrize("host", ["10.0.0.5", "0.0.0.0", "[::]", "192.0.2.7", "[2001:db8::1]", "no-such-name.invalid"])
def test_plain_connections_to_elsewhere(host: str) -> None:
    assert code_of(f"dask:tcp://{host}:8786") == "OW961"


def test_a_name_that_means_another_machine_too(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [(2, 1, 6, "", ("127.0.0.1", 8786)), (2, 1, 6, "", ("192.0.2.7", 8786))]
    monkeypatch.setattr("socket.getaddrinfo", lambda *given, **options: both)
    assert code_of("dask:tcp://localhost:8786") == "OW961"


def test_workers_on_other_machines() -> None:
    require_loopback(["tcp://127.0.0.1:40001", "tcp://[::1]:40001"])
    for address in ("tcp://10.0.0.5:40001", "tcp://127.0.0.1.acme.com:1", "ucx://127.0.0.1:1", "tcp://[2001:db8::1]:1"):
        with pytest.raises(InfrastructureError) as caught:
            require_loopback(["tcp://127.0.0.1:40001", address])
        assert [item.code for item in caught.value.diagnostics] == ["OW961"]


def test_files_for_tls(tmp_path: Path) -> None:
    def refused(what: str, path: object) -> str:
        with pytest.raises(InfrastructureError) as caught:
            require_tls_file(what, path)
        (finding,) = caught.value.diagnostics
        assert finding.code == "OW962"
        assert str(tmp_path) not in f"{finding.message} {finding.reason} {finding.help}"
        return f"{finding.message}; {finding.reason}"

    key = tmp_path / "user" / "user.key"
    key.parent.mkdir()
    key.write_text("key")
    key.chmod(0o600)
    assert require_tls_file("key", str(key)) == str(key)
    key.chmod(0o640)
    assert "other users could read it" in refused("key", str(key))
    assert require_tls_file("cert", str(key)) == str(key)
    key.chmod(0o622)
    assert "other users could write it" in refused("ca-file", str(key))
    assert "no key is known" in refused("key", None)
    assert "no absolute path" in refused("key", "user.key")
    assert "No such file" in refused("key", str(tmp_path / "nothing"))
    assert "no regular file" in refused("cert", str(key.parent))
    library = tmp_path / "library"
    (library / "specs").mkdir(parents=True)
    (library / "specs" / "library.yaml").write_text("")
    inside = library / "tls" / "user.key"
    inside.parent.mkdir()
    inside.write_text("key")
    inside.chmod(0o600)
    assert "lies in a library" in refused("key", str(inside))
    (tmp_path / "link.key").symlink_to(inside)
    assert "lies in a library" in refused("key", str(tmp_path / "link.key"))
