"""opwright with other releases of what it works with: `nox -s matrix`, and docs/compatibility.md, which comes of it."""
