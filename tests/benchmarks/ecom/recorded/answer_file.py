"""The file of recorded answers to tasks of the public shop benchmark, which ours imitates.

People's agents answered there, and the public grader let each answer pass (score 1), or named its
faults. Each line of the file is one answer:

    {"task_id": "t098", "message": "No.", "outcome": "OUTCOME_DENIED_SECURITY", "refs": [],
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
"""The recorded answers, one JSON object a line. By default they are beside the repository."""
BENCHMARK: Final = "bitgn/ecom1-prod"
"""The recorded benchmark that ours imitates. Another one, `ecom1-dev`, has other families."""


def read_rows(path: Path = RECORDED_FILE) -> Iterator[dict[str, Any]]:
    """Yield the recorded answers to the benchmark that ours imitates, if its grader judged them.

    A row is a JSON object: `{"task_id": "t098", "message": "No.", "score": 0, "grader": [...]}`.
    """
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["verdict"] == "grader" and row["benchmark"] == BENCHMARK:
            yield row


def number_of(row: Mapping[str, Any]) -> int:
    """Return the number of a row's public task: 98 for `t098`."""
    return int(row["task_id"].removeprefix("t"))


def recorded_answers() -> Iterator[RecordedAnswer]:
    """Yield the answers that are right or wrong, to public tasks of a kind that we have, too.

    An answer whose score is a fraction, such as a plan of deliveries, is left out.
    """
    for row in read_rows():
        number = number_of(row)
        if row["score"] not in (0, 1) or not variants_of(number):
            continue
        passed = row["score"] == 1
        fault_lines = [] if passed else row["grader"]
        yield RecordedAnswer(
            number=number,
            family=row["task_family"],
            outcome=row["outcome"],
            message=row["message"],
            refs=tuple(row["refs"]),
            passed=passed,
            line=fault_lines[0] if fault_lines else "",
        )
