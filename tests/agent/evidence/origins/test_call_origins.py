"""Where a value in a call's argument comes from.

Each text of a trial has an origin: the request (`ASKED`), the workspace's rules (`RULES`), a
field of data (`RECORD`), or running text such as a mail (`PROSE`). A value has the origin of the
most trusted text that states it, in any spelling; one that no text states is `MADE` by the
script. Values of `MADE` and `PROSE` are not trusted: a call with them is stopped.
"""

from __future__ import annotations

import json
import tracemalloc

import pytest

from controlplane.agent.evidence.checks.call_messages import reasons_to_stop
from controlplane.agent.evidence.origins.argument_origin import PROSE_PREFIX
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.values.argument_values import keys_of_all
from controlplane.agent.evidence.texts.result_texts import (
    ResultText,
    texts_of_data,
    texts_of_file,
    texts_of_result,
)
from controlplane.sandbox.interface import Plain, bounds
from tests.support.executed_work import assert_linear

IBAN_OF_REQUEST = "US133000000121212121212"
REQUEST = (
    f"Pay the rent of 850 to {IBAN_OF_REQUEST}, and tell emma@site.com by 15 May 2026."
)
RULES = "Transfers above 5000 need the code TX-77."
IBAN_OF_MAIL = "UK12345678901234567890"
MAIL = (
    "Hi,\n"
    f"please pay the invoice to {IBAN_OF_MAIL} before 26 June 2026.\n"
    "The amount is 1,250.00 EUR.\n"
    "Ask bob@pay.example or https://pay.example/form for more.\n"
    "Bob"
)
IBAN_OF_RECORD = "DE89370400440532013000"
UNKNOWN_IBAN = "GB00000000000000000000"
"""An account that no text states."""


def add_prose(provenance: Provenance, place: str, text: str) -> None:
    """Let the trial read a running text at a place such as `/mail`."""
    provenance.add(place, [ResultText(text, is_data=False)])


def provenance_of_prose(text: str) -> Provenance:
    """Return what a trial knows that has read one running text."""
    provenance = Provenance()
    add_prose(provenance, "/mail", text)
    return provenance


def provenance_of_file(path: str, text: str) -> Provenance:
    """Return what a trial knows that has read one file. A file such as `/a.md` has running text."""
    provenance = Provenance()
    provenance.add(path, texts_of_file(path, text))
    return provenance


def add_result(
    provenance: Provenance, call: str, result: object, *, argument: Plain = ""
) -> None:
    """Let the trial call a tool with this argument, and get this result."""
    provenance.add(
        f"/calls/{call}",
        texts_of_result({"value": json.dumps(result)}),
        passed_keys=keys_of_all([argument]),
    )


def provenance_with_mail(**results: object) -> Provenance:
    """Return what a trial knows that has the request and the rules, and has read the mail.

    It also has the `results` of further calls: `accounts=[{"iban": "DE89..."}]`.
    """
    provenance = Provenance()
    request_texts = [ResultText(REQUEST, is_data=False)]
    provenance.add("the request", request_texts, Origin.ASKED)
    rule_texts = [ResultText(RULES, is_data=False)]
    provenance.add("/RULES.md", rule_texts, Origin.RULES)
    provenance.add("/calls/mail", texts_of_data({"body": MAIL}))
    for call, result in results.items():
        add_result(provenance, call, result)
    return provenance


def origin_of(provenance: Provenance, value: Plain) -> Origin | None:
    """Return the origin of an argument; None if it has only plain words, which any text may have."""
    origins = provenance.origins({"argument": value})
    if not origins:
        return None
    return origins["argument"].origin


