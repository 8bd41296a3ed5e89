"""An answer that was recorded without its trial is judged by its form.

A record has the request, the answer and the score that a grader gave it. It lacks the calls of its
trial, so the gates cannot know what was read.
"""

from __future__ import annotations

import json
from pathlib import Path

from controlplane.gates.recorded_answers import judge_recorded, read_scored


def is_accepted(folder: Path, **record: object) -> bool:
    """Write a record into a file, as a line of JSON, read it, and return whether the gates accept it.

    The record also has what the grader expected, a key that the gates ignore.
    """
    file = folder / "answers.jsonl"
    file.write_text(json.dumps({"id": "a", "grader": ["7"], **record}) + "\n")
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
    """`refs`, the cited files, may be missing in a record."""
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


def test_an_answer_that_gives_up_though_no_call_has_failed_is_rejected(
    tmp_path: Path,
) -> None:
    assert not is_accepted(
        tmp_path,
        task_text="How many?",
        outcome="OUTCOME_ERR_INTERNAL",
        message="no idea",
        refs=[],
        score=0.0,
    )
