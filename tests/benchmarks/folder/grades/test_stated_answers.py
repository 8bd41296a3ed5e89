"""A task may give an example of a right answer: `states = "EUR 1,250.00 by 3 May 2026."`.

A message needs its values, in any format, unless the question has them already. If there are none, it needs
the names, or the yes or no.
"""

import pytest

from controlplane.benchmarks.folder.folder_benchmark import values_lacking


@pytest.mark.parametrize(
    ("right_answer", "message", "missing_values"),
    [
        pytest.param(
            "EUR 1,250.00 by 3 May 2026, says Ada Lovelace.",
            "Ada Lovelace wants 1250 EUR until 2026-05-03",
            [],
            id="the same values in other formats",
        ),
        pytest.param(
            "EUR 1,250.00 by 3 May 2026.",
            "EUR 1,520.00 by 3 May 2026",
            ["1,250.00"],
            id="another amount",
        ),
        pytest.param(
            "loan-02 is kept 14 days.",
            "two weeks: 14 days",
            [],
            id="an id that the question has already",
        ),
        pytest.param(
            "Helvetia.", "The insurer is HELVETIA", [], id="the name in capitals"
        ),
        pytest.param(
            "Helvetia.", "The insurer is Allianz", ["helvetia"], id="another name"
        ),
        pytest.param("No.", "Yes, of course", ["no"], id="yes instead of no"),
        pytest.param(
            "The tenant has to have the heating serviced every year.",
            "A yearly service, by the tenant",
            [],
            id="no values at all",
        ),
    ],
)
def test_a_message_must_have_the_values_of_the_right_answer(
    right_answer: str, message: str, missing_values: list[str]
) -> None:
    """The question names loan-02, so that no answer needs to have this id."""
    question = "What about loan-02, and who is the insurer?"

    assert values_lacking(message, right_answer, question) == missing_values
