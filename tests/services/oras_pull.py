"""`oras pull PLACE`: what the client in Go does, by the one in Python. Writes to `pulled/`."""

from __future__ import annotations

import sys

from oras.client import OrasClient

if __name__ == "__main__":
    place = sys.argv[1]
    OrasClient(hostname=place.partition("/")[0], insecure=True).pull(target=place, outdir="pulled")
