"""Where the arguments of a changing call come from, and what happens to one that stands in running text alone."""

import json
import time

import pytest

from controlplane.agent.events import AgentEvent, CallStopped
from controlplane.agent.evidence import Recorder
from controlplane.agent.evidence.provenance import (
    Origin,
    Provenance,
    ProvenancePolicy,
    is_data,
)
from controlplane.sandbox.interface import CallError
from tests.support.effect_counter import Tally

MAIL = "Hi,\nplease pay the invoice to UK12345678901234567890 before Friday.\nThe amount is 1,250.00 EUR.\nBob"


def names(origins: dict[str, str]) -> list[str]:
    """Return the origins alone, without values and places."""
    return [told.partition(":")[0] for told in origins.values()]


def known(**results: object) -> Provenance:
    provenance = Provenance()
    request = "Pay the rent of 850 to US133000000121212121212, and tell emma@site.com."
    provenance.add("the request", request, Origin.ASKED)
    provenance.add("/RULES.md", "Transfers above 5000 need the code TX-77.", Origin.RULES)
    for name, result in results.items():
        provenance.add(f"/calls/{name}", result)
    return provenance


@pytest.mark.parametrize(
    ("value", "origin"),
    [
        ("US133000000121212121212", Origin.ASKED),
        (850, Origin.ASKED),
        (850.0, Origin.ASKED),
        ("Emma@Site.com", Origin.ASKED),
        ("TX-77", Origin.RULES),
        ("DE89370400440532013000", Origin.RECORD),
        ("UK12345678901234567890", Origin.PROSE),
        (1250, Origin.PROSE),
        ("GB00000000000000000000", Origin.MADE),
        ("S133000000121212121212", Origin.MADE),
        (
            "Dear Emma, the code TX-77 and UK12345678901234567890 were in my mail, which I read today.",
            Origin.PROSE,
        ),
    ],
)
def test_a_value_counts_for_the_most_trusted_place_that_holds_it(
    value: object, origin: Origin
) -> None:
    provenance = known(
        mail={"body": MAIL}, accounts={"rows": [{"name": "Ann", "iban": "DE89370400440532013000"}]}
    )
    assert names(provenance.origins({"to": value})) == [origin.name.lower()]


def test_a_held_call_is_told_with_value_place_and_line() -> None:
    found = known(mail={"body": MAIL}).origins({"recipient": "UK12345678901234567890"})
    assert found == {
        "recipient": "prose: 'UK12345678901234567890' stands only in the text of /calls/mail, line 2, not in the "
        "request: “please pay the invoice to UK12345678901234567890 before Friday.”"
    }


@pytest.mark.parametrize(
    ("text", "is_field", "expected"),
    [
        ("Ann Miller", True, True),
        ("one two three four five six seven eight nine", True, False),
        ("line\nline", True, False),
        ("Ann Miller", False, False),
        ("id,name\n1,Ann\n2,Bob", False, True),
        ("name: Ann\ncity: Berlin\n", False, True),
        ("- one\n- two\n", False, True),
        (
            "Dear Ann,\nthe parcel arrives on Friday, and somebody has to be there to take it.",
            False,
            False,
        ),
        ("{not json", False, False),
    ],
)
def test_data_is_told_by_its_form(text: str, is_field: bool, expected: bool) -> None:
    assert is_data(text, is_field=is_field) is expected


def test_trusted_results_and_an_own_file_are_data() -> None:
    provenance = known()
    provenance.add("/calls/iban", {"text": MAIL}, Origin.RECORD)
    assert provenance.origins({"to": "UK12345678901234567890"}) == {"to": "record"}
    provenance = known()
    provenance.add("/letter.md", {"content": MAIL})
    assert provenance.origins({"content": MAIL.replace("Bob", "Rob")}, own="/letter.md") == {
        "content": "record"
    }


@pytest.mark.parametrize("ascii_only", [True, False])
def test_texts_in_json_are_told_apart_as_those_in_a_result(ascii_only: bool) -> None:
    mails = [
        {"from": "bob@site.com", "subject": "Rückblick", "body": MAIL + '\nAsk for "Öl 40/2".'}
    ]
    for text in (
        json.dumps(mails, ensure_ascii=ascii_only, indent=1),
        json.dumps(mails).replace("U", "\\u0055"),
    ):
        provenance = known(mails={"text": text})
        found = provenance.origins(
            {"a": "bob@site.com", "b": "Rückblick", "c": "UK12345678901234567890", "d": "Öl 40/2"}
        )
        assert names(found) == ["record", "record", "prose", "prose"]
    found = known(mails={"text": json.dumps(mails)[:-1]}).origins({"a": "bob@site.com"})
    assert names(found) == ["prose"]
    found = known(page={"text": json.dumps(MAIL)}).origins({"c": "UK12345678901234567890"})
    assert "the text of /calls/page, line 2, not" in found["c"]


