"""Commands on argparse, one a file: its words in `SUMMARY` and `add_arguments`, and what it does in `run`.

Commands of `cli.app` move here one at a time (ADR 180). A module is imported when its command runs.
"""
