"""Builders in threads and asyncio tasks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from opwright import FLOAT, GraphBuilder
from opwright import opset22 as op


def test_threads_have_scopes_of_their_own() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT[2])

    def work(index: int) -> list[str]:
        with b.scope(f"worker{index}"):
            y = x
            for _ in range(50):
                y = op.Relu(y) + 1
            b.output(f"y{index}", y)
            return [y.name, (y * 2).name]

    with ThreadPoolExecutor(4) as pool:
        names = list(pool.map(work, range(4)))
    assert all(second.startswith(f"worker{index}/") for index, (_, second) in enumerate(names))
    model = b.to_model_proto()
    assert len(model.graph.output) == 4
    assert sum(node.op_type == "Add" for node in model.graph.node) == 200


def test_tasks_have_scopes_of_their_own() -> None:
    async def build(index: int) -> str:
        b = GraphBuilder(opset=22)
        x = b.input("x", FLOAT[2])
        with b.scope(f"task{index}"):
            await asyncio.sleep(0)
            y = op.Constant(value_float=float(index)) + x
            await asyncio.sleep(0)
            assert b.run(y, x=np.zeros(2, np.float32)).tolist() == [index, index]
            return str(y.name)

    async def main() -> list[str]:
        return await asyncio.gather(*(build(index) for index in range(4)))

    assert asyncio.run(main()) == [f"task{index}/add" for index in range(4)]


def test_a_scope_that_ends_in_another_task() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT[2])

    async def layers() -> AsyncIterator[str]:
        with b.scope("inner"):
            yield str((x + 1).name)

    async def main() -> list[str]:
        running = layers()
        found = [await asyncio.create_task(anext(running))]
        await running.aclose()
        return [*found, str((x + 1).name)]

    assert asyncio.run(main()) == ["inner/add", "add"]
