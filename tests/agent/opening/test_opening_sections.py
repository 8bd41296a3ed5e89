"""The opening calls that an environment declares."""

from dataclasses import replace

import pytest

from agent.loop import InitialPromptLimits
from agent.loop.initial_prompt import build_initial_prompt
from tests.agent.opening.opened_shop import FILES, READERS, SURFACE, Shop, opened


def test_the_characters_of_one_call_are_bounded_and_the_gates_have_the_rules_whole() -> None:
    recorder, text = opened("Check out cart-1.", Shop())
    assert '<section title="read /RULES.md">\nCarts\n</section>' in text
    prompt = build_initial_prompt("Check out.", recorder, InitialPromptLimits(), READERS)
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
