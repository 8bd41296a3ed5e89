"""A rule set of a user: one rule, which rejects every answer with "2027" in it.

`controlplane run --rule-sets tests.support.strict_rule_set:RULE_SET` applies it to each answer of
the model. A rule returns why it rejects an answer, or "".
"""

from controlplane.gates.evidence import Evidence
from controlplane.gates.rules import Rule, RuleSet
from controlplane.gates.submission import Case, Submission


def reject_2027(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Return why an answer is rejected: it has "2027" in it."""
    if "2027" in str(submission.answer):
        return "No answer names that year."
    return ""


RULE_SET = RuleSet("strict", (Rule("no-2027", reject_2027),))

NAME = "tests.support.strict_rule_set:RULE_SET"
"""The rule set, as the option `--rule-sets` names it."""
