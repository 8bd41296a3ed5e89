"""The first message to a model shows a tree of files, of so many levels of folders as are declared.

`InitialCall("tree", {"root": "/", "level": 2})` lists two levels, and `level` 0 lists all.
"""

from collections.abc import Mapping

from controlplane.sandbox.interface import CallError, InitialCall, Plain
from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import SHOP_SCHEMA, Shop
from tests.agent.loop.initial_prompt.trees.tree_schemas import schema_with_calls


class ShopWithoutDeepTree(Shop):
    """Lists a few levels of folders, and fails if all of them are asked for."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "tree" and arguments["level"] == 0:
            raise CallError("unavailable", "no such luck")
        return super().call(operation, arguments)


def test_a_deep_tree_that_fails_shows_its_error_below_a_shallow_one() -> None:
    """The first call lists two levels, and the second one, of all levels, fails."""
    shallow_tree = InitialCall("tree", {"root": "/", "level": 2})
    tool_schema = schema_with_calls(shallow_tree, *SHOP_SCHEMA.initial_calls)

    trial = OpenedTrial("Price of ITEM-A-1?", ShopWithoutDeepTree(tool_schema))

    assert trial.message.count("no such luck") == 1


def test_a_folder_below_the_default_level_of_a_tree_is_not_listed() -> None:
    """The call has no level, so that its operation lists two: `/data`, but not
    `/data/carts`."""
    tool_schema = schema_with_calls(InitialCall("tree", {"root": "/"}))

    trial = OpenedTrial("Check out cart-1.", Shop(tool_schema))

    assert trial.section("tree /") == [
        "/",
        "  RULES.md",
        "  data/",
        "    carts/ (too large to be listed)",
        "    items/ (too large to be listed)",
        "    paid/ (too large to be listed)",
        "    staff/ (too large to be listed)",
        "  docs/",
        "    carts.md",
        "    lore.md",
    ]