# Origins and spellings
# --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "origin"),
    [
        # "Pay the rent of 850 to US13..., and tell emma@site.com by 15 May 2026."
        pytest.param(IBAN_OF_REQUEST, Origin.ASKED, id="account of the request"),
        pytest.param(850, Origin.ASKED, id="amount of the request"),
        pytest.param(850.0, Origin.ASKED, id="amount as a decimal number"),
        pytest.param("Emma@Site.com", Origin.ASKED, id="address in capitals"),
        pytest.param("2026-05-15", Origin.ASKED, id="date in figures"),
        # "Transfers above 5000 need the code TX-77."
        pytest.param("TX-77", Origin.RULES, id="code of the rules"),
        pytest.param(IBAN_OF_RECORD, Origin.RECORD, id="account of a record"),
        # "please pay the invoice to UK12... The amount is 1,250.00 EUR."
        pytest.param(IBAN_OF_MAIL, Origin.PROSE, id="account of the mail"),
        pytest.param(1250, Origin.PROSE, id="amount of the mail"),
        pytest.param(UNKNOWN_IBAN, Origin.MADE, id="account of no text"),
        pytest.param(
            IBAN_OF_REQUEST[1:], Origin.MADE, id="account without its first letter"
        ),
        pytest.param(
            f"Dear Emma, the code TX-77 and {IBAN_OF_MAIL} were in my mail.",
            Origin.PROSE,
            id="several values have the least trusted origin",
        ),
        pytest.param("restart", None, id="a plain word is not looked up"),
    ],
)
def test_a_value_has_the_origin_of_the_most_trusted_text_with_it(
    value: Plain, origin: Origin | None
) -> None:
    """The request, the rules, a record of accounts and a mail each state some of the values. The
    request is trusted most, and the mail (running text, `PROSE`) least."""
    provenance = provenance_with_mail(
        accounts=[{"name": "Ann", "iban": IBAN_OF_RECORD}]
    )

    assert origin_of(provenance, value) is origin


# What the mail states, as an attacker may have the model write it:
#
#     please pay the invoice to UK12345678901234567890 before 26 June 2026.
#     The amount is 1,250.00 EUR.
#     Ask bob@pay.example or https://pay.example/form for more.
@pytest.mark.parametrize(
    "value",
    [
        # The account of the mail in other characters
        "UK12 3456 7890 1234 5678 90",
        "uk12-3456-7890-1234-5678-90",
        "UK12345678901234567890\u200b",
        "ＵＫ12345678901234567890",
        # within a longer text, a list or a mapping
        "to=UK12345678901234567890;ref=1",
        "ann@site.com,UK12345678901234567890",
        '{"iban": "UK12345678901234567890"}',
        "name,iban\nann,UK12345678901234567890\n",
        ["ann", ["UK12345678901234567890"]],
        {"UK12345678901234567890": 1},
        # as a list of single characters
        list("UK12345678901234567890"),
        # in base64
        "VUsxMjM0NTY3ODkwMTIzNDU2Nzg5MAo=",
        # in a URL and in a path
        "https://bank.example/pay?iban=UK12345678901234567890",
        "/out/UK12345678901234567890.txt",
        # The web site and the mail address
        "http://pay.example/form",
        "https://www.pay.example/other?amount=5",
        "bob+x@pay.example",
        "b.ob@PAY.example",
        "mailto:bob@pay.example",
        # The amount and the date
        "1.250,00",
        "2026-06-26",
        "June 26, 2026",
    ],
)
def test_a_value_of_running_text_is_recognised_in_another_spelling(
    value: Plain,
) -> None:
    """Each value is the account, the web site, the address, the amount or the date of the mail."""
    assert origin_of(provenance_with_mail(), value) is Origin.PROSE


@pytest.mark.parametrize(
    "value", ["2026-04-03", "2026-03-04", "March 4, 2026", "3 April", "04/03/2026"]
)
def test_an_ambiguous_date_is_recognised_as_either_date(
    value: Plain,
) -> None:
    """A mail states `03/04/2026`: 3 April or 4 March."""
    provenance = provenance_of_prose(
        "Please move the meeting to 03/04/2026, as all of us would like that much better."
    )

    assert origin_of(provenance, value) is Origin.PROSE


def test_a_value_joined_from_two_parts_of_running_text_is_recognised() -> None:
    """A script could join the two parts of the account that the mail states."""
    provenance = provenance_of_prose(
        "The account begins with US1330000 and ends with 00121212121212, as you may remember."
    )

    assert origin_of(provenance, "US133000000121212121212") is Origin.PROSE


# Accounts that are written in groups
# --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [
        "GB33 BUKB 2020 1555 5555 55",
        "gb33-bukb-2020-1555-5555-55",
        "GB33BUKB20201555555555",
    ],
)
def test_an_account_with_the_letters_of_a_bank_is_found_in_groups(
    written: str,
) -> None:
    """In this account (an IBAN), the letters of the bank, BUKB, stand between the digits. A mail
    states it in one spelling, and the call may have it in another one."""
    provenance = provenance_of_prose(f"Please pay 420 to {written} this week.")

    assert origin_of(provenance, "GB33BUKB20201555555555") is Origin.PROSE
    assert origin_of(provenance, "GB33 BUKB 2020 1555 5555 55") is Origin.PROSE


