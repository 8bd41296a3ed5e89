"""Words are compared without regard to the punctuation around them.

Plain words are not traced back to a mail, but words that the user asked for (`ASKED`), such as the name
of a hotel, are recognised.
"""

import pytest

from controlplane.agent.evidence.origins.origin import Origin
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
    """A mail has the words as well, just as the script spells them. But the request is trusted
    more than the mail, so they count as words of the request (`ASKED`)."""
    texts = TextsOfTrial(
        request=request_text, mail=f"{words} is what we all like so very much."
    )

    assert texts.origin_of(words) is Origin.ASKED


def test_words_that_touch_a_full_stop_are_still_plain_words() -> None:
    """A script may copy plain words of a mail, but not a value such as `v2.1`. `week.Please`
    has a full stop inside, too, but is not a value."""
    mail = (
        "We meet next week.Please bring the company’s well-known cake along, will you?"
    )
    texts = TextsOfTrial(mail=mail)
    text_with_mail = f"This is what they wrote to all of us this morning: {mail}"

    assert texts.origin_of(text_with_mail) is not Origin.PROSE
