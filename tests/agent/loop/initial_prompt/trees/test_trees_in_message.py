"""A tree of files stands in the first message to a model.

The shop has the documents `/docs/carts.md` and `/docs/lore.md`, and two records in `/data/carts`.
`schema_with_calls` declares which calls are made for the first message. `level` is how many levels of
folders a tree has; 0 stands for all.
"""

import pytest

from controlplane.agent.loop import LoopSettings
from controlplane.sandbox.interface import InitialCall
from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import READ_FITTING_DOCUMENTS, Shop
from tests.agent.loop.initial_prompt.trees.tree_schemas import schema_with_calls


@pytest.mark.parametrize(
    ("level", "finds_documents"),
    [
        pytest.param(0, False, id="tree of all levels"),
        pytest.param(1, True, id="tree of the first level"),
    ],
)
def test_documents_are_searched_only_if_the_tree_does_not_have_them_all(
    level: int, finds_documents: bool
) -> None:
    """`READ_FITTING_DOCUMENTS` needs the paths of all documents. If the tree does not have them,
    the call `find` gets them."""
    # The message shows at most one file of a folder, but the product has the paths of all.
    tree = InitialCall("tree", {"root": "/", "level": level}, longest_listing=1)
    shop = Shop(schema_with_calls(tree, READ_FITTING_DOCUMENTS))

    trial = OpenedTrial("Carts?", shop)

    operations = [call.operation for call in trial.calls]
    assert ("find" in operations) is finds_documents
    assert "# Carts" in trial.message  # The fitting document is shown.


def test_a_file_in_two_trees_is_shown_in_both() -> None:
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
        # two files, of which the first is cart-1.json
        pytest.param(100, "    carts/ (2: cart-1.json ..)", id="too little room"),
    ],
)
def test_a_tree_without_room_shows_the_number_of_files_in_each_folder(
    most_chars: int, line: str
) -> None:
    """`most_chars` is how many characters of files the message has room for."""
    tool_schema = schema_with_calls(InitialCall("tree", {"root": "/", "level": 0}))

    settings = LoopSettings(initial_prompt_chars=most_chars)
    trial = OpenedTrial("Carts?", Shop(tool_schema), settings=settings)

    assert line in trial.section("tree /")
