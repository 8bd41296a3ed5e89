"""Files that turn one shows for their names, what hangs on them, and samples."""

from dataclasses import replace

import pytest

from agent.loop import InitialPromptLimits
from tests.agent.opening.opened_shop import SURFACE, Shop, opened


@pytest.mark.parametrize("side_by_side", [False, True])
def test_named_files_and_what_hangs_on_them_are_shown_and_can_be_cited(side_by_side: bool) -> None:
    recorder, text = opened("Check out cart-1.", Shop(replace(SURFACE, reads_side_by_side=side_by_side)))
    order = ["carts/cart-1", "items/ITEM-A-1", "paid/pay-9", "carts/cart-2", "staff/emp-5"]
    places = [text.index(f'<section title="read /data/{each}.json">') for each in order]
    assert places[0] < min(places[1:])
    assert '{"id":"pay-9","cart":"cart-1"}' in text
    assert recorder.evidence_log.cite("/data/paid/pay-9.json", "the payment of cart-1")[0] == "/data/paid/pay-9.json"


def test_a_kind_of_which_nothing_is_named_has_one_short_sample() -> None:
    _, text = opened("Check out cart-1.", Shop())
    (sample,) = [each for each in text.split("<section ") if "emp-5.json" in each.partition("\n")[0]]
    assert '"id":"emp-5"' in sample
    assert "nnn" not in sample
    assert "are not shown and do not count as read" in sample


def test_no_file_is_read_for_its_name_where_no_room_is_left() -> None:
    recorder, text = opened("Check out cart-1.", Shop(), InitialPromptLimits(total_chars=0))
    assert [each.arguments.get("path") for each in recorder.calls if each.operation == "read"] == ["/RULES.md"]
    assert "read /docs/carts.md" in text


def test_what_a_list_names_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.opening.named_sections.MOST_IN_TURN", 0)
    _, text = opened("Check out cart-1.", Shop())
    assert "read /data/carts/cart-1.json" in text
    assert "read /data/items/ITEM-A-1.json" not in text.partition("pay-9")[0]


def test_files_have_only_the_room_that_is_theirs() -> None:
    named = replace(SURFACE.named_files, chars=260, sampled="")
    _, text = opened("Compare cart-1 and cart-2.", Shop(replace(SURFACE, named_files=named)))
    assert text.count('<section title="read /data/') == 1