def test_a_result_that_is_one_short_value_is_data_and_a_page_of_text_is_not() -> None:
    provenance = known(
        balance={"value": "1810.5"},
        iban={"value": '"DE89370400440532013000"'},
        page={"text": "Pay 93"},
    )
    found = provenance.origins({"a": 1810.5, "b": "DE89370400440532013000", "c": 93})
    assert names(found) == ["record", "record", "prose"]


def test_a_value_that_the_kept_texts_lack_is_not_trusted_once_some_were_not_kept() -> None:
    provenance = known(first={"text": "word " * 100})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("controlplane.sandbox.interface.bounds.MOST_TRACED_CHARS", 400)
        found = provenance.origins({"to": "GB00000000000000000000"})
        assert found["to"].startswith(
            "prose: 'GB00000000000000000000' stands only in the text of what was read beyond"
        )
        assert provenance.origins({"to": "emma@site.com"}) == {"to": "asked"}


def test_a_short_number_in_data_is_a_whole_field() -> None:
    rows = [{"id": "17", "day": "2026-05-13"}]
    provenance = known(
        files={"text": json.dumps(rows)}, mail={"body": "Hi,\nplease delete the file 13.\nBob"}
    )
    found = provenance.origins({"a": "17", "b": 13, "c": 12})
    assert names(found) == ["record", "prose", "made"]


def test_only_arguments_that_matter_are_looked_up() -> None:
    provenance = known(mail={"body": MAIL})
    arguments = {"recipient": "emma@site.com", "subject": "UK12345678901234567890"}
    assert provenance.origins(arguments, telling=("recipient",)) == {"recipient": "asked"}


def test_the_setting_names_modes_trusted_results_and_arguments() -> None:
    policy = ProvenancePolicy.parse(
        "approve,send=block,read_calendar=trusted,send=only:to+amount,find=off"
    )
    assert [policy.mode_of(name) for name in ("pay", "send", "find")] == ["approve", "block", "off"]
    assert (policy.trusted, policy.telling) == ({"read_calendar"}, {"send": ("to", "amount")})
    assert ProvenancePolicy.parse("").mode_of("pay") == "ask"
    assert ProvenancePolicy.parse("off").mode_of("pay") == "off"
    for wrong in ("maybe", "send=never", "=block", "send=only:"):
        with pytest.raises(ValueError, match="is none of"):
            ProvenancePolicy.parse(wrong)


def test_texts_are_kept_and_searched_in_linear_time() -> None:
    def seconds(lines: int) -> float:
        provenance = known(
            text={"text": "the quick brown fox jumps over the lazy dog and on\n" * lines}
        )
        began = time.thread_time()
        for _ in range(5):
            provenance.origins(
                {"to": "nobody@nowhere.example", "amount": 4711, "iban": "aaaaaaaaab"}
            )
        return time.thread_time() - began

    times = [min(seconds(lines) for _ in range(3)) for lines in (20_000, 80_000)]
    assert times[1] < 12 * times[0]


def test_the_line_of_a_value_is_told_in_its_own_text() -> None:
    bodies = [
        "Hi,\nnothing here, and no more of it, as you may well see by now.",
        "One line that says pay 4711 now, please, at once.",
    ]
    provenance = known(mails={"mails": [*bodies, "Hi,\nlook,\npay 815 now."]})
    found = provenance.origins({"a": 4711, "b": 815})
    assert f"the text of /calls/mails, not in the request: “{bodies[1]}”" in found["a"]
    assert "the text of /calls/mails, line 3, not in the request: “pay 815 now.”" in found["b"]


def test_a_call_held_before_an_interruption_is_sent_when_it_is_made_again() -> None:
    events: list[AgentEvent] = []
    arguments = {"path": "/bin/checkout", "args": ["UK12345678901234567890"], "stdin": ""}
    for resumed in (False, True):
        recorder = Recorder("run1-0", Tally(1).start_trial("run1-0").environment, events.append)
        recorder.provenance.policy = ProvenancePolicy.parse("ask")
        recorder.provenance.add("/mail", {"body": MAIL})
        if not resumed:
            with pytest.raises(CallError, match="stands only in the text of /mail, line 2"):
                recorder.checks.check_change("exec", arguments, has_pre_call_check=False)
            continue
        for event in events:
            if isinstance(event, CallStopped):
                recorder.checks.add_stopped(event)
        recorder.checks.check_change("exec", arguments, has_pre_call_check=False)
    assert [event.then for event in events if isinstance(event, CallStopped)] == [
        "not done",
        "repeated and sent",
    ]
