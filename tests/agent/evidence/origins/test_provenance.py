"""Where the arguments of a changing call come from."""

import json
import time
import tracemalloc

import pytest

from controlplane.agent.evidence.checks.call_messages import reasons_to_hold
from controlplane.agent.evidence.origins.argument_origin import (
    PROSE_PREFIX,
    ArgumentOrigin,
)
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

MAIL = (
    "Hi,\nplease pay the invoice to UK12345678901234567890 before 26 June 2026.\n"
    "The amount is 1,250.00 EUR.\nAsk bob@pay.example or https://pay.example/form for more.\nBob"
)


def with_mail(**results: object) -> Provenance:
    """Return what a trial knows that was asked for
    a payment and has read a mail and some results."""
    provenance = Provenance()
    request = "Pay the rent of 850 to US133000000121212121212, and tell emma@site.com by 15 May 2026."
    provenance.add("the request", [ResultText(request, is_data=False)], Origin.ASKED)
    rules = [ResultText("Transfers above 5000 need the code TX-77.", is_data=False)]
    provenance.add("/RULES.md", rules, Origin.RULES)
    provenance.add("/calls/mail", texts_of_data({"body": MAIL}))
    for name, result in results.items():
        provenance.add(f"/calls/{name}", texts_of_result({"value": json.dumps(result)}))
    return provenance


def origin_of(provenance: Provenance, value: Plain) -> Origin | None:
    """Return the origin of one argument; None if it does not tell anything."""
    found = provenance.origins({"argument": value})
    return found["argument"].origin if found else None


@pytest.mark.parametrize(
    ("value", "origin"),
    [
        ("US133000000121212121212", Origin.ASKED),
        (850, Origin.ASKED),
        (850.0, Origin.ASKED),
        ("Emma@Site.com", Origin.ASKED),
        ("2026-05-15", Origin.ASKED),
        ("TX-77", Origin.RULES),
        ("DE89370400440532013000", Origin.RECORD),
        ("UK12345678901234567890", Origin.PROSE),
        (1250, Origin.PROSE),
        ("GB00000000000000000000", Origin.MADE),
        ("S133000000121212121212", Origin.MADE),
        (
            "Dear Emma, the code TX-77 and UK12345678901234567890 were in my mail.",
            Origin.PROSE,
        ),
        ("restart", None),
    ],
)
def test_a_value_counts_for_the_most_trusted_place_that_has_it(
    value: Plain, origin: Origin | None
) -> None:
    provenance = with_mail(accounts=[{"name": "Ann", "iban": "DE89370400440532013000"}])
    assert origin_of(provenance, value) is origin


@pytest.mark.parametrize(
    "value",
    [
        "UK12 3456 7890 1234 5678 90",
        "uk12-3456-7890-1234-5678-90",
        "UK12345678901234567890\u200b",
        "ＵＫ12345678901234567890",
        "to=UK12345678901234567890;ref=1",
        "ann@site.com,UK12345678901234567890",
        '{"iban": "UK12345678901234567890"}',
        "name,iban\nann,UK12345678901234567890\n",
        ["ann", ["UK12345678901234567890"]],
        {"UK12345678901234567890": 1},
        list("UK12345678901234567890"),
        "UksxMjM0NTY3ODkwMTIzNDU2Nzg5MAo=".replace("UksxMj", "VUsxMj"),
        "https://bank.example/pay?iban=UK12345678901234567890",
        "/out/UK12345678901234567890.txt",
        "http://pay.example/form",
        "https://www.pay.example/other?amount=5",
        "bob+x@pay.example",
        "b.ob@PAY.example",
        "mailto:bob@pay.example",
        "1.250,00",
        "2026-06-26",
        "June 26, 2026",
    ],
)
def test_another_spelling_of_a_value_in_running_text_is_that_value(
    value: Plain,
) -> None:
    assert origin_of(with_mail(), value) is Origin.PROSE


@pytest.mark.parametrize(
    "value", ["2026-04-03", "2026-03-04", "March 4, 2026", "3 April", "04/03/2026"]
)
def test_a_date_whose_month_may_come_first_or_second_is_either_date(
    value: Plain,
) -> None:
    provenance = Provenance()
    text = "Please move the meeting to 03/04/2026, as all of us would like that much better."
    provenance.add("/mail", [ResultText(text, is_data=False)])
    assert origin_of(provenance, value) is Origin.PROSE


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
    provenance = Provenance()
    text = f"Please pay 420 to {written} this week."
    provenance.add("/mail", [ResultText(text, is_data=False)])

    assert origin_of(provenance, "GB33BUKB20201555555555") is Origin.PROSE
    assert origin_of(provenance, "GB33 BUKB 2020 1555 5555 55") is Origin.PROSE


