"""`python -m opwright_build`: the console script without its script."""

import sys

from opwright_build.cli.entry import main

if __name__ == "__main__":
    sys.exit(main())
