"""An answer to a task of the public shop benchmark, as recorded, with the verdict of its grader.

    RecordedAnswer(
        number=98,
        family="discount",
        outcome=DENIED,
        message="No.",
        refs=("/docs/security.md", "/proc/carts/cust-1/basket-1.json"),
        passed=False,
        line="answer missing required reference '/docs/discounts.md'",
    )

The *world* in which the answer was given, a shop with its own records, was not recorded.
"""

import re
from collections import Counter
from dataclasses import dataclass

from tests.benchmarks.ecom.recorded.record_kinds import NO_RECORDS, kind_of


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
