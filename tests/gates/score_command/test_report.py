"""`python -m controlplane.gates score FILE` tells how many wrong answers the gates catch.

The file has a recorded answer a line, with the score that a grader gave it: an answer that scores 1
is right, one that scores 0 is wrong. The gates catch a wrong answer if they reject it.
"""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from controlplane.gates.__main__ import main
from tests.support.command import run_python


def test_score_prints_how_many_wrong_answers_were_caught(tmp_path: Path) -> None:
    """Two answers are wrong. One has words where the request wants a number, and the other gives up
    though no call has failed. The third answer is right, and the last one is neither."""
    file = tmp_path / "answers.jsonl"
    file.write_text(
        """\
{"id": "a", "task_text": "How many? Answer with `%d` only.", "outcome": "OUTCOME_OK", "message": "OUTCOME_OK: 7", "score": 0.0}
{"id": "b", "task_text": "How many? Answer with `%d` only.", "outcome": "OUTCOME_ERR_INTERNAL", "message": "no idea", "score": 0.0}
{"id": "c", "task_text": "How many? Answer with `%d` only.", "outcome": "OUTCOME_OK", "message": "7", "score": 1.0}
{"id": "d", "task_text": "How many? Answer with `%d` only.", "outcome": "OUTCOME_OK", "message": "7", "score": 0.4, "refs": ["/a.md", "/a.md"]}
"""
    )

    scored = CliRunner().invoke(main, ["score", str(file)])

    assert "caught 2 of 2 wrong" in scored.output


def test_score_prints_json_for_other_programs(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(
        """\
{"id": "a", "task_text": "How many? Answer with `%d` only.", "outcome": "OUTCOME_OK", "message": "OUTCOME_OK: 7", "score": 0.0}
{"id": "c", "task_text": "How many? Answer with `%d` only.", "outcome": "OUTCOME_OK", "message": "7", "score": 1.0}
"""
    )

    scored = CliRunner().invoke(main, ["score", str(file), "--json"])

    report = json.loads(scored.output)
    assert report["caught"] == 1


def test_the_command_starts_without_importing_slow_libraries() -> None:
    """They take a second to import, and most uses of the command do not need them."""
    script = """
import sys
import controlplane.gates.__main__
for name in ("pydantic", "openai", "rich", "httpx2"):
    if name in sys.modules:
        print(name)
"""
    assert run_python("-c", script).out.strip() == ""
