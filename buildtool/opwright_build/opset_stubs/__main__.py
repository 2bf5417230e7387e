"""`python -m opwright_build.opset_stubs library/opwright`: write the stubs anew and remove those of no use."""

from __future__ import annotations

import sys
from pathlib import Path

from opwright_build.opset_stubs.render import COMMAND, render_all


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or not (Path(arguments[0]) / "opsets").is_dir():
        print(f"usage: {COMMAND}", file=sys.stderr)
        return 2
    package = Path(arguments[0])
    files = render_all()
    for path in sorted((package / "opsets" / "generated").glob("*.pyi")):
        if path.relative_to(package).as_posix() not in files:
            path.unlink()
    for name, text in files.items():
        path = package / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    print(f"{len(files)} stubs, {sum(map(len, files.values())) / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
