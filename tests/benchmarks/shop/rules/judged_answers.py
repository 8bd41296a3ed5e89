"""Judges an answer by all rules of the shop's rule set, to show which of them objects.

    rules_against("Do you have 3 of the lamp at Lombok?", "ja", cites=["/proc/articles/VH-LMP-ONE.json"])
    # ["checklist"]: the record of the branch Lombok is not cited

The records are of an invented shop, and need not exist.
"""

from collections.abc import Sequence

from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import OK, Submission
from tests.benchmarks.shop.invented_shop import POLICIES
from tests.benchmarks.shop.rules.objecting_rules import objecting_rules


def rules_against(
    request: str, answer: str, *, cites: Sequence[str], outcome: str = OK
) -> list[str]:
    """Return the names of the rules that object; empty if none does.

    The answer also cites all pages on policies, so that it misses none. The trial has made no
    calls before, so that only the answer is judged.
    """
    submission = Submission(answer=answer, outcome=outcome, refs=(*cites, *POLICIES))
    return objecting_rules(submission, request, Evidence())
