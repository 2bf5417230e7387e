"""A process that is on Windows as far as our own modules can tell: modules and names that are missing there are hidden.

Paths stay those of this system, and so does what comes with Python or is installed: it is imported before.
"""

from __future__ import annotations

import importlib
import os
import signal
import socket
import stat
import subprocess
import sys
import textwrap
import types
from collections.abc import Sequence
from pathlib import Path

MODULES = ("fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")
OF_OS = """
    chown fchmod fchown fork forkpty getegid geteuid getgid getgroups getloadavg getpgid getpgrp getpriority getresuid
    getsid getuid initgroups killpg lchown lockf major memfd_create minor mkfifo mknod nice openpty pathconf pidfd_open
    pipe2 posix_fadvise posix_fallocate posix_spawn posix_spawnp pread pwrite register_at_fork sched_getaffinity
    sched_setaffinity sched_yield sendfile set_blocking setegid seteuid setgid setgroups setpgid setpriority setregid
    setresuid setreuid setsid setuid statvfs sync sysconf tcgetpgrp tcsetpgrp ttyname uname wait wait3 wait4 waitid
    O_ASYNC O_CLOEXEC O_DIRECTORY O_DSYNC O_NOCTTY O_NOFOLLOW O_NONBLOCK O_PATH O_SYNC O_TMPFILE
"""
OF_SIGNAL = """
    SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGUSR1 SIGUSR2 SIGXCPU SIGXFSZ alarm
    pthread_sigmask setitimer siginterrupt
"""
BEFORE = """
    asyncio concurrent.futures.thread ctypes decimal email http.client importlib.metadata multiprocessing platform queue
    random runpy shutil ssl sysconfig tempfile urllib.request uuid zipfile zoneinfo
    cryptography.hazmat.primitives.asymmetric.ed25519 fsspec.core google.protobuf jinja2 mpmath numpy onnx onnx.checker
    onnx.defs onnx.inliner onnx.reference onnx.shape_inference onnxruntime pydantic yaml
"""


def hide() -> None:
    for name in BEFORE.split():
        try:
            importlib.import_module(name)
        except ImportError:  # an extra
            continue
    kill = signal.SIGKILL
    subprocess.Popen.kill = lambda process: os.kill(process.pid, kill)  # type: ignore[method-assign]
    importlib.import_module("platform").uname()
    importlib.import_module("sysconfig").get_config_vars()
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    for home, names in ((os, OF_OS), (signal, OF_SIGNAL), (socket, "AF_UNIX SO_PEERCRED")):
        for name in names.split():
            if hasattr(home, name):
                delattr(home, name)
    os.supports_follow_symlinks.discard(os.utime)
    setattr(importlib.import_module("shutil"), "_use_fd_functions", False)  # noqa: B010 (a name that stubs lack)
    _refuse_what_windows_refuses()
    sys.modules["msvcrt"] = types.SimpleNamespace(  # type: ignore[assignment]
        LK_NBLCK=2, LK_LOCK=1, locking=lambda descriptor, mode, count: None
    )
    sys.modules["winreg"] = types.SimpleNamespace(HKEY_LOCAL_MACHINE=0, OpenKey=_no_key)  # type: ignore[assignment]
    sys.platform = "win32"


def _no_key(*given: object) -> None:
    raise OSError("no registry here")


def _refuse_what_windows_refuses() -> None:
    open_, utime = os.open, os.utime

    def opened(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if dir_fd is not None:
            raise NotImplementedError("dir_fd unavailable on this platform")
        if os.path.isdir(path):
            raise PermissionError(13, "Permission denied")
        return open_(path, flags, mode)

    def touched(path: str, *given: object, follow_symlinks: bool = True, **options: object) -> None:
        if not follow_symlinks:
            raise NotImplementedError("utime: follow_symlinks unavailable on this platform")
        utime(path, *given, **options)  # type: ignore[arg-type]

    os.open, os.utime = opened, touched  # type: ignore[assignment]


def write_interpreter(path: Path, import_path: Sequence[str]) -> Path:
    """A Python that hides these names before it runs a script; it takes the flags that workers are started with."""
    text = f"""\
        #!{sys.executable} -IS
        import sys

        sys.prefix = sys.exec_prefix = {sys.prefix!r}  # which `site` sets
        before = list(sys.path)
        sys.path[:0] = [{str(Path(__file__).parent)!r}, *{list(import_path)!r}]
        import like_windows

        like_windows.hide()
        sys.path[:] = before
        sys.argv = [word for word in sys.argv[1:] if word not in ("-I", "-S", "-B")]
        sys.executable = {str(path)!r}
        sys.modules["runpy"].run_path(sys.argv[0], run_name="__main__")
        """
    path.write_text(textwrap.dedent(text))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path
