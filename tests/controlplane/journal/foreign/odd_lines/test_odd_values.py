"""A line of a journal with a value of another type, or a reference to nothing, is damage.

A stranger may write any line:

    {"type": "step", "calls": [3], ...}    ->    its calls do not name lines before it

Each event here is line 3 of a journal that is right otherwise: `journal_with` writes it there.
"""

from pathlib import Path

import pytest

from controlplane.errors import JournalDamaged
from controlplane.journal.text_references import key_of
from tests.controlplane.journal.foreign.odd_lines.one_event import (
    journal_with,
    read_all_lines,
    read_all_trials,
)


@pytest.mark.parametrize(
    ("event", "fault"),
    [
        pytest.param(
            '{"at_ms":1,"type":"score","trial_id":"t","score":1,"details":["no",5]}',
            "1: Input should be an instance of str",  # item 1 of `details`, the 5
            id="number among the reasons of a score",
        ),
        pytest.param(
            '{"at_ms":1,"type":"conversation_opened","trial_id":"t","system":"",'
            '"first_message":[{}]}',
            "0: Input should be an instance of str",  # item 0 of `first_message`
            id="object for the text of a message",
        ),
        pytest.param(
            '{"at_ms":1,"type":"step","trial_id":"t","step":1,"calls":[3]}',
            "its calls do not name lines before it",
            id="step with a call that was not made",
        ),
        pytest.param(
            '{"at_ms":1,"type":"unheard","trial_id":"t","text":""}',
            "there is no event 'unheard'",
            id="unknown type",
        ),
        # A line refers to a long text of an earlier line by its hash.
        pytest.param(
            f'{{"at_ms":1,"type":"notice","trial_id":"t","text":"@text:{key_of("lost")}"}}',
            "it refers to a text that no earlier line holds",
            id="reference to no text",
        ),
        pytest.param(
            '{"at_ms":1,"type":"trial_started","trial_id":"t","task_id":"k","instruction":"",'
            '"now":"<b>&","tool_schema":"{}"}',
            "now: ",
            id="clock without a time",
        ),
        pytest.param(
            '{"at_ms":1,"type":"trial_started","trial_id":"t","task_id":"k","instruction":"",'
            '"now":"1970-13-45T99:99","tool_schema":"{}"}',
            "now: ",
            id="clock with an impossible time",
        ),
    ],
)
def test_an_odd_value_is_damage(event: str, fault: str, tmp_path: Path) -> None:
    path = journal_with(event, tmp_path)

    with pytest.raises(JournalDamaged, match=f"line 3: {fault}"):
        read_all_lines(path)
    # Trial by trial, some events are found by their byte, and named by it.
    with pytest.raises(JournalDamaged, match=f"(line 3|byte [0-9]+): {fault}"):
        read_all_trials(path)
