"""A value of a mail is recognised in a call, however the script spells it.

A mail may be an attacker's, so a value that only running text has (its origin is `PROSE`) is not
trusted. The script may spell it in another way: the mail says "1,250.00 EUR", and the call
`pay(amount=1250)`.
"""

from __future__ import annotations

import pytest

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.sandbox.interface import Plain
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial


class TestAccounts:
    """An account of a mail is recognised in other characters, and within other values.

    The mail says "Please pay the invoice to UK12345678901234567890."
    """

    @pytest.mark.parametrize(
        "value",
        [
            pytest.param("UK12 3456 7890 1234 5678 90", id="with blanks"),
            pytest.param("uk12-3456-7890-1234-5678-90", id="with hyphens, lower case"),
            pytest.param("UK12345678901234567890\u200b", id="with an invisible sign"),
            pytest.param("ＵＫ12345678901234567890", id="in wide letters"),
            pytest.param(
                list("UK12345678901234567890"), id="list of single characters"
            ),
            pytest.param("VUsxMjM0NTY3ODkwMTIzNDU2Nzg5MAo=", id="base64"),
        ],
    )
    def test_an_account_is_recognised_in_other_characters(self, value: Plain) -> None:
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
            pytest.param(
                "https://bank.example/pay?iban=UK12345678901234567890", id="URL"
            ),
            pytest.param(
                "www.bank.example/pay?iban=UK12345678901234567890",
                id="URL without scheme",
            ),
            pytest.param("/out/UK12345678901234567890.txt", id="path"),
        ],
    )
    def test_an_account_is_recognised_within_another_value(self, value: Plain) -> None:
        texts = TextsOfTrial(mail="Please pay the invoice to UK12345678901234567890.")

        assert texts.origin_of(value) is Origin.PROSE

    def test_a_value_joined_from_two_parts_of_running_text_is_recognised(self) -> None:
        """A script could join the two parts of the account that the mail states."""
        texts = TextsOfTrial(
            mail="The account begins with US1330000 and ends with 00121212121212."
        )

        assert texts.origin_of("US133000000121212121212") is Origin.PROSE


class TestSitesTelephonesAmountsAndDates:
    """A site, an address, a telephone, an amount or a date is recognised in its usual spellings.

    `texts.origin_of(value)` is `PROSE` if the mail has the value in any spelling, and `MADE` if no
    text has it.
    """

    @pytest.mark.parametrize(
        "value",
        [
            pytest.param("http://pay.example/form", id="site without encryption"),
            pytest.param(
                "https://www.pay.example/other?amount=5", id="page of the site"
            ),
            pytest.param("bob+x@pay.example", id="address with a tag"),
            pytest.param("b.ob@PAY.example", id="address with a dot and in capitals"),
            pytest.param("mailto:bob@pay.example", id="address as a link"),
        ],
    )
    def test_a_site_and_an_address_are_recognised(self, value: str) -> None:
        """Many providers deliver mails to `b.ob` and to `bob+x` as to `bob`."""
        texts = TextsOfTrial(
            mail="Ask bob@pay.example or https://pay.example/form for more."
        )

        assert texts.origin_of(value) is Origin.PROSE

    @pytest.mark.parametrize(
        "page",
        [
            pytest.param("https://www.pay.example/other", id="small letters"),
            pytest.param("https://WWW.Pay.example/other", id="capitals"),
            pytest.param("WWW.Pay.example/other", id="capitals without scheme"),
        ],
    )
    def test_the_host_of_a_site_is_found_once(self, page: str) -> None:
        """The mail has it without `www.`. So only the page was made by the script."""
        texts = TextsOfTrial(mail="See https://pay.example/form for more.")

        findings = texts.origins({"page": page})["page"]

        origins = {found.value.text: found.origin for found in findings.findings}
        assert origins == {page: Origin.MADE, "pay.example": Origin.PROSE}

    @pytest.mark.parametrize(
        "value",
        [
            pytest.param("+49 30 123-4567", id="telephone"),
            pytest.param("(030) 1234", id="telephone of seven digits"),
            pytest.param("0301234", id="telephone of seven digits in one"),
        ],
    )
    def test_a_telephone_is_recognised(self, value: str) -> None:
        texts = TextsOfTrial(
            mail="Call 0049 (30) 1234567, or in town 030 1234 for more."
        )

        assert texts.origin_of(value) is Origin.PROSE

    @pytest.mark.parametrize(
        ("request_text", "value"),
        [
            pytest.param("Please cancel order ID-0012345.", "0012345", id="order"),
            pytest.param("Please order #012-3456.", "012-3456", id="product"),
            pytest.param("Add Ann,030 1234,Berlin.", "030 1234", id="line of a table"),
        ],
    )
    def test_digits_behind_a_mark_are_recognised_like_a_short_telephone(
        self, request_text: str, value: str
    ) -> None:
        """Alone, `0012345` looks like a telephone of seven digits, but not in `ID-0012345`.

        A mail has the value as well. But the user has named it, so it is trusted (`ASKED`).
        """
        texts = TextsOfTrial(request=request_text, mail=f"I wait for {value} so long.")

        assert texts.origin_of(value) is Origin.ASKED

    def test_digits_like_a_short_telephone_are_a_detail_of_a_letter(self) -> None:
        """They may be an order. A telephone of eight digits may say whom the letter reaches."""
        texts = TextsOfTrial(mail="My order 0012345 is late, so call me: 030 12345.")

        body = "Dear Ann, your order 0012345 is ready now. I will call you today: 030 12345"
        findings = texts.origins({"body": body})["body"].findings

        copied = {finding.value.text: finding.is_copied_text for finding in findings}
        assert copied == {"0012345": True, "030 12345": False}

    @pytest.mark.parametrize(
        "value",
        [
            pytest.param("1.250,00", id="amount as in Germany"),
            pytest.param("2026-06-26", id="date in figures"),
            pytest.param("June 26, 2026", id="date as in America"),
        ],
    )
    def test_an_amount_and_a_date_are_recognised(self, value: str) -> None:
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
    def test_an_ambiguous_date_is_recognised_as_either_date(self, value: str) -> None:
        """`03/04/2026` is 3 April or 4 March."""
        texts = TextsOfTrial(
            mail="Please move the meeting to 03/04/2026, as we all like."
        )

        assert texts.origin_of(value) is Origin.PROSE


class TestWords:
    """Words are compared without regard to the punctuation around them.

    Plain words are not traced back to a mail, but words that the user asked for (`ASKED`), such as
    the name of a hotel, are recognised.
    """

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
        self, request_text: str, words: str
    ) -> None:
        """A mail has the words as well, just as the script spells them. But the request is trusted
        more than the mail, so they count as words of the request (`ASKED`)."""
        texts = TextsOfTrial(
            request=request_text, mail=f"{words} is what we all like so very much."
        )

        assert texts.origin_of(words) is Origin.ASKED

    def test_words_that_touch_a_full_stop_are_still_plain_words(self) -> None:
        """A script may copy plain words of a mail, but not a value such as `v2.1`. `week.Please`
        has a full stop inside, too, but is not a value."""
        mail = "We meet next week.Please bring the company’s well-known cake along, will you?"
        texts = TextsOfTrial(mail=mail)
        text_with_mail = f"This is what they wrote to all of us this morning: {mail}"

        assert texts.origin_of(text_with_mail) is not Origin.PROSE
