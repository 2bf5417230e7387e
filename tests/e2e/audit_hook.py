"""Copied into the environment of an audited run, whose `.pth` file makes every process of it start with this.

It writes a line of JSON for each thing that a build must not do: run code of a spec, compile it to anything but a
tree, import from `specs/`, start a process, open a socket, write outside of the outputs and the cache. Settings lie
beside it.
"""

import ast
import hashlib
import json
import os
import sys

with open(os.path.join(os.path.dirname(__file__), "audit_settings.json"), encoding="utf-8") as _file:
    _SETTINGS = json.load(_file)
_SPECS = _SETTINGS["specs"]
_WRITABLE = tuple(_SETTINGS["writable"])
_SOURCES = frozenset(_SETTINGS["sources"])  # digests of every Python file below specs/
_NAMES = frozenset(_SETTINGS["names"])  # and their names, under which the oracle compiles them
_LOG = os.open(_SETTINGS["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_PROCESSES = (
    "subprocess.Popen",
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.spawn",
    "os.startfile",
    "os.system",
    "pty.spawn",
)
_CHANGES = {  # event -> how many of its arguments are paths
    "os.chmod": 1,
    "os.chown": 1,
    "os.link": 2,
    "os.mkdir": 1,
    "os.remove": 1,
    "os.rename": 2,
    "os.rmdir": 1,
    "os.symlink": 2,
    "os.truncate": 1,
    "os.utime": 1,
}
_busy = False


def _hook(event, arguments):
    global _busy
    if _busy:
        return
    _busy = True
    try:
        found = _judge(event, arguments, _caller())
        if found is not None:
            _tell(kind=found[0], event=event, detail=found[1], by_spec=_by_spec())
    finally:
        _busy = False


def _caller():
    """The file and the name of the function that caused the event; the interpreter itself has neither."""
    try:
        code = sys._getframe(2).f_code
    except ValueError:
        return "", ""
    return code.co_filename, code.co_name


def _judge(event, arguments, caller):
    if event == "exec":
        spec = _is_spec(arguments[0].co_filename) or _is_spec(caller[0])
        return ("exec", arguments[0].co_filename) if spec else None
    if event == "compile":
        return _judge_compile(*arguments[:2], caller)
    if event == "import":
        below = [entry for entry in sys.path if _is_below(entry or os.getcwd())]
        return ("import", f"{arguments[0]} with {below[0]} on the path") if below else None
    if event in _PROCESSES:
        return ("process", repr(arguments[0])[:200] if arguments else "")
    if event.startswith("socket."):
        return ("socket", event)
    if event == "open":
        path, _, flags = arguments
        return ("write", str(path)) if flags & _WRITES and not _is_writable(path) else None
    if event in _CHANGES:
        outside = [path for path in arguments[: _CHANGES[event]] if not _is_writable(path)]
        return ("write", str(outside[0])) if outside else None
    return None


def _judge_compile(source, filename, caller):
    if caller == (ast.__file__, "parse"):
        return None  # to a tree, and no further
    filename = os.fsdecode(filename) if isinstance(filename, (str, bytes)) else ""
    if isinstance(source, str):
        source = source.encode("utf-8", "surrogatepass")
    known = isinstance(source, bytes) and hashlib.sha256(source).hexdigest() in _SOURCES
    return ("compile", filename) if known or _is_spec(filename) or _is_spec(caller[0]) else None


def _by_spec():
    frame = sys._getframe()
    while frame is not None:
        if _is_spec(frame.f_code.co_filename):
            return True
        frame = frame.f_back
    return False


def _is_spec(filename):
    return filename in _NAMES or (os.path.isabs(filename) and _is_below(filename))


def _is_below(path):
    return (os.path.abspath(path) + os.sep).startswith(_SPECS + os.sep)


def _is_writable(path):
    if isinstance(path, int):
        return True  # an open file; it was judged when it was opened
    path = os.path.realpath(os.fsdecode(path))
    return path == os.devnull or any(path == root or path.startswith(root + os.sep) for root in _WRITABLE)


def _tell(**line):
    data = json.dumps({"pid": os.getpid(), **line}).encode() + b"\n"
    try:
        os.write(_LOG, data)
    except OSError:  # a process that runs a reference closes what it has not opened itself
        log = os.open(_SETTINGS["log"], os.O_WRONLY | os.O_APPEND)
        os.write(log, data)
        os.close(log)


_tell(kind="armed", detail=" ".join(sys.argv[:1]))
sys.executable = _SETTINGS["executable"]  # what our own code starts processes with
sys.addaudithook(_hook)
