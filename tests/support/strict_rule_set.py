"""A rule set that finds a fault in every answer that holds a date of the year 2027."""

from controlplane.gates.evidence import Evidence
from controlplane.gates.rules import Rule, RuleSet
from controlplane.gates.submission import Case, Submission


def ask_year(submission: Submission, evidence: Evidence, case: Case) -> str:
    return "No answer names that year." if "2027" in str(submission.answer) else ""


RULE_SET = RuleSet("strict", (Rule("no-2027", ask_year),))
NAME = "tests.support.strict_rule_set:RULE_SET"
