"""A tree of files that the environment cannot list is made of a listing of all files.

The first message to a model shows which files there are, by a call `tree`. A folder with many files takes
one line: `carts/ (2: cart-1.json ..)`.
"""

from collections.abc import Mapping

from controlplane.sandbox.interface import CallError, Plain
from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import Shop


class ShopWithLargeTree(Shop):
    """Has too many files for the call `tree`."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "tree":
            raise CallError("resource_exhausted", "it holds more than 1300 lists")
        return super().call(operation, arguments)


def test_a_tree_too_large_for_one_call_is_made_of_a_listing_of_all_files() -> None:
    """The call `tree` fails. Then the call `find` lists all files, and a tree is made of
    them."""
    trial = OpenedTrial("Price of ITEM-A-1?", ShopWithLargeTree())

    assert trial.section("tree /") == [
        "/",
        "  RULES.md",
        "  data/",
        "    carts/ (2: cart-1.json ..)",
        "    items/ (2: ITEM-A-1.json ..)",
        "    paid/ (2: pay-8.json ..)",
        "    staff/",
        "      emp-5.json",
        "  docs/ (2: carts.md ..)",
    ]
    listing_calls: list[str] = []
    for call in trial.calls:
        if call.operation in ("tree", "find", "list"):
            listing_calls.append(call.operation)
    assert listing_calls == ["tree", "find"]
