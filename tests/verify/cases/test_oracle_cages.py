"""What a hostile reference can do in each cage: what a stranger would write, and what it gets."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from opwright_build.sandbox.levels import CAGES, Cage
from opwright_build.verify.cases.oracle import Failure, Limits, Oracle, OracleFailure, Reference

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there are no cages on other systems")
X = np.array([1.0, 2.0])
HOSTILE = """
import numpy as np
os = np.os if hasattr(np, "os") else __import__("os")
import ctypes, socket

def Read(X):
    return np.array([open({secret!r}).read()], dtype=object)

def Passwords(X):
    return np.array([open("/etc/passwd").read()], dtype=object)

def Home(X):
    return np.array(os.listdir({home!r}), dtype=object)

def Library(X):
    return np.array(os.listdir({library!r}), dtype=object)

def Environment(X):
    return np.array([open("/proc/{parent}/environ", errors="replace").read()], dtype=object)

def Write(X):
    open({secret!r}, "a").write("more")
    return X

def Create(X):
    open({secret!r} + "-new", "w").close()
    return X

def Shared(X):
    open("/dev/shm/opwright-{parent}", "w").close()
    os.unlink("/dev/shm/opwright-{parent}")
    return X

def Mode(X):
    os.chmod({secret!r}, 0o777)
    return X

def Connect(X):
    socket.create_connection(("127.0.0.1", {port}), timeout=5).close()
    return X

def Signal(X):
    os.kill({parent}, 0)
    return X

def Parent(X):
    os.kill(os.getppid(), 9)
    return X

def Start(X):
    assert os.system("exit 3") == 3 << 8, "no program was run"
    return X

def Fork(X):
    if os.fork() == 0:
        os._exit(0)
    os.wait()
    return X

