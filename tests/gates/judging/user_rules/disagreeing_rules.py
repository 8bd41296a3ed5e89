"""Two rules of a user that disagree: one demands a citation that the other one forbids.

`DEMANDS` wants `/docs/Loans.md` cited; of an answer that does not cite it, it says
"`/docs/Loans.md` is missing." `FORBIDS` wants neither this file nor `/logs/lent.tsv` cited, and
says "… is surplus."
"""

from __future__ import annotations

import pytest

from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Objection
from controlplane.gates.rules import Rule
from controlplane.gates.submission import Case, Submission


def demand_rules(submission: Submission, evidence: Evidence, case: Case) -> Objection:
    return Objection(demands=("/docs/Loans.md",), missing_message="{paths} is missing.")


def forbid_rules_and_log(
    submission: Submission, evidence: Evidence, case: Case
) -> Objection:
    return Objection(
        forbids=("/docs/Loans.md", "/logs/lent.tsv"),
        surplus_message="{paths} is surplus.",
    )


DEMANDS = Rule("demands", demand_rules)
FORBIDS = Rule("forbids", forbid_rules_and_log)
each_order_of_rules = pytest.mark.parametrize(
    "rules",
    [
        pytest.param((DEMANDS, FORBIDS), id="the demand first"),
        pytest.param((FORBIDS, DEMANDS), id="the prohibition first"),
    ],
)
