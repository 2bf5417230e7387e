"""Which machine this is: one text that stays the same from start to start, and differs from machine to machine."""

from __future__ import annotations

import os
import sys

if sys.platform == "win32":
    import winreg

    def machine_identity() -> str:
        """The identity that Windows was installed with, else the machine's name."""
        try:
            with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, r"SOFTWARE\Microsoft\Cryptography") as key:
                return str(winreg.QueryValueEx(key, "MachineGuid")[0])
        except OSError:
            return os.environ.get("COMPUTERNAME", "")
else:
    _FILES = ("/etc/machine-id", "/var/lib/dbus/machine-id")
    _MOST_BYTES = 128

    def machine_identity() -> str:
        """The identity that the system was installed with, else the machine's name."""
        for path in _FILES:
            try:
                with open(path, "rb") as file:
                    identity = file.read(_MOST_BYTES).strip()
            except OSError:
                continue
            if identity:  # images of containers come with an empty file
                return identity.decode("ascii", "replace")
        return os.uname().nodename
