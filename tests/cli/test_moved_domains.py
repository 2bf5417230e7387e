"""`opwright diff` of a domain that another package has now: its functions are compared, whatever the diff is with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_release import LIBRARY, Opwright, changes, copy_domain, edit, git, share_domains

MOVED = ("domain-moved", "com.zzz", "breaking")
TAKEN = ("domain-taken", "com.zzz", "compatible")
DEFAULT = ("default", "alpha", "breaking")
OF_THREE = "  - {library: three, version: 1.0.0, package: three, domains: [com.zzz]}\n"


@pytest.fixture
def moved(library: Path, opwright: Opwright) -> None:
    """A released library whose package base has two domains, and one with another default of its function."""
    for name in ("com.more", "com.zzz"):
        copy_domain(name)
    share_domains("com.zzz, com.acme", "com.more")
    for package in ("base", "more"):
        assert opwright("release", "1.0.0" if package == "base" else "3.0.0", "-p", package, "--unverified").status == 0
    git("init", "-q")
    git("add", "specs")
    git("commit", "-q", "-m", "1.0.0")
    edit(Path("specs/com.zzz/Swish/function.py"), "alpha: float = 1.0", "alpha: float = 3.0")


@pytest.mark.usefixtures("moved")
def test_functions_of_a_domain_that_moved_are_compared(opwright: Opwright) -> None:
    share_domains("com.acme", "com.more, com.zzz")
    for against in ("lock", "git:HEAD"):
        told = changes(opwright("diff", "--format", "json", "--against", against))
        assert told == [MOVED, TAKEN, DEFAULT], against
    of_more = changes(opwright("diff", "--format", "json", "--against", "git:HEAD", "-p", "more"))
    assert of_more == [TAKEN, DEFAULT]
    assert changes(opwright("diff", "--format", "json", "--against", "git:HEAD", "-p", "base")) == [MOVED]


@pytest.mark.usefixtures("moved")
def test_functions_of_a_domain_that_a_new_package_has_are_compared(opwright: Opwright) -> None:
    share_domains("com.acme", "com.more")
    LIBRARY.write_text(LIBRARY.read_text() + OF_THREE)
    for against in ("lock", "git:HEAD"):
        told = changes(opwright("diff", "--format", "json", "--against", against))
        assert told == [MOVED, TAKEN, DEFAULT], against
    assert changes(opwright("diff", "--format", "json", "--against", "git:HEAD", "-p", "three")) == [TAKEN, DEFAULT]
