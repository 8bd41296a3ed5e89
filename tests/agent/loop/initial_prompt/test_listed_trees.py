"""The tree of files that the first message shows.

The initial call `tree` lists folders and files. A folder with many files takes one line, such as
`carts/ (2: cart-1.json ..)`. If the tree is too large for one call, it is made of a listing of
all files instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from controlplane.agent.loop.initial_prompt.initial_prompt import build_initial_prompt
from controlplane.agent.retrieval.listed_files import ListedFiles
from controlplane.agent.retrieval.tree_drawing import drawn_tree
from controlplane.agent.retrieval.unlisted_files import paths_of_tree
from controlplane.sandbox.interface import CallError, InitialCall, Plain, ToolSchema
from tests.agent.loop.initial_prompt.prompt_shop import (
    SHOP_SCHEMA,
    Shop,
    first_message,
    recorder_of,
)


def schema_with_calls(*calls: InitialCall) -> ToolSchema:
    """Return the schema of the shop with other initial calls."""
    return replace(SHOP_SCHEMA, initial_calls=calls)


# Trees that cannot be listed
# --------------------------------------------------------------------------------------------------------------


class ShopWithLargeTree(Shop):
    """Has too many files for the call `tree`."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "tree":
            raise CallError("resource_exhausted", "it holds more than 1300 lists")
        return super().call(operation, arguments)


def test_a_tree_too_large_for_one_call_is_made_of_a_listing_of_all_files() -> None:
    """The call `find` lists all files, and the product makes a tree of them."""
    recorder = recorder_of(ShopWithLargeTree())

    opened = build_initial_prompt("Price of ITEM-A-1?", recorder)

    assert "    items/ (2: ITEM-A-1.json ..)" in "".join(opened.first_message)
    listing_calls: list[str] = []
    for call in recorder.current_step.calls:
        if call.operation in ("tree", "find", "list"):
            listing_calls.append(call.operation)
    assert listing_calls == ["tree", "find"]


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

    text = first_message("Price of ITEM-A-1?", ShopWithoutDeepTree(tool_schema))

    assert text.count("no such luck") == 1


def test_a_folder_below_the_default_level_of_a_tree_is_not_listed() -> None:
    """The call has no level, so that its operation decides how many it lists."""
    tool_schema = schema_with_calls(InitialCall("tree", {"root": "/"}))

    text = first_message("Check out cart-1.", Shop(tool_schema))

    assert "    carts/ (too large to be listed)" in text


# Trees beside other calls
# --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("level", "is_listed"),
    [
        pytest.param(0, False, id="tree of all levels"),
        pytest.param(1, True, id="tree of the first level"),
    ],
)
def test_documents_are_listed_only_if_the_tree_does_not_show_them_all(
    level: int, is_listed: bool
) -> None:
    """The call `find` would only repeat what a whole tree shows."""
    tree = InitialCall("tree", {"root": "/", "level": level}, longest_listing=1)
    calls_after_tree = SHOP_SCHEMA.initial_calls[1:]
    recorder = recorder_of(Shop(schema_with_calls(tree, *calls_after_tree)))

    opened = build_initial_prompt("Carts?", recorder)

    operations = [call.operation for call in recorder.current_step.calls]
    assert ("find" in operations) == is_listed
    assert "# Carts" in "".join(opened.first_message)


def test_a_file_in_two_trees_is_shown_in_both() -> None:
    """One tree is of `/docs`, and the other of all files."""
    tool_schema = schema_with_calls(
        InitialCall("tree", {"root": "/docs", "level": 0}),
        InitialCall("tree", {"root": "/", "level": 0}),
    )

    text = first_message("Check out cart-1.", Shop(tool_schema))

    assert text.count("  lore.md\n") == 2


@pytest.mark.parametrize(
    ("most_chars", "line"),
    [
        pytest.param(400, "      cart-1.json", id="enough room"),
        pytest.param(100, "    carts/ (2: cart-1.json ..)", id="too little room"),
    ],
)
def test_a_tree_without_room_shows_the_number_of_files_in_each_folder(
    most_chars: int, line: str
) -> None:
    """The folder `carts` has two files."""
    tool_schema = schema_with_calls(InitialCall("tree", {"root": "/", "level": 0}))

    text = first_message("Carts?", Shop(tool_schema), most_chars)

    assert f"\n{line}\n" in text


# Drawing a tree
# --------------------------------------------------------------------------------------------------------------


def file(name: str) -> dict[str, Plain]:
    """Return a file as the call `tree` returns it."""
    return {"name": name, "is_dir": False}


def folder(name: str, children: list[Plain] | None) -> dict[str, Plain]:
    """Return a folder as the call `tree` returns it. Without `children`, it was not listed."""
    return {"name": name, "is_dir": True, "children": children}


def listed_files(root: str, tree: Mapping[str, Plain]) -> ListedFiles:
    """Return the files of a tree that was listed from `root` on."""
    listed = ListedFiles()
    listed.add(root, paths_of_tree(tree, root.rstrip("/"), 8))
    return listed


def test_a_small_tree_is_drawn_with_all_files() -> None:
    """A folder with up to two files is drawn with them."""
    listed = listed_files("/", folder("/", [file("a.md"), file("b.md")]))

    assert "a.md" in drawn_tree(listed.files, 2)


def test_a_folder_with_more_files_than_the_limit_takes_one_line() -> None:
    """A folder with more than one file is drawn on a line, unless it is among those to be drawn
    `in_full`."""
    docs = folder("docs", [folder("old", [file("a.md"), file("b.md")])])
    listed = listed_files("/docs", docs)

    assert "old/ (2: a.md ..)" in drawn_tree(listed.files, 1, root="/docs")
    assert "  a.md" in drawn_tree(listed.files, 1, root="/docs", in_full=["/docs/old"])


def test_a_folder_that_could_not_be_listed_is_drawn_as_such() -> None:
    """The folder `huge` was too large, so that the number of files in `old` is not known."""
    old = folder("old", [file("a.md"), file("b.md"), folder("huge", None)])
    listed = listed_files("/docs", folder("docs", [old]))

    assert "old/ (2 or more: a.md ..)" in drawn_tree(listed.files, 1, root="/docs")
    assert "huge/ (too large to be listed)" in drawn_tree(listed.files, 9, root="/docs")


def test_a_file_that_is_listed_twice_is_kept_once() -> None:
    """A second listing of the folder has one of its files and a new one."""
    listed = listed_files("/", folder("/", [file("a.md"), file("b.md")]))

    listed.add("/", ["/a.md", "/c.md"])

    assert listed.below("/") == ["/a.md", "/b.md", "/c.md"]
