"""A sandbox that is claimed and not put on: what a command prints is then the same on every machine, those too that
give no sandbox. Real ones are tested in tests/sandbox and tests/cli/test_sandbox.py."""

from dataclasses import replace

import pytest
from opwright_build.sandbox.levels import CAGES, Claim
from opwright_build.verify.cases import oracle
from opwright_build.verify.run import worker_sandbox


def claim_a_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "CAGES", (replace(CAGES[-1], level=CAGES[0].level),))
    claim_one_for_workers(monkeypatch)


def claim_one_for_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Claim(replace(CAGES[-1], level=worker_sandbox.CAGE.level))
    monkeypatch.setattr(worker_sandbox, "claim", lambda: claim)
