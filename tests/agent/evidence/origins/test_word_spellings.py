"""Words of a call are compared with texts that were read, without regard to punctuation.

Words of the user's request have the origin `ASKED`, such as the name of a hotel. Values that only a mail
has, such as an account, have the origin `PROSE`. Plain words of a mail are not looked up.
"""

import pytest

from controlplane.agent.evidence.origins.texts import Origin
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        pytest.param(
            "It is the company’s duty, and that of Ann's friends.",
            "the company's duty",
            id="another apostrophe",
        ),
        pytest.param(
            "Call the Grand Hotel.Then leave.",
            "Grand Hotel",
            id="beside a full stop",
        ),
        pytest.param("(the “Blue Room”)", "Blue Room", id="in quotation marks"),
    ],
)
def test_words_of_the_request_are_recognised_with_other_punctuation(
    request_text: str, words: str
) -> None:
    """A mail has just the words of the call. But the request, which is trusted more, has them, too."""
    texts = TextsOfTrial(
        request=request_text, mail=f"{words} is what we all like so very much."
    )

    assert texts.origin_of(words) is Origin.ASKED


def test_a_copied_mail_of_plain_words_has_no_value_of_the_mail() -> None:
    """A value often has a sign inside, such as `v2.1` or `inv-17`. Here, `week.Please`,
    `company’s` and `well-known` have one as well, but they are plain words."""
    mail = (
        "We meet next week.Please bring the company’s well-known cake along, will you?"
    )
    texts = TextsOfTrial(mail=mail)
    letter = f"This is what they wrote to all of us this morning: {mail}"

    assert texts.origin_of(letter) is not Origin.PROSE
