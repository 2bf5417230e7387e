"""What is known of runtimes and of exactness, in files that are reviewed."""
