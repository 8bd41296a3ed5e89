"""A task of Inspect with a tool: `controlplane run --benchmark inspect:docs/examples/inspect_stock.py@stock`."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import match
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import tool

STOCK = {"A-7": 12, "B-1": 0}


@tool
def units_left():
    async def execute(sku: str) -> str:
        """Return how many units of an article are left.

        Args:
            sku: the article's number
        """
        return str(STOCK[sku])

    return execute


@task
def stock():
    samples = [Sample(input="How many of A-7 are left?", target="12", id="a7")]
    return Task(
        dataset=samples, solver=[use_tools(units_left()), generate()], scorer=match()
    )
