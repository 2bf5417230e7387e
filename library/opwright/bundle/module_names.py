"""What the modules of a generated package are called."""

from __future__ import annotations

import re


def domain_prefix(domain: str) -> str:
    """What stands before `_opset<N>` for a domain that is not the package's first one."""
    return re.sub(r"\W", "_", domain)
