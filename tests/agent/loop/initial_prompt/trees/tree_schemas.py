"""The schema of a shop that lists its files otherwise, for the first message to a model."""

from dataclasses import replace

from controlplane.sandbox.interface import InitialCall, ToolSchema
from tests.agent.loop.initial_prompt.prompt_shop import SHOP_SCHEMA


def schema_with_calls(*calls: InitialCall) -> ToolSchema:
    """Return the schema of the shop with other initial calls.

    A call of `tree` has a `level`: how many levels of folders it lists, or 0 for all.
    """
    return replace(SHOP_SCHEMA, initial_calls=calls)
