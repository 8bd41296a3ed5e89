"""Lines of a journal that no run writes: with a field of another type, or a number out of bounds.

A stranger may write any line, with valid hashes. A line with an odd field is damage, and the
journal is refused: `r.jsonl is damaged at line 4: at_ms: ...`.
"""

from pathlib import Path

import pytest

from controlplane.errors import JournalDamaged
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.text_references import key_of
from tests.controlplane.journal.foreign.journal_bytes import Event, journal_of

SOUND_FIELDS: dict[str, dict[str, object]] = {
    "trial_started": {
        "task_id": "k",
        "instruction": "",
        "now": "2026-04-22T09:30:00+00:00",
        "tool_schema": "{}",
    },
    "conversation_opened": {"system": "", "first_message": ["a"]},
    "model_asked": {"step": 1, "role": "solve", "messages": 0},
    "model_replied": {"step": 1, "reply": ""},
    "call": {"step": 1, "number": 1, "operation": "o", "arguments": {}, "result": {}},
    "step": {"step": 1, "calls": []},
    "score": {"score": 1, "details": []},
    "notice": {"text": ""},
}
"""The fields that an event of each type needs; the tests below change one of them."""

CALL_UNDER_WAY: Event = {
    "at_ms": 1,
    "type": "call",
    "state": "under_way",
    "trial_id": "t",
    "step": 1,
    "number": 0,
    "operation": "o",
    "arguments": {},
}
"""A call that has not returned."""


def journal_with_fourth_line(event: Event, folder: Path) -> Path:
    """Write a journal: two lines that start the run, a call that is under way, and this event."""
    path = folder / "r.jsonl"
    path.write_bytes(journal_of(CALL_UNDER_WAY, event))
    return path


def read_all_trials(path: Path) -> None:
    """Read every event of a journal, trial by trial."""
    for trial in open_journal(path).trials.values():
        list(trial.events())


def event_with(event_type: str, **fields: object) -> Event:
    """Return an event of the trial `t` with the fields that its type needs, some of them changed."""
    event: dict[str, object] = {"at_ms": 1, "type": event_type, "trial_id": "t"}
    return event | SOUND_FIELDS[event_type] | fields


def check_is_damage(path: Path, fault: str) -> None:
    """Check that the fault is found trial by trial, and line by line as `show --follow` reads."""
    with pytest.raises(JournalDamaged):
        read_all_trials(path)
    with pytest.raises(JournalDamaged, match=fault):
        list(Journal(path).read_on())


class TestSoundLines:
    """A journal has two lines that start the run, a call that is under way, and another event.

    The fourth line is, for example, `{"at_ms": 1, "type": "score", "trial_id": "t", "score": 1,
    "details": []}`.
    """

    @pytest.mark.parametrize("event_type", SOUND_FIELDS)
    def test_a_line_with_sound_fields_is_read(
        self, event_type: str, tmp_path: Path
    ) -> None:
        """So the other tests find only the one field that they change."""
        path = journal_with_fourth_line(event_with(event_type), tmp_path)

        read_all_trials(path)
        assert len(list(Journal(path).read_on())) == 4


class TestNumbersOutOfBounds:
    """The fourth line of a journal has a number that no run has, such as a score of 1e300.

    The line is the event of this type with its other fields as they should be, and has a valid
    hash: only the number shows that no run has written it.
    """

    @pytest.mark.parametrize(
        ("event_type", "field", "number", "fault"),
        [
            pytest.param(
                "model_asked", "at_ms", 10**16, "at_ms.* less than", id="far future"
            ),
            pytest.param(
                "model_asked", "at_ms", -(10**30), "at_ms.* greater than", id="far past"
            ),
            pytest.param(
                "model_asked", "step", 10**40, "step.* less than", id="huge step"
            ),
            pytest.param("score", "score", 1e300, "score.* less than", id="huge score"),
            pytest.param(
                "call", "number", -1, "line 4", id="negative number of a call"
            ),
            pytest.param("step", "step", -1, "line 4", id="negative step"),
            pytest.param(
                "model_replied", "cost_usd", -1e6, "line 4", id="negative cost"
            ),
        ],
    )
    def test_a_line_with_a_number_out_of_bounds_is_damage(
        self, event_type: str, field: str, number: float, fault: str, tmp_path: Path
    ) -> None:
        event = event_with(event_type, **{field: number})
        path = journal_with_fourth_line(event, tmp_path)

        check_is_damage(path, fault)

    @pytest.mark.parametrize(
        "usage",
        [
            pytest.param({"completion_tokens": -(10**6)}, id="negative tokens"),
            pytest.param({"prompt_tokens": 10**400}, id="tokens too many for a float"),
        ],
    )
    def test_a_reply_with_an_impossible_number_of_tokens_is_damage(
        self, usage: dict[str, int], tmp_path: Path
    ) -> None:
        event = event_with("model_replied", usage=usage)
        path = journal_with_fourth_line(event, tmp_path)

        check_is_damage(path, "line 4")


class TestOddValues:
    """The fourth line of a journal has a value of another type, or one that means nothing.

    The line is the event of this type with its other fields as they should be, and has a valid
    hash: only the value shows that no run has written it.
    """

    @pytest.mark.parametrize(
        ("event_type", "field", "value", "fault"),
        [
            pytest.param(
                "score", "details", ["no", 5], "line 4", id="reason not a text"
            ),
            pytest.param(
                "step",
                "calls",
                [3],
                "do not name lines before it",
                id="step with a call that was not made",
            ),
            pytest.param(
                "conversation_opened",
                "first_message",
                [{}],
                "line 4",
                id="message with an object for a text",
            ),
            pytest.param(
                "notice",
                "type",
                "unheard",
                "there is no event 'unheard'",
                id="unknown type",
            ),
            pytest.param(
                "notice",
                "text",
                f"@text:{key_of('a text that no line has')}",
                "a text that no earlier line holds",
                id="reference to no text",
            ),
            pytest.param(
                "trial_started",
                "now",
                "<b>&",
                "line 4: now: ",
                id="clock without a time",
            ),
            pytest.param(
                "trial_started",
                "now",
                "1970-13-45T99:99",
                "line 4: now: ",
                id="clock with an impossible time",
            ),
        ],
    )
    def test_a_line_with_an_odd_value_is_damage(
        self, event_type: str, field: str, value: object, fault: str, tmp_path: Path
    ) -> None:
        """A line refers to a long text of an earlier line as `@text:HASH`."""
        event = event_with(event_type, **{field: value})
        path = journal_with_fourth_line(event, tmp_path)

        check_is_damage(path, fault)
