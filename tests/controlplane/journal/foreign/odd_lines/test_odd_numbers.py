"""A line of a journal with a time, score or cost that no run has is damage, and the journal is refused.

A stranger may write any line, with valid hashes:

    {"type": "score", "score": 1e300, ...}    ->    r.jsonl is damaged at line 3: score: Input should
                                                    be less than ...
"""

from pathlib import Path

import pytest

from controlplane.errors import JournalDamaged
from tests.controlplane.journal.foreign.odd_lines.one_event import (
    journal_with,
    read_all_lines,
    read_all_trials,
)


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
            '{"at_ms":1,"type":"score","trial_id":"t","score":1e300,"details":[]}',
            "line 3: score: Input should be less than",
            id="huge score",
        ),
        pytest.param(
            '{"at_ms":1,"type":"model_replied","trial_id":"t","step":1,"reply":"",'
            '"cost_usd":-1000000}',
            "line 3: cost_usd: Input should be greater than",
            id="negative cost",
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
