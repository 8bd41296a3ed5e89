"""Calls of turn one that are under way side by side, and the room of what they return."""

from dataclasses import replace

import pytest

from agent.evidence import Recorder
from agent.opening.section import Section, title_of
from agent.opening.section_queue import AT_A_TIME, SectionQueue
from tests.agent.opening.opened_shop import SURFACE, Shop


def queue_of(*, total_chars: int = 1_000, side_by_side: bool = True, shop: Shop | None = None) -> SectionQueue:
    surface = replace(SURFACE, reads_side_by_side=side_by_side)
    recorder = Recorder("t", shop or Shop(surface), lambda event: None)
    recorder.begin_step(0)
    return SectionQueue(recorder, "", section_chars=500, total_chars=total_chars)


def add(queue: SectionQueue, path: str) -> None:
    read = queue.recorder.surface.operation("read")
    call = queue.send("read", {"path": path})
    queue.add(Section(read, title_of(read, {"path": path}), call))


@pytest.mark.parametrize(("side_by_side", "most"), [(True, AT_A_TIME), (False, 1)])
def test_no_more_calls_are_under_way_than_may_be(side_by_side: bool, most: int) -> None:
    queue = queue_of(side_by_side=side_by_side)
    for _ in range(AT_A_TIME + 3):
        add(queue, "/RULES.md")
        assert queue.under_way <= most
    assert queue.under_way == most
    queue.show_until(0)
    assert len(queue.pieces) == 3 * (AT_A_TIME + 3)


def test_sections_stand_in_the_order_of_their_calls_and_share_the_room() -> None:
    queue = queue_of(total_chars=30)
    paths = ["/RULES.md", "/docs/carts.md", "/docs/lore.md"]
    for path in paths:
        add(queue, path)
    queue.show_until(0)
    assert queue.pieces[0::3] == [f'<section title="read {each}">\n' for each in paths]
    assert queue.pieces[1::3] == ["Carts: /docs/carts.md", "# Carts", "# "]  # What is cut ends at a line, if one ends.
    assert queue.left == 0
    assert [each.shown_chars for each in queue.recorder.calls] == [21, 7, 2]


def test_a_failure_is_shown_in_the_room_of_the_text() -> None:
    queue = queue_of(total_chars=12, shop=Shop(broken=("read",)))
    add(queue, "/RULES.md")
    queue.show_until(0)
    assert queue.pieces[1] == "(failed: una"
    assert "are not shown" in queue.pieces[2]
