"""An answer that was recorded without its trial is judged as that of a trial without calls.

A record has the request, the answer and the score that a grader gave it, but no calls. So the
gates judge by the form of the answer and the outcome that it claims, not by what was read.
"""

from __future__ import annotations

import json
from pathlib import Path

from controlplane.gates.recorded_answers import judge_recorded, read_scored


def is_accepted(folder: Path, **record: object) -> bool:
    """Write a record into a file, as a line of JSON; read it, and judge it."""
    # The gates ignore further keys: here `grader`, which has what the grader expected.
    record |= {"id": "a", "grader": ["7"]}
    file = folder / "answers.jsonl"
    file.write_text(json.dumps(record) + "\n")
    (answer,) = read_scored(file)
    return judge_recorded(answer).accepted


def test_a_right_answer_is_accepted(tmp_path: Path) -> None:
    assert is_accepted(
        tmp_path,
        task_text="How many? Answer with `%d` only.",
        outcome="OUTCOME_OK",
        message="7",
        refs=[],
        score=1.0,
    )


def test_an_answer_in_another_form_than_the_requested_one_is_rejected(
    tmp_path: Path,
) -> None:
    """This record lacks `refs`, the cited files, as some do."""
    assert not is_accepted(
        tmp_path,
        task_text="How many? Answer with `%d` only.",
        outcome="OUTCOME_OK",
        message="OUTCOME_OK: 7",
        score=0.0,
    )


def test_an_answer_that_cites_a_file_twice_is_rejected(tmp_path: Path) -> None:
    assert not is_accepted(
        tmp_path,
        task_text="How many?",
        outcome="OUTCOME_OK",
        message="7",
        refs=["/a.md", "/a.md"],
        score=0.4,
    )


def test_an_answer_that_gives_up_is_rejected(tmp_path: Path) -> None:
    """Only a failed call excuses the outcome `OUTCOME_ERR_INTERNAL`, and a record has no calls."""
    assert not is_accepted(
        tmp_path,
        task_text="How many?",
        outcome="OUTCOME_ERR_INTERNAL",
        message="no idea",
        refs=[],
        score=0.0,
    )
