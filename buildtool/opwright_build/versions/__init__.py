"""What a released version promises: the lock, comparisons of two states of a library, and releases."""
