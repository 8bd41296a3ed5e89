"""A rule pack that finds a fault in every answer that holds a date of the year 2027."""

from gates import Case, Pack, Rule, Submission
from gates.types import Evidence


def fault_of_year(submission: Submission, evidence: Evidence, case: Case) -> str:
    return "No answer names that year." if "2027" in str(submission.answer) else ""


PACK = Pack("strict", (Rule("no-2027", fault_of_year),))
NAME = "tests.support.strict_pack:PACK"
