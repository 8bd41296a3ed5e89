"""An answer with citations, and the verdicts of rules on it.

    submission = answer_citing({"/docs/Loans.md": "its 7 loans"})
    verdicts_in_this_process(submission, calls.evidence, rule_sets=("ecom",))

The request is "How many loans are open?". A *worker* is another process, in which rules may judge instead.
"""

from controlplane.agent.judging import find_verdicts
from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Verdict

HOW_MANY = Case(instruction="How many loans are open?")


def answer_citing(reasons: dict[str, str]) -> Submission:
    """Return the answer "7" that cites files: `answer_citing({"/docs/Loans.md": "its 7 loans"})`."""
    return Submission(answer="7", outcome="OUTCOME_OK", refs_why=reasons)


def verdicts_in_this_process(
    submission: Submission, evidence: Evidence, rule_sets: tuple[str, ...]
) -> list[Verdict]:
    """Return the verdicts of the gates and of these rule sets, judged without a worker."""
    return list(find_verdicts(None, submission, evidence, HOW_MANY, rule_sets))
