"""Faults while a library is built: what is killed, damaged, full, closed or out of time leaves nothing wrong."""
