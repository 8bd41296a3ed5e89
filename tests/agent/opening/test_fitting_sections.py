"""Which of many texts turn one shows."""

from dataclasses import replace

import pytest

from agent.loop import InitialPromptLimits
from tests.agent.opening.opened_shop import SURFACE, Shop, opened


def test_what_is_neither_shown_nor_named_cannot_be_cited() -> None:
    recorder, text = opened("Check out cart-1.", Shop())
    for path in ("/docs/lore.md", "/data/paid/pay-8.json"):
        with pytest.raises(ValueError, match="was not read"):
            recorder.evidence_log.cite(path, "it says pay-8, harbour")
    assert "(Not shown, to be read where it matters: /docs/lore.md (Lore).)" in text
    assert "A cart is checked out once." in text


@pytest.mark.parametrize(("instruction", "shown"), [("Check out cart-1.", "carts"), ("Which harbour?", "lore")])
def test_the_text_that_fits_the_instruction_is_shown(instruction: str, shown: str) -> None:
    _, text = opened(instruction, Shop())
    assert text.count('<section title="read /docs/') == 1
    assert f'<section title="read /docs/{shown}.md">' in text


def test_texts_beyond_those_compared_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.opening.fitting_sections.MOST_COMPARED", 1)
    recorder, text = opened("Which harbour?", Shop())
    assert "(Not opened for want of room: read /docs/lore.md.)" in text
    assert "/docs/lore.md" not in [each.arguments.get("path") for each in recorder.calls]


def test_where_no_room_is_left_no_text_is_read() -> None:
    recorder, text = opened("Check out cart-1.", Shop(replace(SURFACE, named_files=None)), InitialPromptLimits(10, 10))
    assert "/docs/carts.md" not in [each.arguments.get("path") for each in recorder.calls]
    assert "read /docs/carts.md, read /docs/lore.md" in text
