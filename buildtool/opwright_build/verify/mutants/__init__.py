"""Small wrong changes of bodies, and whether the vectors notice them."""
