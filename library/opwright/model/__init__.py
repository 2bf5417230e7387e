"""Models: of functions under `@script` and of graphs that were built, put together, completed and checked alike."""
