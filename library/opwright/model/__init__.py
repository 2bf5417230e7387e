"""Models: of functions under `@script` and of graphs that were built, assembled, completed and checked alike."""
