"""A submission with citations, and the request that it answers: "How many loans are open?"."""

from controlplane.gates.submission import Case, Submission


def answer_citing(reasons: dict[str, str]) -> Submission:
    """Return the answer "7" that cites files: `answer_citing({"/docs/Loans.md": "its 7 loans"})`."""
    return Submission(answer="7", outcome="OUTCOME_OK", refs_why=reasons)


HOW_MANY = Case(instruction="How many loans are open?")
