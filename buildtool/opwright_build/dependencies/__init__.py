"""Other libraries that the functions of this one call: found, held against the lock, and what is carried of them."""
