"""`python -m controlplane.gates score FILE` tells how many wrong answers the gates catch.

The file has a recorded answer a line, with the score that a grader gave it: an answer that scores 1
is right, one that scores 0 is wrong. The gates catch a wrong answer if they reject it.
"""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from controlplane.gates.__main__ import main

RIGHT = {"outcome": "OUTCOME_OK", "message": "7", "score": 1.0}
WRONG_FORM = {"outcome": "OUTCOME_OK", "message": "OUTCOME_OK: 7", "score": 0.0}
"""The request wants a number alone."""
GIVEN_UP = {"outcome": "OUTCOME_ERR_INTERNAL", "message": "no idea", "score": 0.0}
"""An answer may give up only after a call that failed, and none is recorded."""
HALF_RIGHT = {
    "outcome": "OUTCOME_OK",
    "message": "7",
    "score": 0.4,
    "refs": ["/a.md", "/a.md"],
}
"""Rejected, because it cites a file twice, but neither right nor wrong by its score."""


def file_of(folder: Path, *answers: dict[str, object]) -> Path:
    """Write a file with these answers to one request, each a line of JSON."""
    file = folder / "answers.jsonl"
    lines: list[str] = []
    for number, answer in enumerate(answers):
        request = {"id": str(number), "task_text": "How many? Answer with `%d` only."}
        lines.append(json.dumps({**request, **answer}) + "\n")
    file.write_text("".join(lines))
    return file


def test_score_prints_how_many_wrong_answers_were_caught(tmp_path: Path) -> None:
    file = file_of(tmp_path, WRONG_FORM, GIVEN_UP, RIGHT, HALF_RIGHT)

    scored = CliRunner().invoke(main, ["score", str(file)])

    assert "caught 2 of 2 wrong" in scored.output


def test_score_prints_json_for_other_programs(tmp_path: Path) -> None:
    file = file_of(tmp_path, WRONG_FORM, RIGHT)

    scored = CliRunner().invoke(main, ["score", str(file), "--json"])

    report = json.loads(scored.output)
    assert report["caught"] == 1