def Memory(X):
    class Vector(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
    into = ctypes.create_string_buffer(8)
    here, there = Vector(ctypes.addressof(into), 8), Vector({address}, 8)
    function = ctypes.CDLL(None, use_errno=True).process_vm_readv
    function.argtypes = [ctypes.c_int] + [ctypes.c_void_p, ctypes.c_ulong] * 2 + [ctypes.c_ulong]
    if function({parent}, ctypes.addressof(here), 1, ctypes.addressof(there), 1, 0) < 0:
        raise OSError(ctypes.get_errno(), "process_vm_readv")
    return np.array([into.raw.decode()], dtype=object)

def Scratch(X):
    np.save("kept.npy", X)
    return np.load("kept.npy")

def Numpy(X):
    return np.linalg.svd(np.outer(X, X))[1] + np.fft.fft(X).real + np.random.default_rng(0).random(2)

def Threads(X):
    import threading
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()
    return X

def Self(X):
    os.kill(os.getpid(), 0)
    return X

def Folder(X):
    return np.array(os.listdir("."), dtype=object)
"""
HONEST = ("Scratch", "Numpy", "Threads", "Self", "Folder")
# At level 2 without the filter, what a reference starts ends with it and sees nothing; its parent there is the first
# process of a namespace, which is not killed from within.
HARMLESS_IN_NAMESPACES = ("Fork", "Parent")


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[tuple[Reference, Path]]:
    secret = tmp_path / "secret"
    secret.write_text("a secret")
    held = np.frombuffer(b"inmemory", dtype=np.uint8).copy()
    with socket.create_server(("127.0.0.1", 0)) as server:
        source = HOSTILE.format(
            secret=str(secret),
            home=str(Path.home()),
            library=str(Path(__file__).parent),
            parent=os.getpid(),
            port=server.getsockname()[1],
            address=held.ctypes.data,
        )
        threading.Thread(target=_accept, args=(server,), daemon=True).start()
        yield Reference(source.encode()), secret


def _accept(server: socket.socket) -> None:
    try:
        while True:
            server.accept()[0].close()
    except OSError:
        return


def in_cage(cage: Cage) -> Oracle:
    """An oracle in this cage; where the machine has none, in the one without, and it says why."""
    return Oracle(Limits(wall=30.0), (cage, CAGES[-1]))


def functions() -> list[str]:
    return [line[4:].partition("(")[0] for line in HOSTILE.splitlines() if line.startswith("def ")]


@pytest.mark.parametrize("cage", CAGES[:-1], ids=lambda cage: cage.name)
def test_attacks_are_refused(hostile: tuple[Reference, Path], cage: Cage) -> None:
    reference, secret = hostile
    before = secret.stat()
    with in_cage(cage) as oracle:
        if oracle.claim.cage != cage:
            assert oracle.claim.cage == CAGES[-1]
            assert [name for name, reason in oracle.claim.declined if reason] == [cage.name]
            return
        for function in functions():
            if function in HONEST:
                oracle.ask(reference, function, [X], {})
                continue
            if not cage.system_calls and function in HARMLESS_IN_NAMESPACES:
                with contextlib.suppress(OracleFailure):
                    oracle.ask(reference, function, [X], {})
                continue
            with pytest.raises(OracleFailure) as caught:
                oracle.ask(reference, function, [X], {})
            assert caught.value.kind is Failure.RAISED, function
            assert "Error: [Errno" in caught.value.text or "no program was run" in caught.value.text, function
    assert secret.read_text() == "a secret"
    assert (secret.stat().st_mode, secret.stat().st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
    assert list(secret.parent.glob("secret-*")) == []


def test_the_same_attacks_get_through_without_a_cage(hostile: tuple[Reference, Path]) -> None:
    """So what refuses them is the cage."""
    reference, secret = hostile
    with in_cage(CAGES[-1]) as oracle:
        assert oracle.claim.cage.level == 0
        assert oracle.claim.declined == ()
        answers = {
            name: oracle.ask(reference, name, [X], {})[0].tolist()
            for name in ("Read", "Passwords", "Home", "Library", "Environment", "Write", "Create", "Mode", "Connect")
        }
        for name in ("Signal", "Fork", "Start", *HONEST):
            oracle.ask(reference, name, [X], {})
    assert answers["Read"] == ["a secret"]
    assert Path(__file__).name in answers["Library"]
    assert secret.read_text() == "a secretmore"
    assert secret.stat().st_mode & 0o777 == 0o777
    assert secret.with_name("secret-new").exists()


@pytest.mark.parametrize("cage", CAGES, ids=lambda cage: cage.name)
def test_a_reference_is_alone(cage: Cage) -> None:
    """What one changes or writes, the next one does not see; nor does the same one in its next process."""
    spoil = b"import numpy as np\ndef F(X):\n    np.exp = np.sin\n    open('left', 'w').close()\n    return X\n"
    look = b"import numpy as np\ndef F(X):\n    return np.exp(X * 0), np.array(np.os_listdir('.'), dtype=object)\n"
    look = look.replace(b"np.os_listdir", b"__import__('os').listdir")
    with in_cage(cage) as oracle:
        oracle.ask(Reference(spoil), "F", [X], {})
        ones, files = oracle.ask(Reference(look), "F", [X], {})
    assert ones.tolist() == [1.0, 1.0]
    assert files.tolist() == []


@pytest.mark.parametrize("cage", CAGES, ids=lambda cage: cage.name)
def test_limits_hold_in_each_cage(cage: Cage) -> None:
    source = b"import numpy as np\ndef Hangs(X):\n    while True: pass\ndef Fills(X):\n    return np.ones(1 << 31)\n"
    source += b"def Dies(X):\n    __import__('os').abort()\ndef Good(X):\n    return X\n"
    with Oracle(Limits(wall=30.0, cpu=1, memory=1 << 30), (cage, CAGES[-1])) as oracle:
        for function, text in (("Hangs", "processor time"), ("Fills", "MemoryError"), ("Dies", "died of SIGABRT")):
            with pytest.raises(OracleFailure, match=text):
                oracle.ask(Reference(source), function, [X], {})
            assert oracle.ask(Reference(source), "Good", [X], {})[0].tolist() == [1.0, 2.0]