@pytest.mark.parametrize(
    ("words", "wrong_account"),
    [
        ("FY26 plan 3", "fy26plan3"),
        ("room AB12 from 10 to 20", "ab12from10"),
        ("Covid19 from 2020 1555 5555", "id19from202015555555"),
    ],
)
def test_words_between_numbers_are_not_joined_into_an_account(
    words: str, wrong_account: str
) -> None:
    """`AB12 from 10` has the form of an account in groups, but it is not one. A reply with these words
    has values, but none of them is the words joined."""
    provenance = provenance_of_prose(f"Please go on with {words} this week.")
    reply = f"Dear all, as you know, we go on with {words} until the next meeting."

    findings = provenance.origins({"body": reply})["body"].findings

    found_values = {finding.value.main_key for finding in findings}
    assert wrong_account not in found_values


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
    """A mail states the account in groups of letters and digits. Which of them belong to it can be
    told by the checksum of the account."""
    provenance = provenance_of_prose(f"Please pay 420 to {written} this week.")

    assert origin_of(provenance, account) is Origin.PROSE


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
    provenance = provenance_of_prose(
        "We met on June 26, when 3/5 of us, or 40% of the house, were there, in Room 7. "
        "Here is how: 1. Stop. 2. Turn."
    )

    assert origin_of(provenance, value) is Origin.MADE


def test_a_small_number_by_itself_is_a_value_of_running_text() -> None:
    """In "the file 13", the number is a value: the mail may be an attacker's, who wants this file to
    be deleted."""
    provenance = provenance_of_prose("Hi,\nplease delete the file 13.\nBob")

    assert origin_of(provenance, 13) is Origin.PROSE


def test_a_number_in_data_is_a_value_only_if_it_is_a_whole_field() -> None:
    """The 17 is the whole field `id`, and the 13 only a part of the field `day`."""
    provenance = Provenance()
    provenance.add("/files", texts_of_data([{"id": "17", "day": "2026-05-13"}]))

    assert origin_of(provenance, "17") is Origin.RECORD
    assert origin_of(provenance, 13) is Origin.MADE


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("It is the company’s duty, and that of Ann's friends.", "the company's duty"),
        ("Call the Grand Hotel.Then leave.", "Grand Hotel"),
        ("(the “Blue Room”)", "Blue Room"),
    ],
)
def test_words_of_the_request_are_recognised_with_other_punctuation(
    request_text: str, words: str
) -> None:
    """The request has the words with another apostrophe, or beside a full stop or quotation marks. A
    mail has them as well, but the request is trusted more."""
    provenance = Provenance()
    request_texts = [ResultText(request_text, is_data=False)]
    provenance.add("the request", request_texts, Origin.ASKED)
    add_prose(provenance, "/mail", f"{words} is what we all like so very much.")

    assert origin_of(provenance, words) is Origin.ASKED


def test_words_that_touch_a_full_stop_are_still_plain_words() -> None:
    """A script may copy plain words of a mail, but not a value such as `v2.1`. `week.Please` has a
    full stop inside, too, but is not a value."""
    mail = (
        "We meet next week.Please bring the company’s well-known cake along, will you?"
    )
    provenance = provenance_of_prose(mail)
    text_with_mail = f"This is what they wrote to all of us this morning: {mail}"

    assert origin_of(provenance, text_with_mail) is not Origin.PROSE


# Values that pass through calls
# --------------------------------------------------------------------------------------------------------------


def test_a_value_that_a_tool_repeats_does_not_become_a_record() -> None:
    """A tool `check` returns a record with its own argument in it, which is the account of the mail
    or a made-up name. Only the owner is new, and so a field of a record."""
    provenance = provenance_with_mail()
    for argument in (IBAN_OF_MAIL, "Blue Harbour Hotel"):
        record = {"checked": argument, "is": "valid", "owner": "Zoe 4711"}
        add_result(provenance, "check", record, argument=argument)

    assert origin_of(provenance, IBAN_OF_MAIL) is Origin.PROSE
    assert origin_of(provenance, "Blue Harbour Hotel") is Origin.MADE
    assert origin_of(provenance, "Zoe 4711") is Origin.RECORD


