"""The files that a connection by TLS needs: whom this user trusts, and who this user is.

They are those of dask's own configuration, that is of the environment (`DASK_DISTRIBUTED__COMM__TLS__CA_FILE` and so
on) or of the user's configuration folder. One in a library's folder is refused: what comes with a checkout cannot say
whom to trust.
"""

from __future__ import annotations

import os
import stat
import sys

from opwright.diagnostics.diagnostic import Diagnostic

from opwright_build.engine.system_errors import InfrastructureError
from opwright_build.import_path import library_around

_VARIABLES = {
    "ca-file": "DASK_DISTRIBUTED__COMM__TLS__CA_FILE",
    "cert": "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT",
    "key": "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY",
}


def require_tls_file(what: str, path: object) -> str:
    """The path of one of these files, `ca-file`, `cert` or `key`. InfrastructureError (OW962) unless it is absolute,
    a regular file, outside of any library, and one that others could not have written, or, of the key, read."""
    variable = _VARIABLES[what]
    if not isinstance(path, str) or not path:
        raise _refused(f"no {what} is known for TLS", "", f"set {variable}, or what dask's own configuration names so")
    if not os.path.isabs(path):
        raise _refused(f"{path!r} is no absolute path", "what it means would depend on the current folder", variable)
    real = os.path.realpath(path)
    if library_around(os.path.dirname(path)) is not None or library_around(os.path.dirname(real)) is not None:
        raise _refused(f"{os.path.basename(path)} lies in a library", "a checkout cannot say whom to trust", variable)
    try:
        status = os.stat(real)
    except OSError as error:
        raise _refused(f"{os.path.basename(path)} is not used", error.strerror or "", variable) from None
    if not stat.S_ISREG(status.st_mode):
        raise _refused(f"{os.path.basename(path)} is not used", "it is no regular file", variable)
    if sys.platform != "win32":  # there, access lists of the folder keep it private
        if status.st_uid not in (os.geteuid(), 0):
            raise _refused(f"{os.path.basename(path)} is not used", "it belongs to another user", variable)
        if stat.S_IMODE(status.st_mode) & (0o077 if what == "key" else 0o022):
            does = "read" if what == "key" else "write"
            raise _refused(f"{os.path.basename(path)} is not used", f"other users could {does} it", variable)
    return path


def _refused(message: str, reason: str, help_: str) -> InfrastructureError:
    text = help_ if " " in help_ else f"{help_} names the file"
    return InfrastructureError(
        [Diagnostic("OW962", f"the cluster cannot be asked: {message}", reason=reason, help=text)]
    )
