"""The opening calls that an environment declares."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from agent.loop import InitialPromptLimits
from agent.loop.initial_prompt import build_initial_prompt
from sandbox.interface import CallError, Plain
from tests.agent.opening.opened_shop import FILES, SURFACE, Shop, opened


def test_the_characters_of_one_call_are_bounded_and_the_gates_have_the_rules_whole() -> None:
    recorder, text = opened("Check out cart-1.", Shop())
    assert '<section title="read /RULES.md">\nCarts\n</section>' in text
    prompt = build_initial_prompt("Check out.", recorder, InitialPromptLimits())
    assert prompt.rules == FILES["/RULES.md"]


@pytest.mark.parametrize(
    "broken", [("search",), ("read",), ("tree",), ("exec",), ("find",), ("tree", "read", "search")]
)
def test_a_call_that_fails_leaves_the_rest(broken: tuple[str, ...]) -> None:
    _, text = opened("Check out cart-1.", Shop(broken=broken))
    assert text.endswith("</instruction>\n")
    assert ("no such luck" in text) == bool({"read", "tree", "exec"} & {*broken})


def test_turn_one_is_the_same_one_call_at_a_time_and_side_by_side() -> None:
    texts = {opened("Check out cart-1.", Shop(replace(SURFACE, reads_side_by_side=each)))[1] for each in (False, True)}
    assert len(texts) == 1


class LargeShop(Shop):
    """No call shows the tree of its root, of `/data` or of `/data/carts`, and no list that of `/data/carts`."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        large = {"tree": ("/", "/data", "/data/carts"), "list": ("/data/carts",)}.get(operation, ())
        if arguments.get("root", arguments.get("path")) in large:
            raise CallError("resource_exhausted", "it holds more than 1300 lists")
        return super().call(operation, arguments)


@pytest.mark.parametrize("side_by_side", [False, True])
def test_a_tree_too_large_for_one_call_is_shown_folder_by_folder(side_by_side: bool) -> None:
    recorder, text = opened("Price of ITEM-A-1?", LargeShop(replace(SURFACE, reads_side_by_side=side_by_side)))
    tree = text.partition('<section title="tree /">\n')[2].partition("\n</section>")[0]
    assert "    carts/ (too large to be listed)\n    items/ (2 files: ITEM-A-1.json … ITEM-B-2.json)" in tree
    assert "resource_exhausted" not in text
    assert '<section title="read /data/items/ITEM-A-1.json">' in text
    assert [call.error.code for call in recorder.calls if call.error] == ["resource_exhausted"] * 4
