"""A page of Markdown for each function of a library, from what is declared, compiled, verified and measured of it."""
