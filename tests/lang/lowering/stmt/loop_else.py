"""stmt.loop.else: Runs where no `break` ended the loop."""

from opwright import BOOL, FLOAT, script


@script()
def F(x: FLOAT, stop: BOOL):
    for i in range(3):
        if stop:
            break
    else:
        x = -x
    return x
