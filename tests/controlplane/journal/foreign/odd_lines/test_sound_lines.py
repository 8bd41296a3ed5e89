"""Lines of a journal as a run writes them are read.

A journal is the record of a run, a file with an event in each line. The odd lines of the other tests
in this folder differ from these by one field.
"""

from pathlib import Path

import pytest

from controlplane.journal.journal_reader import Journal
from tests.controlplane.journal.foreign.odd_lines.one_event import (
    journal_with,
    read_all_trials,
)


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
