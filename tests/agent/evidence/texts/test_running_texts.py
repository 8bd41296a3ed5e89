"""A tool's result in a form that a mail may have is running text, and not trusted.

An attacker may have written the mail, also one of keys and values: `to: Ann` and `iban: DE12`, in two
lines. So nothing in it is a field of data, which would be trusted. A line of at most eight words is not
running text.
"""

import pytest

from tests.agent.evidence.texts.data_of_results import data_in


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(
            "Dear Ann, somebody has to be there to take the parcel.", id="sentence"
        ),
        pytest.param(
            "- Dear Ann, somebody has to be there to take the parcel.\n- general",
            id="YAML list with a sentence",
        ),
        pytest.param(
            "to: Ann\niban: DE89370400440532013000\nnote: [see below]\n",
            id="lines of keys and values, and a list",
        ),
        pytest.param(
            "name: Ann\niban: DE89370400440532013000\n",
            id="lines of keys and values",
        ),
        pytest.param("Ann\nMiller", id="two lines"),
        pytest.param("- &a [*b]\n- *a", id="YAML with references"),
    ],
)
def test_a_result_in_another_form_is_running_text(value: object) -> None:
    assert data_in(value) == set()
