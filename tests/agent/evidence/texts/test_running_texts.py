"""Keys and values, or lines of words, are running text: a mail may consist of them.

An attacker may have written the mail: the two lines `to: Ann` and `iban: DE12`. None of its parts is a
field of data, which would be trusted: `data_in(text)`, the set of such fields, is empty.
"""

import pytest

from tests.agent.evidence.texts.data_of_results import data_in


@pytest.mark.parametrize(
    "text",
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
        # `&a` names the first item, and `*a` repeats it. Such YAML is not parsed.
        pytest.param("- &a [*b]\n- *a", id="YAML with references"),
    ],
)
def test_a_text_that_a_mail_may_have_has_no_fields_of_data(text: str) -> None:
    assert data_in(text) == set()
