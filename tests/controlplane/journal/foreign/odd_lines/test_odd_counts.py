"""A line of a journal with a negative count, or one that no run reaches, is damage.

A stranger may write any line, with valid hashes. The journal is then refused:

    {"type": "step", "step": -1, ...}    ->    r.jsonl is damaged at line 3: step: Input should be
                                               greater than ...
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
            '{"at_ms":1,"type":"call","trial_id":"t","step":1,"number":-1,"operation":"o",'
            '"arguments":{},"result":{}}',
            "line 3: number: Input should be greater than",
            id="negative number of a call",
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
