from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from opwright_build.sandbox.levels import CAGES
from opwright_build.verify.cases import oracle_messages
from opwright_build.verify.cases.oracle import Failure, Limits, Oracle, OracleFailure, Reference, as_float64

SOURCE = b"""
import os
import sys

import numpy as np

calls = 0

def Scale(X, factor=1.0, names=()):
    return X * factor

def Two(X, Y=None):
    return X + 1, np.asarray(Y is None)

def Whole(X):
    return np.array([2**63 + 1], dtype=np.uint64), X.astype(np.int8), X > 0

def Text(X):
    return np.array([["a", "b\\n"]], dtype=object)

def Narrow(X):
    return X.astype(np.float32)

def Chatty(X):
    print("noise", flush=True)
    os.write(1, b"more noise")
    sys.stderr.write("and more")
    return len(sys.stdin.read())

def Count(X):
    global calls
    calls += 1
    return calls

def World(X):
    environment = {name for name in os.environ if name not in ("LC_CTYPE", "OPENBLAS_NUM_THREADS", "SYSTEMROOT")}
    return np.array([repr(sorted(environment)), os.getcwd(), str(sys.flags.isolated), repr(sys.path)], dtype=object)

def Leave(X):
    with open("left.txt", "w") as stream:
        stream.write("x")
    return os.listdir(".")[0]

def Divide(X):
    return X / 0.0

def Raises(X):
    raise KeyError("no such thing")

def Exits(X):
    sys.exit(0)

def Dies(X):
    os._exit(7)

def Crashes(X):
    os.kill(os.getpid(), 11)

def Fills(X):
    return np.ones(1 << 31)

def Hangs(X):
    while True:
        pass

def Sleeps(X):
    import time
    time.sleep(60)

def Forks(X):
    import time
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
    return 1.0

def Meddles(X):
    for descriptor in range(3, 30):
        try:
            os.write(descriptor, b"x" * 64)
        except OSError:
            pass
    return X

def Object(X):
    return object()

def Packed(X):
    import bz2, decimal, hashlib, lzma, zlib
    data = X.tobytes()
    assert decimal.Decimal("0.1") * 3 == decimal.Decimal("0.3")
    assert hashlib.sha256(data).digest() and hashlib.md5(data).digest()
    for module in (bz2, lzma, zlib):
        data = module.decompress(module.compress(data))
    return np.frombuffer(data, X.dtype)

def Masked(X):
    return np.ma.masked_less(X, 0) * 2

def Unmasked(X):
    return np.ma.masked_less(X, -9) * 2
"""
X = np.array([1.0, -2.5])


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle(Limits(wall=20.0)) as started:
        yield started


def ask(oracle: Oracle, function: str, *inputs: np.ndarray | None, **attributes: object) -> list[object]:
    outputs = oracle.ask(Reference(SOURCE), function, inputs or (X,), attributes)
    return [(output.dtype.name, output.tolist()) for output in outputs]


def failure(oracle: Oracle, function: str) -> OracleFailure:
    with pytest.raises(OracleFailure) as caught:
        ask(oracle, function)
    return caught.value


def test_answers(oracle: Oracle) -> None:
    assert ask(oracle, "Scale", factor=2.0, names=["a"]) == [("float64", [2.0, -5.0])]
    assert ask(oracle, "Two", X, None) == [("float64", [2.0, -1.5]), ("bool", True)]
    assert ask(oracle, "Two", np.int64(3), X) == [("int64", 4), ("bool", False)]
    assert ask(oracle, "Whole") == [("uint64", [2**63 + 1]), ("int8", [1, -2]), ("bool", [True, False])]
    assert ask(oracle, "Text") == [("object", [["a", "b\n"]])]
    assert ask(oracle, "Scale", np.array([1 - 2j, 3], np.complex64)) == [("complex64", [1 - 2j, 3])]
    assert ask(oracle, "Narrow") == [("float64", [1.0, -2.5])]


def test_shapes_pass_unchanged(oracle: Oracle) -> None:
    for shape in ((), (0, 3), (2, 1, 2)):
        (output,) = oracle.ask(Reference(SOURCE), "Scale", [np.ones(shape)], {})
        assert output.shape == shape


def test_special_values_pass_unchanged(oracle: Oracle) -> None:
    values = np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324])
    (output,) = oracle.ask(Reference(SOURCE), "Scale", [values], {})
    assert output.tobytes() == values.tobytes()


def test_one_child_serves_all(oracle: Oracle) -> None:
    first = ask(oracle, "Count")
    assert ask(oracle, "Count")[0][1] == first[0][1] + 1  # type: ignore[index,operator]
    other = Reference(SOURCE + b"\n# another file\n")
    assert oracle.ask(other, "Count", [X], {})[0].tolist() == 1