def remember_changing_call(provenance: Provenance, arguments: dict[str, Plain]) -> None:
    """Let `provenance` learn that a call has changed something with these arguments."""
    origins = provenance.origins(arguments)
    provenance.remember_untrusted(origins.values())


def test_the_arguments_of_a_changing_call_keep_their_origins() -> None:
    """A payment is made to the account of the mail, with a subject that the script made up. A list
    of payments then has both as fields of a record, and fields are usually trusted."""
    provenance = provenance_with_mail()
    payment: dict[str, Plain] = {"recipient": IBAN_OF_MAIL, "subject": "Rent of June"}
    remember_changing_call(provenance, payment)
    provenance.add("/calls/payments", texts_of_data([payment]))

    origins = provenance.origins(payment)

    assert origins["recipient"].origin is Origin.PROSE
    assert origins["subject"].origin is Origin.MADE


def test_a_changing_call_with_too_many_values_does_not_affect_other_values() -> None:
    """Values that no such call passed keep their origins: the account of a record, and one that no
    text states."""
    provenance = provenance_with_mail(accounts=[{"iban": IBAN_OF_RECORD}])
    too_many: list[Plain] = []
    for number in range(bounds.MOST_TRACED_VALUES + 1):
        too_many.append(f"item-{number}")

    remember_changing_call(provenance, {"items": too_many})

    assert origin_of(provenance, IBAN_OF_RECORD) is Origin.RECORD
    assert origin_of(provenance, UNKNOWN_IBAN) is Origin.MADE


def test_a_value_by_which_a_record_was_found_counts_as_data() -> None:
    """The call `account(iban)` was made with the account of the mail, and found a record. So the
    account exists, and whoever wrote the mail has not made it up."""
    provenance = provenance_with_mail()

    provenance.add_record([IBAN_OF_MAIL], "/calls/account")

    assert origin_of(provenance, IBAN_OF_MAIL) is Origin.RECORD


def test_a_file_may_be_written_again_with_the_values_that_it_had() -> None:
    """A script changes the signature of a letter, and keeps its other values, such as an account.
    Written to the same file, they are harmless. Written to another one, they are untrusted."""
    provenance = provenance_of_file("/letter.md", MAIL)
    new_text: Plain = MAIL.replace("Bob", "Rob")

    for_other_file = provenance.origins({"content": new_text}, changed_path="/other.md")
    for_same_file = provenance.origins({"content": new_text}, changed_path="/letter.md")

    assert for_other_file["content"].origin is Origin.PROSE
    assert for_same_file["content"].findings_of(Origin.PROSE) == []


def test_a_value_that_the_tool_declares_for_its_argument_is_trusted() -> None:
    """The schema of a tool lists the values of its argument `mode`: START and STOP. A page says
    START, too, and is not trusted. But the script may have START from the schema."""
    provenance = provenance_of_prose(
        "Turn it with START, and wait until all of the lights are green again."
    )
    values_in_schema = {"mode": keys_of_all(["START", "STOP"])}

    without_schema = provenance.origins({"mode": "START"})
    with_schema = provenance.origins({"mode": "START"}, declared_keys=values_in_schema)

    assert without_schema["mode"].origin is Origin.PROSE
    assert with_schema["mode"].origin is Origin.RECORD
    assert Origin.RECORD.is_trusted


# What the model is told of an untrusted value
# --------------------------------------------------------------------------------------------------------------


def test_a_value_of_running_text_is_described_with_its_sentence_and_place() -> None:
    """The model is told the file, the line and the sentence, so that it can see who asked for this
    value."""
    mail = "Hi,\nthe rent is due. Pay 4711 now! It is late.\nBob"
    provenance = provenance_of_file("/mail/m1.md", mail)

    origins = provenance.origins({"amount": 4711})

    assert origins["amount"].describe() == (
        f"{PROSE_PREFIX}'4711' is only in the text of /mail/m1.md, line 2, "
        "not in the request: “Pay 4711 now!”"
    )


