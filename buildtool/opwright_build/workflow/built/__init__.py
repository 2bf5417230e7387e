"""A library built as a whole, or what an edit touches of it: loaded, held against its locks, packaged."""
