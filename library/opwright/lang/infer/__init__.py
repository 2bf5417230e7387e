"""Types, lengths and ranks of what operators give."""
