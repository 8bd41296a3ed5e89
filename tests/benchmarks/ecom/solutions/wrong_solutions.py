"""Solutions of the shop's tasks that are wrong in one respect; tests show that the grader sees it.

A task, such as "Check out basket-0012", has a truth: the outcome, message, citations and file
changes of the right answer. A solution is a function that gets a client of the task's shop and the
truth, works there, and returns an answer. The functions here make wrong solutions:

    solution = runs_tool("checkout", "basket-0012", times=2)
    answer_with(solution, environment, truth)  # checks the basket out twice
"""

from dataclasses import replace
from typing import Any

from controlplane.agent.evidence import Environment
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.gates.submission import OK
from tests.benchmarks.ecom.solutions.answers import Answer
from tests.benchmarks.ecom.solutions.reference_client import ReferenceClient
from tests.benchmarks.ecom.solutions.reference_solutions import Solution, reference_of

Mistakes = dict[str, Solution]
"""Wrong solutions by what is wrong with them: `{"two units": adds_two_units}`."""


def answer_with(solution: Solution, environment: Environment, truth: Truth) -> Answer:
    """Run a solution on an environment, submit its answer there, and return the answer."""
    answer = solution(ReferenceClient(environment, truth.names), truth)
    environment.answer(answer.message, answer.outcome, answer.refs)
    return answer


def right_answer(client: ReferenceClient, truth: Truth) -> Answer:
    """Do all the work that the task asks for, and return the right answer."""
    right_solution = reference_of(truth.family)
    return right_solution(client, truth)


def right_except(**wrong_fields: Any) -> Solution:
    """Return a solution that does all the right work, but answers with these wrong fields.

    `right_except(message="7")` makes the right changes and says "7".
    """

    def solution(client: ReferenceClient, truth: Truth) -> Answer:
        return replace(right_answer(client, truth), **wrong_fields)

    return solution


def only_says(message: str, *, outcome: str = "") -> Solution:
    """Return a solution that changes nothing and gives this message, with the right citations.

    Without an outcome, it has the right one: a denial if the request must be denied.
    """

    def solution(client: ReferenceClient, truth: Truth) -> Answer:
        return client.answer(truth, message, outcome=outcome)

    return solution


def runs_tool(
    tool: str, *arguments: str, message: str = "Done.", times: int = 1
) -> Solution:
    """Return a solution that runs a tool of the shop and reports success.

    `runs_tool("checkout", "basket-0012", times=2)` checks the basket out twice.
    """

    def solution(client: ReferenceClient, truth: Truth) -> Answer:
        for _ in range(times):
            client.run(tool, *arguments)
        return client.answer(truth, message, outcome=OK)

    return solution