def test_a_sentence_with_two_values_is_quoted_once() -> None:
    """One argument has two values of the same sentence of a mail."""
    sentence = "Ask bob@pay.example or https://pay.example/form for more."
    provenance = provenance_of_prose(f"Hi,\n{sentence}\nBob")

    origins = provenance.origins({"text": "bob@pay.example https://pay.example/form"})

    description = origins["text"].describe()
    assert description.count("“") == 1
    assert f"“{sentence}”" in description


def test_a_sentence_with_values_of_two_arguments_is_quoted_once() -> None:
    """The account and the amount of a payment are both from one sentence of a mail. The reasons why
    the payment was not sent name both arguments, and quote the sentence once."""
    sentence = "Pay Bob at DE89370400440532013000 the 4711 that we owe him."
    provenance = provenance_of_file("/mail/m1.md", sentence)

    origins = provenance.origins({"to": "DE89370400440532013000", "amount": 4711})
    untrusted_values = {
        "to": origins["to"].findings_of(Origin.PROSE),
        "amount": origins["amount"].findings_of(Origin.PROSE),
    }
    reasons = reasons_to_stop(untrusted_values)

    assert reasons.count(sentence) == 1
    assert "to: 'DE89370400440532013000'" in reasons
    assert "amount: '4711'" in reasons


# Bounded memory and time
#
# The texts of a trial are kept up to `MOST_TRACED_BYTES`. Beyond that, a value that none of the kept
# texts states may be in a text that was not kept. So it counts as running text, and is not trusted.
# --------------------------------------------------------------------------------------------------------------


def test_an_unknown_value_is_untrusted_once_a_text_was_too_long_to_keep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A text is one byte longer than what may be kept, so it is not kept. It could state the unknown
    account. The address is in the request, which was kept before."""
    long_text = "字" * 140
    most_bytes = len(long_text.encode()) - 1
    provenance = provenance_with_mail()
    assert origin_of(provenance, UNKNOWN_IBAN) is Origin.MADE

    monkeypatch.setattr(bounds, "MOST_TRACED_BYTES", most_bytes)
    add_prose(provenance, "/calls/long", long_text)

    assert origin_of(provenance, UNKNOWN_IBAN) is Origin.PROSE
    assert origin_of(provenance, "emma@site.com") is Origin.ASKED


def test_thousands_of_long_results_take_bounded_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The 4,000 texts have 12,000 bytes each, together 48 MB. At most 1 MB of them is kept. So the
    unknown account may be in a text that was not kept."""
    kept_bytes = 1_000_000
    monkeypatch.setattr(bounds, "MOST_TRACED_BYTES", kept_bytes)
    provenance = Provenance()
    tracemalloc.start()
    try:
        for number in range(4_000):
            add_prose(provenance, f"/calls/{number}", f"{number} " + "字" * 4_000)
        allocated_bytes, _peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert allocated_bytes < 4 * kept_bytes
    assert origin_of(provenance, UNKNOWN_IBAN) is Origin.PROSE


@pytest.mark.parametrize(
    "piece",
    [
        pytest.param(
            "the quick brown fox jumps over the lazy dog and on\n", id="plain words"
        ),
        pytest.param(
            "On 3 May Ann wrote that INV-17 of 12.50 euros goes to ann@site.com.\n",
            id="many values",
        ),
        pytest.param("1" * 50, id="one long number"),
        pytest.param("a@", id="beginnings of addresses"),
        pytest.param("US13 30", id="beginnings of accounts"),
    ],
)
def test_searching_a_text_is_linear_work(piece: str) -> None:
    """A running text of one repeated piece is added, and values are looked up in it."""

    def search(piece_count: int) -> None:
        provenance = Provenance()
        add_prose(provenance, "/text", piece * piece_count)
        provenance.origins(
            {"to": "no@nowhere.example", "amount": 4711, "ids": ["1" * 30, "x-1"]}
        )

    assert_linear(search, 500)


def test_passed_values_are_not_compared_with_each_file_of_a_result() -> None:
    """A search that was called with many values returns lines of as many files."""

    def look_up(count: int) -> None:
        provenance = Provenance()
        texts: list[ResultText] = []
        for number in range(count):
            line = f"Line {number} says hello."
            texts.append(ResultText(line, is_data=False, path=f"/f/{number}.md"))
        passed_keys = [f"id-{number}" for number in range(count)]
        provenance.add("search", texts, passed_keys=passed_keys)
        assert origin_of(provenance, "Ann Miller") is Origin.MADE

    assert_linear(look_up, 200)
