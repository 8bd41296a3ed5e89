"""Two rules of a user that disagree: one demands a citation that the other one forbids.

| rule       | objects to an answer                                | with                           |
| ---------- | --------------------------------------------------- | ------------------------------ |
| `DEMANDS`  | that does not cite the page `/docs/Loans.md`        | `/docs/Loans.md` is missing.   |
| `FORBIDS`  | that cites the page, or the log `/logs/lent.tsv`    | `/logs/lent.tsv` is surplus.   |
"""

from __future__ import annotations

import pytest

from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Objection
from controlplane.gates.rules import Rule
from controlplane.gates.submission import Case, Submission


def demand_the_page(
    submission: Submission, evidence: Evidence, case: Case
) -> Objection:
    return Objection(demands=("/docs/Loans.md",), missing_message="{paths} is missing.")


def forbid_the_page_and_the_log(
    submission: Submission, evidence: Evidence, case: Case
) -> Objection:
    return Objection(
        forbids=("/docs/Loans.md", "/logs/lent.tsv"),
        surplus_message="{paths} is surplus.",
    )


DEMANDS = Rule("demands", demand_the_page)
FORBIDS = Rule("forbids", forbid_the_page_and_the_log)
each_order_of_rules = pytest.mark.parametrize(
    "rules",
    [
        pytest.param((DEMANDS, FORBIDS), id="the demand first"),
        pytest.param((FORBIDS, DEMANDS), id="the prohibition first"),
    ],
)
