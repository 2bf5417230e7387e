"""What is said of bytes that are no bundle, or not as a bundle says they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath

from opwright.bundle.archive import DamagedMemberError, DuplicateMemberError, NotAnArchiveError, RefusedArchiveError
from opwright.bundle.member_names import INDEX_MEMBER
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place

AGAIN = "build the library again, or get it again from where it came"
# What people take for a library, and the way from there.
OTHER_FILES = {
    ".onnx": "a model is no library: give the library's .onnxlib file, or the name of one that is installed",
    ".whl": "a wheel carries its library: install it and give the library's name, or give the .onnxlib file in it",
}


@dataclass(frozen=True, slots=True)
class Refusals:
    """The findings about one bundle, at its place."""

    place: Place
    shown: str

    @staticmethod
    def of(name: str) -> Refusals:
        return Refusals(Place(name), name.rpartition("/")[2])

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Turns what an archive is refused for into a DiagnosticError."""
        try:
            yield
        except NotAnArchiveError:
            raise self.no_bundle("its bytes are not an archive", AGAIN) from None
        except RefusedArchiveError as error:
            help_text = "a bundle is used as it was built; it cannot be packed again with other tools"
            raise self.not_packed(str(error), help_text) from None
        except DuplicateMemberError as error:
            raise self.members(f"has the member {error} twice", help_text="") from None
        except DamagedMemberError as error:
            raise self.damaged(str(error), "its bytes do not fit the checksum in the archive") from None
        except OSError as error:
            raise self.unreadable(error.strerror or str(error)) from None

    def unreadable(self, reason: str, help_text: str = "") -> DiagnosticError:
        return self._error("OW510", f"{self.shown} cannot be read", reason, help_text)

    def no_bundle(self, reason: str, help_text: str = "") -> DiagnosticError:
        help_text = OTHER_FILES.get(PurePath(self.shown).suffix, help_text)
        return self._error("OW511", f"{self.shown} is no bundle", reason, help_text)

    def not_packed(self, reason: str, help_text: str = AGAIN) -> DiagnosticError:
        return self._error("OW512", f"{self.shown} is not packed as a bundle", reason, help_text)

    def members(self, what: str, reason: str = "", help_text: str = AGAIN) -> DiagnosticError:
        return self._error("OW513", f"{self.shown} {what}", reason, help_text)

    def lacking(self, member: str) -> DiagnosticError:
        return self.members(f"lacks the member {member}, which its index lists")

    def unlisted(self, member: str) -> DiagnosticError:
        return self.members(f"has the member {member}, which its index does not list")

    def damaged(self, member: str, reason: str) -> DiagnosticError:
        return self._error("OW514", f"the member {member} of {self.shown} is damaged", reason, AGAIN)

    def newer(self, needed: int, known: int) -> DiagnosticError:
        return self._error(
            "OW515",
            f"{self.shown} needs a newer opwright",
            f"it asks for a reader of bundles from version {needed} on; this one has version {known}",
            "upgrade opwright, or get a release of the library that was built with an older one",
        )

    def malformed(self, reason: str, member: str = INDEX_MEMBER) -> DiagnosticError:
        return self._error("OW516", f"the {member} of {self.shown} is no index", reason)

    def another(self, found: str, wanted: str) -> DiagnosticError:
        return self._error(
            "OW599",
            f"{self.shown} is not the library that is wanted",
            f"its sha256 is {found}, and {wanted} is asked for",
            "get the library again from where the digest came from",
        )

    def _error(self, code: str, message: str, reason: str = "", help_text: str = "") -> DiagnosticError:
        return DiagnosticError([Diagnostic(code, message, self.place, reason, help_text)])


def too_large(size: int, most: int) -> str:
    return f"it has {size:,} bytes; {most:,} are read at most"
