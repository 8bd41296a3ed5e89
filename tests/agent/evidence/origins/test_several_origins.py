"""Of the texts with a value, the most trusted counts; of several values, the least trusted.

The *origin* of an argument's value is the kind of text that has this value, from trusted to untrusted:

    ASKED, RULES, RECORD    the user's request, the rules, or a field of data: trusted
    PROSE                   running text, such as a mail, which anybody may have written
    MADE                    no text: the script made the value up
"""

import pytest

from controlplane.agent.evidence.origins.texts import Origin
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


def test_an_address_that_names_no_site_does_not_hide_the_next_value() -> None:
    """Of a web address, the name of the site is looked up. `https://?to=1` has none, and is passed
    over. The list has an account, too, which only the mail has."""
    texts = TextsOfTrial(mail="Please pay the invoice to UK12345678901234567890.")
    letter = "Dear Emma, I was told to pay to UK12345678901234567890 by mail."

    assert texts.origin_of(["https://?to=1", letter]) is Origin.PROSE


def test_a_plain_word_is_not_looked_up() -> None:
    """Any text may have such a word by chance, so that its origin would say nothing."""
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
