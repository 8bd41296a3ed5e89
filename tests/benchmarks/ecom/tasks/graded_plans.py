"""Plans for dispatching packages that the public shop benchmark has graded, beside the repository.

    graded_answer("BD2bv3HB")  # GradedAnswer(message='{"assignments": [...]}', score=0.9)

A *wave* is a set of packages that are sent together. Our measure should give a plan the same score.
"""

import json
from pathlib import Path
from typing import NamedTuple

SAMPLES = Path(__file__).resolve().parents[5] / "shared" / "ecom1" / "samples"
"""Files of the public benchmark, beside the repository."""


def sample_text(name: str) -> str:
    """Return the text of a file of the public benchmark."""
    return (SAMPLES / name).read_text("utf-8")


class GradedAnswer(NamedTuple):
    """An answer to a dispatch task, and what the public benchmark gave for it."""

    message: str
    """The plan as JSON."""
    score: float


def graded_answer(wave_id: str) -> GradedAnswer:
    """Return the answer for a wave from the file of graded answers, one JSON object a line."""
    for line in sample_text("dispatch_answers_scored.jsonl").splitlines():
        answer = json.loads(line)
        if answer["wave"] == wave_id:
            message = answer["message"]
            if not isinstance(message, str):
                message = json.dumps(message)
            return GradedAnswer(message, answer["score"])
    msg = f"no answer for wave {wave_id} was graded"
    raise AssertionError(msg)
