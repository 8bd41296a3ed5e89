import pytest

from agent.loop import PromptError, check_prompts, prompt_texts
from agent.loop.initial_prompt import system_prompt
from agent.loop.prompt_texts import HOLES, filled
from benchmarks.ecom.runtime.shop_surface import SURFACE
from sandbox.interface import Surface, signature
from tests.support.phonebook import LOOKUP


def test_holes_are_filled_and_their_values_are_not_filled_again() -> None:
    assert filled("unusable", reason="{{x}} is odd").startswith("{{x}} is odd Nothing was run.")


def test_a_hole_that_nothing_fills_is_named_with_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_texts, "prompt_text", lambda name: "a {{colour}} thing")
    with pytest.raises(PromptError, match=r"prompts/x\.md, line 1: it has the hole \{\{colour\}\}"):
        filled("x", size=1)


def test_every_prompt_is_known_by_its_holes() -> None:
    assert {each.stem for each in prompt_texts.FOLDER.iterdir()} == set(HOLES)
    for name, holes in HOLES.items():
        assert "{{" not in filled(name, **dict.fromkeys(holes, "x"))
    check_prompts()


def test_a_prompt_that_is_missing_is_named() -> None:
    with pytest.raises(PromptError, match=r"prompts/none\.md"):
        filled("none")


def test_the_system_prompt_is_derived_from_the_declaration() -> None:
    text = system_prompt(Surface(operations=(LOOKUP,)))
    assert "`harness.lookup(name)` -> .number: the phone number of a person" in text
    assert "harness.read" not in text.split("# The harness")[1].split("# The scratchpad")[0]


def test_every_operation_and_tool_of_the_embedded_world_is_in_its_prompt() -> None:
    text = system_prompt(SURFACE)
    assert not [each.name for each in SURFACE.operations if signature(each) not in text]
    assert not [each.path for each in SURFACE.executables if each.path not in text]
    assert "{{" not in text


def test_what_stands_before_the_workspace_stays_short() -> None:
    assert len(system_prompt(SURFACE)) + len(prompt_texts.prompt_text("turn_one")) < 7500