def test_what_it_prints_and_reads_leads_nowhere(oracle: Oracle, capfd: pytest.CaptureFixture[str]) -> None:
    assert ask(oracle, "Chatty") == [("int64", 0)]
    assert ask(oracle, "Scale") == [("float64", [1.0, -2.5])]
    assert capfd.readouterr() == ("", "")


def test_it_runs_in_a_bare_world(oracle: Oracle, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPWRIGHT_SECRET", "1")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    oracle.close()
    environment, folder, isolated, path = ask(oracle, "World")[0][1]  # type: ignore[index]
    assert environment == "[]"
    assert not Path(folder).is_relative_to(Path.cwd())
    assert isolated == "1"
    assert str(tmp_path) not in path
    assert "buildtool" not in path
    assert ask(oracle, "Leave") == [("object", "left.txt")]
    oracle.close()
    assert not Path(folder).exists()


def test_modules_that_load_libraries_of_the_system_are_there(oracle: Oracle) -> None:
    assert ask(oracle, "Packed") == [("float64", [1.0, -2.5])]


def test_warnings_of_numpy_are_no_failure(oracle: Oracle) -> None:
    assert ask(oracle, "Divide") == [("float64", [np.inf, -np.inf])]


def test_exceptions_name_the_line(oracle: Oracle) -> None:
    raised = failure(oracle, "Raises")
    assert raised.kind is Failure.RAISED
    assert raised.text == "KeyError: 'no such thing'"
    assert SOURCE.decode().splitlines()[raised.line - 1].strip() == 'raise KeyError("no such thing")'
    assert failure(oracle, "Exits").text == "SystemExit: 0"
    assert "no tensor" in failure(oracle, "Object").text
    assert "masked elements" in failure(oracle, "Masked").text  # what lies below the mask is no result
    assert ask(oracle, "Unmasked") == [("float64", [2.0, -5.0])]


def test_a_file_that_cannot_be_loaded(oracle: Oracle) -> None:
    with pytest.raises(OracleFailure) as caught:
        oracle.ask(Reference(b"x = 1\nraise ValueError('at once')\n"), "F", [X], {})
    assert (caught.value.kind, caught.value.text, caught.value.line) == (Failure.RAISED, "ValueError: at once", 2)


@pytest.mark.skipif(os.name != "posix", reason="signals and resource limits are POSIX's")
@pytest.mark.parametrize(
    ("function", "text"),
    [
        ("Dies", "its process ended with exit code 7"),
        ("Crashes", "its process died of SIGSEGV"),
        ("Meddles", "it wrote into the pipe that carries its answers"),
    ],
)
def test_a_crash_costs_its_own_answer_alone(oracle: Oracle, function: str, text: str) -> None:
    stopped = failure(oracle, function)
    assert (stopped.kind, stopped.text) == (Failure.STOPPED, text)
    assert ask(oracle, "Scale") == [("float64", [1.0, -2.5])]


@pytest.mark.skipif(os.name != "posix", reason="resource limits are POSIX's")
def test_limits() -> None:
    with Oracle(Limits(wall=10.0, cpu=1, memory=1 << 30)) as oracle:
        assert "MemoryError" in failure(oracle, "Fills").text
        assert "processor time" in failure(oracle, "Hangs").text
        assert ask(oracle, "Scale") == [("float64", [1.0, -2.5])]
    with Oracle(Limits(wall=0.7)) as oracle:
        assert failure(oracle, "Sleeps").text == "it took longer than 0.7 s"
    with Oracle(Limits(wall=30.0), CAGES[-1:]) as oracle:
        assert ask(oracle, "Forks") == [("float64", 1.0)], "its child, which sleeps for longer, is not waited for"


def test_processor_time_counts_for_each_request_alone() -> None:
    busy = b"import time\ndef F(X):\n    end = time.process_time() + 0.6\n    while time.process_time() < end: pass\n"
    with Oracle(Limits(wall=20.0, cpu=1)) as oracle:
        for _ in range(5):
            with pytest.raises(OracleFailure) as caught:  # it returns None, which is no tensor
                oracle.ask(Reference(busy), "F", [X], {})
            assert caught.value.kind is Failure.RAISED


def test_float64_of_every_width() -> None:
    import ml_dtypes

    for dtype in (np.float16, np.float32, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
        assert as_float64(np.array([1.5], dtype=dtype)).dtype == np.float64
    assert as_float64(np.array([1], dtype=np.int32)).dtype == np.int32


def test_messages() -> None:
    header, parts = {"a": [1, None], "b": "ü"}, [b"", b"xyz"]
    message = oracle_messages.pack(header, parts)
    assert oracle_messages.unpack(message) == (header, parts)
    for broken in (
        b"",
        message[:-1],
        message + b"x",
        b"\xff" * len(message),
        oracle_messages.pack({}, [])[:16] + b"[]",
    ):
        with pytest.raises(oracle_messages.BadMessage):
            oracle_messages.unpack(broken)
