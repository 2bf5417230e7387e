"""How exact the bodies of a library are beside those of the standard: `nox -s numerics`."""