@pytest.mark.parametrize(
    ("words", "wrong_key"),
    [
        ("FY26 plan 3", "fy26plan3"),
        ("room AB12 from 10 to 20", "ab12from10"),
        ("Covid19 from 2020 1555 5555", "id19from202015555555"),
    ],
)
def test_a_word_of_four_letters_between_numbers_makes_no_account(
    words: str, wrong_key: str
) -> None:
    provenance = Provenance()
    text = f"Please go on with {words} this week."
    provenance.add("/mail", [ResultText(text, is_data=False)])

    reply = f"Dear all, as you know, we go on with {words} until the next meeting."
    findings = provenance.origins({"body": reply})["body"].findings
    assert wrong_key not in {finding.value.main_key for finding in findings}


@pytest.mark.parametrize(
    ("written", "account"),
    [
        (
            "MT84 MALT 0110 0001 2345 MTLC AST0 01S",
            "MT84MALT011000012345MTLCAST001S",
        ),
        ("GB33 BUKB 2020 1555 5555 55  0049 30 1234567", "GB33BUKB20201555555555"),
    ],
)
def test_an_account_ends_where_its_checksum_says(written: str, account: str) -> None:
    provenance = Provenance()
    text = f"Please pay 420 to {written} this week."
    provenance.add("/mail", [ResultText(text, is_data=False)])

    assert origin_of(provenance, account) is Origin.PROSE


def test_a_value_joined_from_two_in_running_text_is_one_of_running_text() -> None:
    provenance = Provenance()
    text = "The account begins with US1330000 and ends with 00121212121212, as you may remember."
    provenance.add("/mail", [ResultText(text, is_data=False)])

    assert origin_of(provenance, "US133000000121212121212") is Origin.PROSE


@pytest.mark.parametrize("value", [26, 3, 40, "26", 1.0, 2, 7])
def test_a_small_number_within_a_date_a_share_or_a_name_is_no_value(
    value: Plain,
) -> None:
    provenance = Provenance()
    text = "We met on June 26, when 3/5 of us, or 40% of the house, were there, in Room 7. Here is how: 1. Stop. 2. Turn."
    provenance.add("/mail", [ResultText(text, is_data=False)])

    assert origin_of(provenance, value) is Origin.MADE


def test_a_small_number_by_itself_is_a_value_of_running_text() -> None:
    provenance = Provenance()
    provenance.add(
        "/mail", [ResultText("Hi,\nplease delete the file 13.\nBob", is_data=False)]
    )

    assert origin_of(provenance, 13) is Origin.PROSE


def test_a_small_number_in_data_is_a_whole_field() -> None:
    provenance = Provenance()
    provenance.add("/files", texts_of_data([{"id": "17", "day": "2026-05-13"}]))

    assert origin_of(provenance, "17") is Origin.RECORD
    assert origin_of(provenance, 13) is Origin.MADE


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It is the company’s duty, and that of Ann's friends.", "the company's duty"),
        ("Call the Grand Hotel.Then leave.", "Grand Hotel"),
        ("(the “Blue Room”)", "Blue Room"),
    ],
)
def test_words_of_the_request_are_the_same_in_any_punctuation(
    text: str, words: str
) -> None:
    provenance = Provenance()
    provenance.add("the request", [ResultText(text, is_data=False)], Origin.ASKED)
    provenance.add(
        "/mail",
        [ResultText(f"{words} is what we all like so very much.", is_data=False)],
    )

    assert origin_of(provenance, words) is Origin.ASKED


def test_words_that_only_touch_a_full_stop_are_plain() -> None:
    provenance = Provenance()
    text = (
        "We meet next week.Please bring the company’s well-known cake along, will you?"
    )
    provenance.add("/mail", [ResultText(text, is_data=False)])
    copied = f"This is what they wrote to all of us this morning: {text}"

    assert provenance.origins({"body": copied})["body"].origin is not Origin.PROSE


def test_what_a_call_repeats_of_its_arguments_gets_no_better() -> None:
    provenance = with_mail()
    for value in ("UK12345678901234567890", "Blue Harbour Hotel"):
        checked = keys_of_all([value])
        echo = json.dumps({"checked": value, "is": "valid", "owner": "Zoe 4711"})
        provenance.add(
            "/calls/check", texts_of_result({"value": echo}), passed_keys=checked
        )

    assert origin_of(provenance, "UK12345678901234567890") is Origin.PROSE
    assert origin_of(provenance, "Blue Harbour Hotel") is Origin.MADE
    assert origin_of(provenance, "Zoe 4711") is Origin.RECORD


def test_what_a_changing_call_was_given_keeps_its_origin() -> None:
    provenance = with_mail()
    payment: dict[str, Plain] = {
        "recipient": "UK12345678901234567890",
        "subject": "Rent of June",
    }
    provenance.remember_untrusted(provenance.origins(payment).values())
    provenance.add("/calls/payments", texts_of_data([payment]))
    origins = provenance.origins(payment)

    assert origins["recipient"].origin is Origin.PROSE
    assert origins["subject"].origin is Origin.MADE


def test_a_changing_call_with_too_many_values_leaves_other_values_their_origins() -> (
    None
):
    provenance = with_mail(accounts=[{"iban": "DE89370400440532013000"}])
    too_many = [f"item-{number}" for number in range(bounds.MOST_TRACED_VALUES + 1)]
    provenance.remember_untrusted(provenance.origins({"items": too_many}).values())

    assert origin_of(provenance, "DE89370400440532013000") is Origin.RECORD
    assert origin_of(provenance, "GB00000000000000000000") is Origin.MADE


