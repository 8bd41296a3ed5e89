"""Digits of a call are recognised in the texts that were read: a telephone, or an id that looks like one.

The origin of a value is `PROSE` if only the running text of a mail has the value, and `ASKED` if the
user's request has it, too.
"""

import pytest

from controlplane.agent.evidence.origins.texts import Origin
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("+49 30 123-4567", id="telephone"),
        pytest.param("(030) 1234", id="telephone of seven digits"),
        pytest.param("0301234", id="telephone of seven digits in one"),
    ],
)
def test_a_telephone_is_recognised(value: str) -> None:
    texts = TextsOfTrial(mail="Call 0049 (30) 1234567, or in town 030 1234 for more.")

    assert texts.origin_of(value) is Origin.PROSE


@pytest.mark.parametrize(
    ("request_text", "value"),
    [
        pytest.param("Please cancel order ID-0012345.", "0012345", id="order"),
        pytest.param("Please order #012-3456.", "012-3456", id="product"),
        pytest.param("Add Ann,030 1234,Berlin.", "030 1234", id="line of a table"),
    ],
)
def test_digits_within_an_id_or_a_table_are_recognised(
    request_text: str, value: str
) -> None:
    """In the call, `0012345` looks like a telephone. In the request, it stands in `ID-0012345`.

    A mail has the digits, too, but the user's request is trusted more (`ASKED`).
    """
    texts = TextsOfTrial(request=request_text, mail=f"I wait for {value} so long.")

    assert texts.origin_of(value) is Origin.ASKED


def test_seven_digits_in_a_letter_are_copied_text_and_eight_are_a_telephone() -> None:
    """Whoever writes a letter may copy details of a mail, such as the number of an order: this is
    *copied text*, which decides nothing. A telephone is not, since it says whom to call."""
    texts = TextsOfTrial(mail="My order 0012345 is late, so call me: 030 12345.")

    body = "Dear Ann, your order 0012345 is ready now. I will call you today: 030 12345"
    findings = texts.origins({"body": body})["body"].findings

    copied = {finding.value.text: finding.is_copied_text for finding in findings}
    assert copied == {"0012345": True, "030 12345": False}
