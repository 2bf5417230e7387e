"""What a run says of the sandbox that references ran in, and what it refuses to run without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opwright.diagnostics.diagnostic import Diagnostic, Severity

from opwright_build.engine.system_errors import InfrastructureError

if TYPE_CHECKING:
    from opwright_build.sandbox.levels import Claim


def require(claim: Claim, level: int, of: str = "") -> None:
    """Raises InfrastructureError where the sandbox is of a lower level: the machine has no better one."""
    if claim.cage.level >= level:
        return
    message = f"a sandbox of level {level} is required{of}; this machine gives level {claim.cage.level}"
    help_ = "run where user namespaces, Landlock and seccomp are allowed, or require less"
    raise InfrastructureError([Diagnostic("OW911", message, reason=_reason(claim), help=help_)])


def require_for_workers(claim: Claim, level: int) -> None:
    """The same of the processes in which runtimes load models: they have level 1 at most."""
    require(claim, min(level, 1), " for verification workers")


def warnings(claim: Claim | None) -> list[Diagnostic]:
    """One, where references ran with limits alone."""
    if claim is None or claim.cage.level:
        return []
    help_ = "`--require-sandbox=1` refuses to run them so, and `--no-oracle` runs none"
    message = "reference.py of each spec ran without a sandbox: with limits alone, it can read and write what you can"
    return [Diagnostic("OW910", message, reason=_reason(claim), help=help_, severity=Severity.WARNING)]


def record(claim: Claim | None) -> dict[str, Any] | None:
    """For programs; None where no reference was run."""
    if claim is None:
        return None
    declined = [{"mechanisms": name, "reason": reason} for name, reason in claim.declined]
    return {"level": claim.cage.level, "mechanisms": claim.cage.name, "declined": declined}


def clause(claim: Claim | None) -> str:
    """A part of the last line: `sandbox level 2; `, or nothing where no reference was run."""
    return "" if claim is None else f"sandbox level {claim.cage.level}; "


def _reason(claim: Claim) -> str:
    """Why each better one is not to be had."""
    return "; ".join(f"{name}: {reason}" for name, reason in claim.declined)
