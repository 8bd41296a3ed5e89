"""Lines of a journal that no run writes: with a field of another type, or a number out of bounds.

A stranger may write any line, with valid hashes. A line with an odd field is damage, and the journal
is refused: `r.jsonl is damaged at line 3: score: Input should be less than ...`.
"""

from pathlib import Path

import pytest

from controlplane.errors import JournalDamaged
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.journal.text_references import key_of
from tests.controlplane.journal.foreign.journal_bytes import journal_of


def journal_with(event: str, folder: Path) -> Path:
    """Write a journal: two lines that start the run of the trial `t`, and the JSON of this event."""
    path = folder / "r.jsonl"
    path.write_bytes(journal_of(event.encode()))
    return path


def read_all_trials(path: Path) -> None:
    """Read every event, trial by trial, as most commands do."""
    for trial in open_journal(path).trials.values():
        list(trial.events())


def read_all_lines(path: Path) -> None:
    """Read every event, line by line, as `show --follow` does."""
    list(Journal(path).read_on())


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(
            '{"at_ms":1,"type":"trial_started","trial_id":"t","task_id":"k","instruction":"",'
            '"now":"2026-04-22T09:30:00+00:00","tool_schema":"{}"}',
            id="start of the trial",
        ),
        pytest.param(
            '{"at_ms":1,"type":"conversation_opened","trial_id":"t","system":"",'
            '"first_message":["a"]}',
            id="first message",
        ),
        pytest.param(
            '{"at_ms":1,"type":"model_asked","trial_id":"t","step":1,"role":"solve","messages":0}',
            id="request to the model",
        ),
        pytest.param(
            '{"at_ms":1,"type":"model_replied","trial_id":"t","step":1,"reply":""}',
            id="reply",
        ),
        pytest.param(
            '{"at_ms":1,"type":"call","trial_id":"t","step":1,"number":1,"operation":"o",'
            '"arguments":{},"result":{}}',
            id="call",
        ),
        pytest.param(
            '{"at_ms":1,"type":"step","trial_id":"t","step":1,"calls":[]}', id="step"
        ),
        pytest.param(
            '{"at_ms":1,"type":"score","trial_id":"t","score":1,"details":[]}',
            id="score",
        ),
        pytest.param(
            '{"at_ms":1,"type":"notice","trial_id":"t","text":""}', id="notice"
        ),
    ],
)
def test_a_sound_line_is_read(event: str, tmp_path: Path) -> None:
    """The odd lines below differ from these by one field."""
    path = journal_with(event, tmp_path)

    read_all_trials(path)
    assert len(list(Journal(path).read_on())) == 3


@pytest.mark.parametrize(
    ("event", "fault"),
    [
        pytest.param(
            '{"at_ms":10000000000000000,"type":"model_asked","trial_id":"t","step":1,'
            '"role":"solve","messages":0}',
            "line 3: at_ms: Input should be less than",
            id="time in the far future",
        ),
        pytest.param(
            '{"at_ms":-1000000000000000000000000000000,"type":"model_asked","trial_id":"t",'
            '"step":1,"role":"solve","messages":0}',
            "line 3: at_ms: Input should be greater than",
            id="time in the far past",
        ),
        pytest.param(
            '{"at_ms":1,"type":"model_asked","trial_id":"t",'
            '"step":10000000000000000000000000000000000000000,"role":"solve","messages":0}',
            "line 3: step: Input should be less than",
            id="huge step",
        ),
        pytest.param(
            '{"at_ms":1,"type":"step","trial_id":"t","step":-1,"calls":[]}',
            "line 3: step: Input should be greater than",
            id="negative step",
        ),
        pytest.param(
            '{"at_ms":1,"type":"score","trial_id":"t","score":1e300,"details":[]}',
            "line 3: score: Input should be less than",
            id="huge score",
        ),
        pytest.param(
            '{"at_ms":1,"type":"call","trial_id":"t","step":1,"number":-1,"operation":"o",'
            '"arguments":{},"result":{}}',
            "line 3: number: Input should be greater than",
            id="negative number of a call",
        ),
        pytest.param(
            '{"at_ms":1,"type":"model_replied","trial_id":"t","step":1,"reply":"",'
            '"cost_usd":-1000000}',
            "line 3: cost_usd: Input should be greater than",
            id="negative cost",
        ),
        pytest.param(
            '{"at_ms":1,"type":"model_replied","trial_id":"t","step":1,"reply":"",'
            '"usage":{"completion_tokens":-1000000}}',
            "line 3: completion_tokens: Input should be greater than",
            id="negative tokens",
        ),
        pytest.param(
            '{"at_ms":1,"type":"model_replied","trial_id":"t","step":1,"reply":"",'
            '"usage":{"prompt_tokens":1' + "0" * 400 + "}}",
            "line 3: prompt_tokens: Input should be less than",
            id="more tokens than a float can have",
        ),
    ],
)
def test_a_number_out_of_bounds_is_damage(
    event: str, fault: str, tmp_path: Path
) -> None:
    path = journal_with(event, tmp_path)

    with pytest.raises(JournalDamaged):
        read_all_trials(path)
    with pytest.raises(JournalDamaged, match=fault):
        read_all_lines(path)


@pytest.mark.parametrize(
    ("event", "fault"),
    [
        pytest.param(
            '{"at_ms":1,"type":"score","trial_id":"t","score":1,"details":["no",5]}',
            "line 3: 1: Input should be an instance of str",
            id="number among the reasons of a score",
        ),
        pytest.param(
            '{"at_ms":1,"type":"conversation_opened","trial_id":"t","system":"",'
            '"first_message":[{}]}',
            "line 3: 0: Input should be an instance of str",
            id="object for the text of a message",
        ),
        pytest.param(
            '{"at_ms":1,"type":"step","trial_id":"t","step":1,"calls":[3]}',
            "line 3: its calls do not name lines before it",
            id="step with a call that was not made",
        ),
        pytest.param(
            '{"at_ms":1,"type":"unheard","trial_id":"t","text":""}',
            "line 3: there is no event 'unheard'",
            id="unknown type",
        ),
        # A line refers to a long text of an earlier line by its hash.
        pytest.param(
            '{"at_ms":1,"type":"notice","trial_id":"t","text":"@text:'
            + key_of("a text that no line has")
            + '"}',
            "line 3: it refers to a text that no earlier line holds",
            id="reference to no text",
        ),
        pytest.param(
            '{"at_ms":1,"type":"trial_started","trial_id":"t","task_id":"k","instruction":"",'
            '"now":"<b>&","tool_schema":"{}"}',
            "line 3: now: ",
            id="clock without a time",
        ),
        pytest.param(
            '{"at_ms":1,"type":"trial_started","trial_id":"t","task_id":"k","instruction":"",'
            '"now":"1970-13-45T99:99","tool_schema":"{}"}',
            "line 3: now: ",
            id="clock with an impossible time",
        ),
    ],
)
def test_an_odd_value_is_damage(event: str, fault: str, tmp_path: Path) -> None:
    path = journal_with(event, tmp_path)

    with pytest.raises(JournalDamaged):
        read_all_trials(path)
    with pytest.raises(JournalDamaged, match=fault):
        read_all_lines(path)
