"""Recorded answers to tasks of the public shop benchmark, which ours imitates.

People's agents answered there, and were graded. For each answer, the record has its message,
outcome and citations, and the verdict of the public grader: "passed", or a line such as
`answer missing required reference '/docs/security.md'`. The worlds of the tasks are not recorded.

    for answer in recorded_answers(): print(answer.number, answer.passed, answer.record_kinds)
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.benchmarks.ecom.recorded.public_tasks import variants_of
from tests.benchmarks.ecom.recorded.record_kinds import NO_RECORDS, kind_of

RECORDED_FILE: Final = Path(
    os.environ.get("RECORDED_ANSWERS")
    or Path(__file__).resolve().parents[5] / "shared" / "recorded" / "answers-dev.jsonl"
)
"""The recorded answers, one JSON object a line. By default they are beside the repository."""
BENCHMARK: Final = "bitgn/ecom1-prod"
"""The recorded benchmark that ours imitates. Another one, `ecom1-dev`, has other families."""


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """One recorded answer with the verdict of the public grader."""

    number: int
    """The number of the public task: 98 for `t098`."""
    family: str
    """A name for the kind of the request, given by those who recorded it."""
    outcome: str
    message: str
    refs: tuple[str, ...]
    """The cited paths."""
    passed: bool
    line: str
    """The first fault that the public grader names; empty if the answer passed."""

    @property
    def right_outcome(self) -> str:
        """The outcome that the public grader demanded: the answer's own, unless it names another."""
        # "expected outcome OUTCOME_OK, got OUTCOME_DENIED_SECURITY"
        match = re.match(r"expected outcome (\w+)", self.line)
        return match[1] if match else self.outcome

    @property
    def pages(self) -> frozenset[str]:
        """The cited pages and tools."""
        return frozenset(path for path in self.refs if path.startswith(NO_RECORDS))

    @property
    def record_kinds(self) -> Counter[str]:
        """How many records of each kind are cited: `{"basket": 1}`."""
        record_paths = set()
        for citation in self.refs:
            if not citation.startswith(NO_RECORDS):
                # `/archive/payments.tsv#row=AR-DcV62h` cites a row of a file.
                path = citation.partition("#")[0]
                record_paths.add(path)
        return Counter(kind_of(path) for path in record_paths)


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
