"""What the commands do, a module each: small tasks that take a library and a reporter and return an exit status."""
