"""A value of a mail is recognised in a call, however the script spells it.

A mail may be an attacker's, so a value that only running text has (its origin is `PROSE`) is not
trusted. The script may spell it in another way: the mail says "1,250.00 EUR", and the call
`pay(amount=1250)`. But small numbers and plain words are in many texts by chance, so they are not
taken for values of the mail.
"""

from __future__ import annotations

import pytest

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.sandbox.interface import Plain
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("UK12 3456 7890 1234 5678 90", id="with blanks"),
        pytest.param("uk12-3456-7890-1234-5678-90", id="with hyphens, lower case"),
        pytest.param("UK12345678901234567890\u200b", id="with an invisible sign"),
        pytest.param("ＵＫ12345678901234567890", id="in wide letters"),
        pytest.param(list("UK12345678901234567890"), id="list of single characters"),
        pytest.param("VUsxMjM0NTY3ODkwMTIzNDU2Nzg5MAo=", id="base64"),
    ],
)
def test_an_account_is_recognised_in_other_characters(value: Plain) -> None:
    texts = TextsOfTrial(mail="Please pay the invoice to UK12345678901234567890.")

    assert texts.origin_of(value) is Origin.PROSE


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("to=UK12345678901234567890;ref=1", id="key and value"),
        pytest.param("ann@site.com,UK12345678901234567890", id="list in a text"),
        pytest.param('{"iban": "UK12345678901234567890"}', id="JSON"),
        pytest.param("name,iban\nann,UK12345678901234567890\n", id="CSV"),
        pytest.param(["ann", ["UK12345678901234567890"]], id="list"),
        pytest.param({"UK12345678901234567890": 1}, id="key of a mapping"),
        pytest.param("https://bank.example/pay?iban=UK12345678901234567890", id="URL"),
        pytest.param("/out/UK12345678901234567890.txt", id="path"),
    ],
)
def test_an_account_is_recognised_within_another_value(value: Plain) -> None:
    texts = TextsOfTrial(mail="Please pay the invoice to UK12345678901234567890.")

    assert texts.origin_of(value) is Origin.PROSE


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("http://pay.example/form", id="site without encryption"),
        pytest.param("https://www.pay.example/other?amount=5", id="page of the site"),
        pytest.param("bob+x@pay.example", id="address with a tag"),
        pytest.param("b.ob@PAY.example", id="address with a dot and in capitals"),
        pytest.param("mailto:bob@pay.example", id="address as a link"),
    ],
)
def test_a_site_and_an_address_are_recognised(value: str) -> None:
    """Many providers deliver mails to `b.ob` and to `bob+x` as to `bob`."""
    texts = TextsOfTrial(
        mail="Ask bob@pay.example or https://pay.example/form for more."
    )

    assert texts.origin_of(value) is Origin.PROSE


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("1.250,00", id="amount as in Germany"),
        pytest.param("2026-06-26", id="date in figures"),
        pytest.param("June 26, 2026", id="date as in America"),
    ],
)
def test_an_amount_and_a_date_are_recognised(value: str) -> None:
    texts = TextsOfTrial(
        mail="Please pay before 26 June 2026. The amount is 1,250.00 EUR."
    )

    assert texts.origin_of(value) is Origin.PROSE


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("2026-04-03", id="3 April in figures"),
        pytest.param("3 April", id="3 April without a year"),
        pytest.param("2026-03-04", id="4 March in figures"),
        pytest.param("March 4, 2026", id="4 March"),
        pytest.param("04/03/2026", id="day and month exchanged"),
    ],
)
def test_an_ambiguous_date_is_recognised_as_either_date(value: str) -> None:
    """`03/04/2026` is 3 April or 4 March."""
    texts = TextsOfTrial(mail="Please move the meeting to 03/04/2026, as we all like.")

    assert texts.origin_of(value) is Origin.PROSE


def test_a_value_joined_from_two_parts_of_running_text_is_recognised() -> None:
    """A script could join the two parts of the account that the mail states."""
    texts = TextsOfTrial(
        mail="The account begins with US1330000 and ends with 00121212121212."
    )

    assert texts.origin_of("US133000000121212121212") is Origin.PROSE


# Accounts that are written in groups
# --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [
        pytest.param("GB33 BUKB 2020 1555 5555 55", id="with blanks"),
        pytest.param("gb33-bukb-2020-1555-5555-55", id="with hyphens"),
        pytest.param("GB33BUKB20201555555555", id="without groups"),
    ],
)
def test_an_account_with_the_letters_of_a_bank_is_found_in_groups(
    written: str,
) -> None:
    """In this account (an IBAN), the letters of the bank, BUKB, stand between the digits. The mail has
    one spelling, and the call another one."""
    texts = TextsOfTrial(mail=f"Please pay 420 to {written} this week.")

    assert texts.origin_of("GB33BUKB20201555555555") is Origin.PROSE
    assert texts.origin_of("GB33 BUKB 2020 1555 5555 55") is Origin.PROSE


