"""Which rules of the shop's rule set object to an answer that a script is about to submit.

objecting_rules(Submission(answer="ja", outcome=OK, refs=()), "Do you have 3 of the lamp?", Evidence())
# ["checklist"]: no record is cited
"""

from controlplane.benchmarks.shop.rule_set import RULE_SET
from controlplane.gates.evidence import Evidence
from controlplane.gates.judging.conclusion import judge
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import RULE_FAILED, RULE_SET_GATE
from tests.benchmarks.shop.invented_shop import RULES


def objecting_rules(
    submission: Submission, request: str, evidence: Evidence
) -> list[str]:
    """Return the names of the rules of the rule set that object to an answer: `["checklist"]`.

    Checks that do not belong to the rule set apply to any benchmark, and are left out here. No rule
    may fail with an exception.
    """
    case = Case(request, rules="", rules_path=RULES)
    judgement = judge(submission, evidence, case, rule_sets=(RULE_SET,))
    names = []
    for verdict in judgement.verdicts:
        if verdict.gate != RULE_SET_GATE:
            continue
        assert not verdict.reason.startswith(RULE_FAILED), verdict
        if verdict.result == "reject":
            names.append(verdict.name.removeprefix("ecom/"))
    return names
