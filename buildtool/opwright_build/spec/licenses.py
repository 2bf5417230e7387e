"""SPDX expressions: the licenses of libraries, as the METADATA of a wheel takes them."""

from __future__ import annotations

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

LICENSE_HELP = "For example Apache-2.0, or MIT OR Apache-2.0; https://spdx.org/licenses has the names."


def spdx_expression(text: str) -> str | None:
    """The expression as SPDX spells it; None where it is none."""
    try:
        return canonicalize_license_expression(text)
    except InvalidLicenseExpression:
        return None
