"""Solutions of the shop's tasks that are right, but cite too little or too much.

    solution = cites_too("/docs/checkout.md")
    answer_with(solution, environment, truth)  # answers rightly, and cites this page as well

A solution is a function that gets a client of the task's shop and the truth, and returns an answer.
"""

from dataclasses import replace

from controlplane.benchmarks.ecom.tasks.truth import Truth
from tests.benchmarks.ecom.solutions.answers import Answer
from tests.benchmarks.ecom.solutions.reference_client import ReferenceClient
from tests.benchmarks.ecom.solutions.reference_solutions import Solution
from tests.benchmarks.ecom.solutions.wrong_solutions import right_answer


def cites_only(*paths: str) -> Solution:
    """Return a solution that is right, but has only these of the right citations."""

    def solution(client: ReferenceClient, truth: Truth) -> Answer:
        answer = right_answer(client, truth)
        kept_citations = {path: answer.citations[path] for path in paths}
        return replace(answer, citations=kept_citations)

    return solution


def cites_too(*paths: str) -> Solution:
    """Return a solution that is right, but also cites these paths."""

    def solution(client: ReferenceClient, truth: Truth) -> Answer:
        answer = right_answer(client, truth)
        citations = dict.fromkeys(paths, "a record that was looked at")
        citations.update(answer.citations)
        return replace(answer, citations=citations)

    return solution
