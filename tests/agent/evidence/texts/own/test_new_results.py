"""A result of a server that the script's words cannot spell is the server's, and can be quoted.

A script could send a sentence in some encoding, and cite the result, which has it in plain words. But the
words of the task, "What is the fee for loan-02?", and those of SQL, hide nothing.
"""

import pytest

from tests.agent.evidence.texts.own.looking_trial import LookingTrial


@pytest.mark.parametrize(
    ("query", "result"),
    [
        pytest.param(
            "select fee from loans where id = 'loan-02'", "4711 EUR", id="words"
        ),
        pytest.param(
            "select sum(fee) from loans group by id",
            "loan-02: 4711 EUR",
            id="functions",
        ),
    ],
)
def test_a_result_of_a_query_can_be_quoted(query: str, result: str) -> None:
    """All words of the query are words of SQL or of the task "What is the fee for loan-02?",
    and so cannot spell the result."""
    trial = LookingTrial()
    path = trial.look(query, result=result)

    trial.quote(path, "4711 EUR")


def test_a_result_for_an_id_of_the_task_can_be_quoted() -> None:
    trial = LookingTrial()
    path = trial.look("loan-02", result="loan-02: the fee is 4711 EUR")

    trial.quote(path, "4711 EUR")


def test_a_result_that_is_much_longer_than_the_argument_can_be_quoted() -> None:
    """Four words are too short to be an encoding of the result."""
    trial = LookingTrial()
    path = trial.look(
        "fees of the library",
        result="Members pay a fee of 4711 EUR a year, says the head of the library.",
    )

    trial.quote(path, "4711 EUR")


def test_a_result_of_a_call_without_an_argument_can_be_quoted() -> None:
    trial = LookingTrial()
    path = trial.look("", result="The fee is 4711 EUR, says Orla Quist")

    trial.quote(path, "4711 EUR")