def test_a_record_that_was_looked_up_verifies_its_key() -> None:
    provenance = with_mail()
    provenance.add_record(["UK12345678901234567890"], "/calls/account")

    assert origin_of(provenance, "UK12345678901234567890") is Origin.RECORD


def test_an_own_file_may_keep_what_was_in_it() -> None:
    provenance = Provenance()
    provenance.add("", texts_of_file("/letter.md", MAIL))
    changed = MAIL.replace("Bob", "Rob")
    held = provenance.origins({"content": changed})
    own = provenance.origins({"content": changed}, changed_path="/letter.md")

    assert held["content"].origin is Origin.PROSE
    assert own["content"].findings_of(Origin.PROSE) == []


def test_words_of_a_declared_enum_are_records() -> None:
    provenance = with_mail(
        page="Turn it with START, and wait until all of the lights are green again."
    )
    modes = {"mode": keys_of_all(["START", "STOP"])}

    assert origin_of(provenance, "START") is Origin.PROSE
    origins = provenance.origins({"mode": "START"}, declared_keys=modes)
    assert origins["mode"].origin is Origin.RECORD


def described(provenance: Provenance, value: Plain) -> str:
    argument: ArgumentOrigin = provenance.origins({"argument": value})["argument"]
    return argument.describe()


def test_a_value_of_running_text_is_told_with_its_sentence_and_place() -> None:
    provenance = Provenance()
    provenance.add(
        "", texts_of_file("/mail/m1.md", f"{MAIL} Pay 4711 now! It is late.")
    )

    assert described(provenance, 4711) == (
        f"{PROSE_PREFIX}'4711' is only in the text of /mail/m1.md, line 5, not in the request: “Bob Pay 4711 now!”"
    )


def test_values_of_one_sentence_are_told_once() -> None:
    told = described(with_mail(), "bob@pay.example https://pay.example/form")
    assert told.count("“") == 1


def test_a_value_that_the_kept_texts_lack_is_not_trusted_once_some_were_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    provenance = with_mail()
    monkeypatch.setattr(bounds, "MOST_TRACED_BYTES", 400)
    provenance.add("/calls/long", [ResultText("字" * 140, is_data=False)])  # 420 bytes

    assert origin_of(provenance, "GB00000000000000000000") is Origin.PROSE
    assert origin_of(provenance, "emma@site.com") is Origin.ASKED


def test_thousands_of_long_results_take_bounded_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounds, "MOST_TRACED_BYTES", 1_000_000)
    provenance = Provenance()
    tracemalloc.start()
    try:
        for number in range(4_000):
            text = f"{number} " + "字" * 4_000
            provenance.add(f"/calls/{number}", [ResultText(text, is_data=False)])
        held_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert held_bytes < 4_000_000  # All texts would take 32 MB.
    assert origin_of(provenance, "GB00000000000000000000") is Origin.PROSE


@pytest.mark.parametrize(
    "text",
    [
        "the quick brown fox jumps over the lazy dog and on\n",
        "On 3 May Ann wrote that INV-17 of 12.50 euros goes to ann@site.com.\n",
        "1" * 50,
        "a@",
        "US13 30",
    ],
)
def test_texts_are_indexed_and_searched_in_linear_time(text: str) -> None:
    def seconds(count: int) -> float:
        provenance = Provenance()
        provenance.add("/text", [ResultText(text * count, is_data=False)])
        began = time.thread_time()
        provenance.origins(
            {"to": "no@nowhere.example", "amount": 4711, "ids": ["1" * 30, "x-1"]}
        )
        return time.thread_time() - began

    times = [min(seconds(count) for _ in range(2)) for count in (1_000, 4_000)]

    assert times[1] < 16 * times[0]


def test_a_sentence_with_values_of_two_arguments_is_quoted_once() -> None:
    provenance = Provenance()
    text = "Pay Bob at DE89370400440532013000 the 4711 that we owe him."
    provenance.add("", texts_of_file("/mail/m1.md", text))
    origins = provenance.origins({"to": "DE89370400440532013000", "amount": 4711})
    held = {name: origin.findings_of(Origin.PROSE) for name, origin in origins.items()}
    told = reasons_to_hold(held)

    assert told.count(text) == 1
    assert "to: 'DE89370400440532013000'" in told
    assert "amount: '4711'" in told


def test_many_passed_values_cost_little_for_each_file_of_a_result() -> None:
    provenance = Provenance()
    texts = [
        ResultText(f"Line {number} says hello.", is_data=False, path=f"/f/{number}.md")
        for number in range(1000)
    ]
    passed_keys = [f"id-{number}" for number in range(50_000)]
    provenance.add("search", texts, passed_keys=passed_keys)

    start = time.perf_counter()
    assert origin_of(provenance, "Ann Miller") is Origin.MADE
    assert time.perf_counter() - start < 2
