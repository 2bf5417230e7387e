"""Which versions of a library a command works on: one language of selectors for all commands.

`language` reads a selector, `candidate` says what it is matched with, `choose` finds the versions that are meant;
`calls`, `changed` and `revisions` answer what a selector may ask: who calls what, and what has changed.
"""