@pytest.mark.parametrize(
    ("words", "wrong_account"),
    [
        pytest.param("FY26 plan 3", "fy26plan3", id="plan of a year"),
        pytest.param("room AB12 from 10 to 20", "ab12from10", id="room and hours"),
        pytest.param(
            "Covid19 from 2020 1555 5555", "id19from202015555555", id="illness"
        ),
    ],
)
def test_words_between_numbers_are_not_joined_into_an_account(
    words: str, wrong_account: str
) -> None:
    """ "AB12 from 10" looks like an account in groups: letters and digits with blanks between. If it
    were taken for one, a harmless reply with these words would be stopped."""
    texts = TextsOfTrial(mail=f"Please go on with {words} this week.")
    reply = f"Dear all, as you know, we go on with {words} until the next meeting."

    origins = texts.origins({"body": reply})

    values_in_reply = {finding.value.main_key for finding in origins["body"].findings}
    assert wrong_account not in values_in_reply


@pytest.mark.parametrize(
    ("written", "account"),
    [
        pytest.param(
            "MT84 MALT 0110 0001 2345 MTLC AST0 01S",
            "MT84MALT011000012345MTLCAST001S",
            id="letters in the middle",
        ),
        pytest.param(
            "GB33 BUKB 2020 1555 5555 55  0049 30 1234567",
            "GB33BUKB20201555555555",
            id="a telephone number behind it",
        ),
    ],
)
def test_an_account_ends_where_its_checksum_says(written: str, account: str) -> None:
    """The mail has the account in groups of letters and digits. Which of them belong to it can be told
    by the checksum of the account."""
    texts = TextsOfTrial(mail=f"Please pay 420 to {written} this week.")

    assert texts.origin_of(account) is Origin.PROSE


# Small numbers and plain words, which are in many texts by chance
# --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(26, id="June 26"),
        pytest.param("26", id="June 26, as a text"),
        pytest.param(3, id="3/5 of us"),
        pytest.param(40, id="40% of the house"),
        pytest.param(7, id="Room 7"),
        pytest.param(1.0, id="1. Stop."),
        pytest.param(2, id="2. Turn."),
    ],
)
def test_a_small_number_within_a_date_a_share_or_a_name_is_not_a_value(
    value: Plain,
) -> None:
    """The mail is not taken to state the number, so the number counts as made by the script.
    Otherwise, a 3 in a call would count as taken from any mail with a 3 in it."""
    texts = TextsOfTrial(
        mail="We met on June 26, when 3/5 of us, or 40% of the house, were there, in Room 7. "
        "Here is how: 1. Stop. 2. Turn."
    )

    assert texts.origin_of(value) is Origin.MADE


def test_a_small_number_by_itself_is_a_value_of_running_text() -> None:
    """The mail may be an attacker's, who wants this file to be deleted."""
    texts = TextsOfTrial(mail="Hi,\nplease delete the file 13.\nBob")

    assert texts.origin_of(13) is Origin.PROSE


def test_a_number_in_data_is_a_value_if_it_is_a_whole_field() -> None:
    texts = TextsOfTrial()
    texts.add_result("files", [{"id": "17", "day": "2026-05-13"}])

    assert texts.origin_of("17") is Origin.RECORD


def test_a_number_in_data_is_not_a_value_if_it_is_a_part_of_a_field() -> None:
    """13 is the day of the month in the field `day`."""
    texts = TextsOfTrial()
    texts.add_result("files", [{"id": "17", "day": "2026-05-13"}])

    assert texts.origin_of(13) is Origin.MADE


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        pytest.param(
            "It is the company’s duty, and that of Ann's friends.",
            "the company's duty",
            id="another apostrophe",
        ),
        pytest.param(
            "Call the Grand Hotel.Then leave.", "Grand Hotel", id="beside a full stop"
        ),
        pytest.param("(the “Blue Room”)", "Blue Room", id="in quotation marks"),
    ],
)
def test_words_of_the_request_are_recognised_with_other_punctuation(
    request_text: str, words: str
) -> None:
    """A mail has the words as well, just as the script spells them. But the request is trusted more
    than the mail, so they count as words of the request (`ASKED`)."""
    texts = TextsOfTrial(
        request=request_text, mail=f"{words} is what we all like so very much."
    )

    assert texts.origin_of(words) is Origin.ASKED


def test_words_that_touch_a_full_stop_are_still_plain_words() -> None:
    """A script may copy plain words of a mail, but not a value such as `v2.1`. `week.Please` has a
    full stop inside, too, but is not a value."""
    mail = (
        "We meet next week.Please bring the company’s well-known cake along, will you?"
    )
    texts = TextsOfTrial(mail=mail)
    text_with_mail = f"This is what they wrote to all of us this morning: {mail}"

    assert texts.origin_of(text_with_mail) is not Origin.PROSE
