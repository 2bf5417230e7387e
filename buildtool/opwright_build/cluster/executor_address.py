"""Where the scheduler of a cluster is, as `--executor` names it: `dask:tcp://host:port` or `dask:tls://host:port`."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError

from opwright_build.engine.system_errors import InfrastructureError

_FORM = re.compile(r"dask:(?P<scheme>tcp|tls)://(?P<host>\[[0-9A-Fa-f:.]+\]|[\w.-]+):(?P<port>[0-9]{1,5})")
_PLAIN = re.compile(r"tcp://(?P<host>\[[0-9A-Fa-f:.%\w]+\]|[^:/]+):[0-9]+")
_LAST_PORT = 65535


@dataclass(frozen=True, slots=True)
class ExecutorAddress:
    """`url` is what is connected to, without names where the connection is not encrypted; `text` as it was given."""

    text: str
    url: str
    is_encrypted: bool


def parse_executor(text: str) -> ExecutorAddress:
    """The address. DiagnosticError: OW960 for another form, OW961 for a plain connection that leaves this machine."""
    found = _FORM.fullmatch(text)
    if found is None or not 0 < int(found["port"]) <= _LAST_PORT:
        raise DiagnosticError([_malformed(text)])
    scheme, host, port = found["scheme"], found["host"], int(found["port"])
    if scheme == "tls":
        return ExecutorAddress(text, f"tls://{host}:{port}", True)
    number = _loopback(host, port)
    if number is None:
        raise DiagnosticError([_plain(f"{host}:{port}")])
    return ExecutorAddress(text, f"tcp://[{number}]:{port}" if ":" in number else f"tcp://{number}:{port}", False)


def require_loopback(addresses: Iterable[str]) -> None:
    """Raises InfrastructureError (OW961) where workers of a scheduler without TLS are on other machines."""
    for address in addresses:
        found = _PLAIN.fullmatch(address)
        if address.startswith("inproc://"):
            continue
        if found is None or not _is_loopback(found["host"].strip("[]")):
            raise InfrastructureError([_plain(address)])


def _loopback(host: str, port: int) -> str | None:
    """The number of this machine that a host stands for; None where any of its numbers is of another one."""
    try:
        found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except OSError:
        return None
    numbers = [str(item[4][0]) for item in found]
    return numbers[0] if numbers and all(map(_is_loopback, numbers)) else None


def _is_loopback(number: str) -> bool:
    try:
        return ipaddress.ip_address(number).is_loopback
    except ValueError:
        return False


def _malformed(text: str) -> Diagnostic:
    shown = "".join(letter if letter.isprintable() else "?" for letter in text)
    help_ = "write dask:tls://host:port, or dask:tcp://127.0.0.1:port for a scheduler on this machine"
    return Diagnostic("OW960", f"--executor {shown}: that is no address of a scheduler", help=help_)


def _plain(where: str) -> Diagnostic:
    return Diagnostic(
        "OW961",
        f"{where} is not on this machine, and tcp is not encrypted",
        reason="anybody on the way could read the sources, and change the results that are kept",
        help="start the scheduler and its workers with TLS, and write dask:tls://host:port",
    )
