"""Commands, one a file: what it takes in `add_arguments`, and what it does in `run`. A module is imported when its
command runs."""
