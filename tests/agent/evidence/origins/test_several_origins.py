"""Of the texts with a value, the most trusted counts; of several values, the least trusted.

A value in a call's argument comes from the user's request (`ASKED`), the rules (`RULES`), data (`RECORD`),
running text such as a mail (`PROSE`), or no text (`MADE`). The first three are trusted.
"""

import pytest

from controlplane.agent.evidence.origins.origin import Origin
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial


def test_a_value_of_two_texts_has_the_origin_of_the_more_trusted_one() -> None:
    texts = TextsOfTrial(
        request="Pay the rent of 850.", mail="Please pay the rent of 850."
    )

    assert texts.origin_of(850) is Origin.ASKED


def test_an_argument_with_several_values_has_the_least_trusted_origin() -> None:
    """The code TX-77 is of the rules, but the account is only in the mail."""
    texts = TextsOfTrial(
        rules="Transfers above 5000 need the code TX-77.",
        mail="Please pay the invoice to UK12345678901234567890.",
    )
    letter = "Dear Emma, TX-77 and UK12345678901234567890 were in my mail."

    assert texts.origin_of(letter) is Origin.PROSE


def test_a_value_is_looked_up_after_a_site_without_a_name() -> None:
    """In `https://?to=1`, nothing says which site is meant, so the site is not looked up. The
    account in the next item is."""
    texts = TextsOfTrial(mail="Please pay the invoice to UK12345678901234567890.")
    letter = "Dear Emma, I was told to pay to UK12345678901234567890 by mail."

    assert texts.origin_of(["https://?to=1", letter]) is Origin.PROSE


def test_a_plain_word_has_no_origin() -> None:
    """Any text may have such a word by chance, so it is not looked up."""
    texts = TextsOfTrial(mail="Please restart all of the servers by tonight.")

    assert texts.origin_of("restart") is None


@pytest.mark.parametrize("origin", [Origin.ASKED, Origin.RULES, Origin.RECORD])
def test_values_of_the_request_of_rules_and_of_data_are_trusted(origin: Origin) -> None:
    assert origin.is_trusted


@pytest.mark.parametrize("origin", [Origin.PROSE, Origin.MADE])
def test_values_of_running_text_and_of_the_script_are_not_trusted(
    origin: Origin,
) -> None:
    assert not origin.is_trusted
