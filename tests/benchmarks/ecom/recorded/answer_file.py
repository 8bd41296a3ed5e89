"""The file of recorded answers to tasks of the public shop benchmark, which ours imitates.

The public grader let each answer pass (score 1), or named its faults. Each line of the file is one
row:

    {"benchmark": "bitgn/ecom1-prod", "task_id": "t098", "task_family": "discount",
     "message": "No.", "outcome": "OUTCOME_DENIED_SECURITY", "refs": [], "verdict": "grader",
     "score": 0, "grader": ["answer missing required reference '/docs/security.md'"], ...}
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tests.benchmarks.ecom.recorded.public_tasks import variants_of
from tests.benchmarks.ecom.recorded.recorded_answers import RecordedAnswer

RECORDED_FILE: Final = Path(
    os.environ.get("RECORDED_ANSWERS")
    or Path(__file__).resolve().parents[5] / "shared" / "recorded" / "answers-dev.jsonl"
)
"""The file. By default it is beside the repository. Its name does not tell the benchmark."""
BENCHMARK: Final = "bitgn/ecom1-prod"
"""The benchmark that ours imitates. The file has answers to others, too."""


def read_rows(path: Path = RECORDED_FILE) -> Iterator[dict[str, Any]]:
    """Yield the rows of the benchmark that ours imitates, if its grader judged them."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        was_graded = row["verdict"] == "grader"
        if was_graded and row["benchmark"] == BENCHMARK:
            yield row


def number_of(row: Mapping[str, Any]) -> int:
    """Return the number of a row's public task: 98 for `t098`."""
    return int(row["task_id"].removeprefix("t"))


def recorded_answers() -> Iterator[RecordedAnswer]:
    """Yield the answers to public tasks of a kind that we have, too.

    Answers that are neither right nor wrong are left out: a plan of deliveries may score 0.4.
    """
    for row in read_rows():
        number = number_of(row)
        if row["score"] not in (0, 1) or not variants_of(number):
            continue
        passed = row["score"] == 1
        first_fault = ""
        if not passed and row["grader"]:
            first_fault = row["grader"][0]
        yield RecordedAnswer(
            number=number,
            family=row["task_family"],
            outcome=row["outcome"],
            message=row["message"],
            refs=tuple(row["refs"]),
            passed=passed,
            line=first_fault,
        )
