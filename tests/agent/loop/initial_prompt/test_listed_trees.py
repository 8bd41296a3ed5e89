"""The tree of files that the first message shows.

The initial call `tree` lists folders and files. A folder with many files takes one line, such as
`carts/ (2: cart-1.json ..)`. If the tree is too large for one call, it is made of a listing of
all files instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from controlplane.agent.loop import LoopSettings
from controlplane.sandbox.interface import CallError, InitialCall, Plain, ToolSchema
from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import (
    READ_FITTING_DOCUMENTS,
    SHOP_SCHEMA,
    Shop,
)


class ShopWithLargeTree(Shop):
    """Has too many files for the call `tree`."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "tree":
            raise CallError("resource_exhausted", "it holds more than 1300 lists")
        return super().call(operation, arguments)


class TestLargeTrees:
    """A tree that the environment cannot list is made of a listing of all files.

    If that is not possible either, the message has the error of the call.
    """

    def test_a_tree_too_large_for_one_call_is_made_of_a_listing_of_all_files(
        self,
    ) -> None:
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


def schema_with_calls(*calls: InitialCall) -> ToolSchema:
    """Return the schema of the shop with other initial calls.

    A call of `tree` has a `level`: how many levels of folders it lists, or 0 for all.
    """
    return replace(SHOP_SCHEMA, initial_calls=calls)


class ShopWithoutDeepTree(Shop):
    """Lists a few levels of folders, and fails if all of them are asked for."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "tree" and arguments["level"] == 0:
            raise CallError("unavailable", "no such luck")
        return super().call(operation, arguments)


class TestLevels:
    """A call of `tree` lists as many levels of folders as its `level` says, and all for 0.

    `schema_with_calls` declares which calls are made for the first message.
    """

    def test_a_deep_tree_that_fails_shows_its_error_below_a_shallow_one(self) -> None:
        """The first call lists two levels, and the second one, of all levels, fails."""
        shallow_tree = InitialCall("tree", {"root": "/", "level": 2})
        tool_schema = schema_with_calls(shallow_tree, *SHOP_SCHEMA.initial_calls)

        trial = OpenedTrial("Price of ITEM-A-1?", ShopWithoutDeepTree(tool_schema))

        assert trial.message.count("no such luck") == 1

    def test_a_folder_below_the_default_level_of_a_tree_is_not_listed(self) -> None:
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


class TestTreesInMessage:
    """A tree stands in the first message beside the results of other calls.

    The shop has the documents `/docs/carts.md` and `/docs/lore.md`, and two records in
    `/data/carts`.
    """

    @pytest.mark.parametrize(
        ("level", "finds_documents"),
        [
            pytest.param(0, False, id="tree of all levels"),
            pytest.param(1, True, id="tree of the first level"),
        ],
    )
    def test_documents_are_listed_only_if_the_tree_does_not_show_them_all(
        self, level: int, finds_documents: bool
    ) -> None:
        """To read the fitting documents, the product needs the paths of all of them. The call
        `find` would only repeat those that a whole tree shows."""
        tree = InitialCall("tree", {"root": "/", "level": level}, longest_listing=1)
        shop = Shop(schema_with_calls(tree, READ_FITTING_DOCUMENTS))

        trial = OpenedTrial("Carts?", shop)

        operations = [call.operation for call in trial.calls]
        assert ("find" in operations) == finds_documents
        assert "# Carts" in trial.message  # The fitting document is shown.

    def test_a_file_in_two_trees_is_shown_in_both(self) -> None:
        """One tree is of `/docs`, and the other of all files."""
        tool_schema = schema_with_calls(
            InitialCall("tree", {"root": "/docs", "level": 0}),
            InitialCall("tree", {"root": "/", "level": 0}),
        )

        trial = OpenedTrial("Check out cart-1.", Shop(tool_schema))

        assert "  lore.md" in trial.section("tree /docs")
        assert "    lore.md" in trial.section("tree /")

    @pytest.mark.parametrize(
        ("most_chars", "line"),
        [
            pytest.param(400, "      cart-1.json", id="enough room"),
            pytest.param(100, "    carts/ (2: cart-1.json ..)", id="too little room"),
        ],
    )
    def test_a_tree_without_room_shows_the_number_of_files_in_each_folder(
        self, most_chars: int, line: str
    ) -> None:
        """The folder `carts` has two files. The message has room for so many characters."""
        tool_schema = schema_with_calls(InitialCall("tree", {"root": "/", "level": 0}))

        settings = LoopSettings(initial_prompt_chars=most_chars)
        trial = OpenedTrial("Carts?", Shop(tool_schema), settings=settings)

        assert line in trial.section("tree /")
