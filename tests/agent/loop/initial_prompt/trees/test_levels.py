"""The first message to a model shows a tree of files, of so many levels of folders as are declared.

    InitialCall("tree", {"root": "/", "level": 2})

Level 1 has what is in `/`, such as `data/`, and level 2 what is in its folders, such as `data/carts/`.
`level` 0 lists all levels, down to `data/carts/cart-1.json`.
"""

from collections.abc import Mapping

from controlplane.sandbox.interface import CallError, InitialCall, Plain
from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import READ_FITTING_DOCUMENTS, Shop
from tests.agent.loop.initial_prompt.trees.tree_schemas import schema_with_calls

SHALLOW_TREE = InitialCall("tree", {"root": "/", "level": 2})
DEEP_TREE = InitialCall("tree", {"root": "/", "level": 0})


class ShopWithoutDeepTree(Shop):
    """Lists a few levels of folders, and fails if all of them are asked for."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "tree" and arguments["level"] == 0:
            raise CallError("unavailable", "no such luck")
        return super().call(operation, arguments)


def test_the_error_of_a_deep_tree_is_shown_beside_a_shallow_tree() -> None:
    """Documents are read as well, for which all paths are needed. The error is shown once."""
    tool_schema = schema_with_calls(SHALLOW_TREE, DEEP_TREE, READ_FITTING_DOCUMENTS)

    trial = OpenedTrial("Price of ITEM-A-1?", ShopWithoutDeepTree(tool_schema))

    assert "  data/" in trial.section("tree /")
    assert trial.message.count("no such luck") == 1


def test_the_default_of_the_operation_decides_how_many_levels_are_listed() -> None:
    """The operation `tree` lists two levels by default, so the files in `data/carts/` are missing.
    For each folder whose files are missing, the message says so."""
    tool_schema = schema_with_calls(InitialCall("tree", {"root": "/"}))

    trial = OpenedTrial("Check out cart-1.", Shop(tool_schema))

    assert trial.section("tree /") == [
        "/",
        "  RULES.md",
        "  data/",
        "    carts/ (not listed)",
        "    items/ (not listed)",
        "    paid/ (not listed)",
        "    staff/ (not listed)",
        "  docs/",
        "    carts.md",
        "    lore.md",
    ]
