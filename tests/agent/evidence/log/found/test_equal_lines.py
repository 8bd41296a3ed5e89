"""A search may find equal lines. Each keeps its number, and they take the room of one text.

The room is that of the evidence log, which keeps all texts that calls have shown, up to a limit. A text
takes its length and `TEXT_OVERHEAD_BYTES`.
"""

import pytest

from controlplane.agent.evidence.paths.seen_texts import TEXT_OVERHEAD_BYTES
from controlplane.sandbox.interface import bounds
from tests.gates.recorded_calls import CallsOfTrial


def test_equal_lines_of_two_files_keep_their_own_numbers() -> None:
    """Both files have a line `fee: 70`, which is line 3 of the one, and line 9 of the other."""
    calls = CallsOfTrial()
    matches = [
        {"path": "/docs/a.md", "line": 3, "text": "fee: 70"},
        {"path": "/docs/b.md", "line": 9, "text": "fee: 70"},
    ]
    calls.record("search", {"path": "/", "pattern": "fee"}, {"matches": matches})

    (first,) = calls.access_to("/docs/a.md").seen
    (second,) = calls.access_to("/docs/b.md").seen
    assert first.lines == (3,)
    assert second.lines == (9,)


def test_equal_lines_of_a_file_take_no_room_from_other_texts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """There is room for one line of the log, and for the file that is read after the search. A
    second line of the log would leave too little."""
    line_of_log = len("state: open") + TEXT_OVERHEAD_BYTES
    file_read_later = len("fee: 70") + TEXT_OVERHEAD_BYTES
    monkeypatch.setattr(bounds, "MOST_EVIDENCE_BYTES", line_of_log + file_read_later)
    calls = CallsOfTrial()
    matches = [
        {"path": "/log.txt", "line": 3, "text": "state: open"},
        {"path": "/log.txt", "line": 9, "text": "state: open"},
    ]
    calls.record("search", {"path": "/", "pattern": "open"}, {"matches": matches})
    calls.read_text("/docs/a.md", "fee: 70")

    (seen,) = calls.access_to("/docs/a.md").seen
    assert seen.text == "fee: 70"
