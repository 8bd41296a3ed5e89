"""Recorded answers to judge."""

import json
from pathlib import Path

import pytest

RECORDED = Path(__file__).resolve().parents[4] / "shared" / "recorded" / "answers-dev.jsonl"
needs_recorded = pytest.mark.skipif(not RECORDED.exists(), reason=f"{RECORDED} is not there")
OWN = [
    {"id": "a", "task_text": "How many? Answer with number only.", "outcome": "OUTCOME_OK", "message": "7", "refs": []},
    {"id": "b", "task_text": "How many? Answer with number only.", "outcome": "OUTCOME_OK", "message": "7 books"},
    {"id": "c", "task_text": "How many?", "outcome": "OUTCOME_OK", "message": "7", "refs": ["/a.md", "/a.md"]},
    {"id": "d", "task_text": "How many?", "outcome": "OUTCOME_ERR_INTERNAL", "message": "no idea", "refs": []},
]
SCORES = {"a": 1.0, "b": 0.0, "c": 0.4, "d": 0.0}


def written(folder: Path, *, with_scores: bool = True) -> Path:
    path = folder / "answers.jsonl"
    scored = [
        {
            **each,
            **({"score": SCORES[each["id"]], "grader": ['Answer should be "7"'], "run": "r"} if with_scores else {}),
        }
        for each in OWN
    ]
    path.write_text("\n".join(json.dumps(each) for each in scored) + "\n", encoding="utf-8")
    return path
