"""stmt.loop.else: What a trip that breaks binds has a value behind the loop, where `else` binds it too."""

from opwright import BOOL, FLOAT, script


@script()
def F(x: FLOAT, stop: BOOL):
    for _ in range(3):
        if stop:
            y = -x
            break
    else:
        y = x
    return y
