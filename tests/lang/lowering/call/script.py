"""call.script: A function under `@script` stays a call, and the model carries it. Beside a spec's function it is
inlined (`docs/adr/0044`)."""

from opwright import FLOAT, Opset, script


@script(Opset("com.acme", 1))
def Twice(x: FLOAT["N"]):
    return x + x


@script()
def F(x: FLOAT["N"]):
    return Twice(Twice(x))
