"""An order that names what nothing in the workspace is called is for another system."""

from __future__ import annotations

import pytest

from benchmarks.shop.computed.other_systems import is_for_another_system
from gates import Case
from gates.types import Change, Evidence, Execution
from tests.benchmarks.shop.computed.small_shop import BASKET, MUG, STORE, STORE_2, SmallShop, seen_before

TICKET = 'Open a Fjordesk ticket about "Fjell Skerry mug" and send me its number.'
RULES = "- What cannot be done here ends with `OUTCOME_NONE_UNSUPPORTED`. Morava is the name of the town."


def is_for_another(
    text: str,
    evidence: Evidence | None = None,
    documents: dict[str, str] | None = None,
    rules: str = RULES,
    records: dict[str, dict[str, object]] | None = None,
) -> bool:
    seen = evidence or Evidence(has_trace=True)
    shop = SmallShop(changes=records, documents=documents)
    return shop.asked(lambda workspace: is_for_another_system(Case(text, rules), seen, workspace), seen)


@pytest.mark.parametrize(
    "text",
    [
        TICKET,
        TICKET.replace('"', "'"),
        "Book a Paketta pickup at Kade Gent North for one parcel.",
        'Log "Fjell Skerry mug" with Fjordesk.',
        'Log it with Fjordesk, please: "Fjell Skerry mug".',
        "Post in the Plaudern channel of the North store that it is dark.",
        f"{TICKET} " + "x" * (999 - len(TICKET)),
    ],
)
def test_a_name_that_nothing_bears_is_one_of_another_system(text: str) -> None:
    assert is_for_another(text)


@pytest.mark.parametrize(
    "text",
    [
        'Fjordesk ticket about "Fjell Skerry mug" now.',
        'Open a FJO ticket about "Fjell Skerry mug" now.',
        'Open a Fj ticket about "Fjell Skerry mug" now.',
        'Open a Big Fjordesk Desk about "Fjell Skerry mug" now.',
        'Open a ticket about "Fjell Skerry mug at Fjordesk places".',
        "Open a Fjordesk ticket about the mug.",
        "Open a Fjordesk ticket about the Skerry mug at Kade Gent North.",
        'Open a Fjelll ticket about "Fjell Skerry mug" now.',
        'Open a Morava ticket about "Fjell Skerry mug" now.',
        'Open a Northh ticket about "Fjell Skerry mug" now.',
    ],
)
def test_what_has_no_strange_name_of_its_own_is_for_no_other_system(text: str) -> None:
    assert not is_for_another(text)


@pytest.mark.parametrize(
    "more",
    [
        "Is that possible?",
        "Tell me when it is done.",
        "See /notes/a.txt.",
        "It is `urgent`.",
        "Mail a@b.example then.",
        "It is 5 % off.",
        "It is about basket-1.",
        "It is for order 12345.",
        "It is about my basket.",
        "It is about FJ-MUG-ENAMEL.",
        "Use my e-mail address.",
        "Answer with the number only.",
        "Number only.",
        "\nDo it.",
    ],
)
def test_what_asks_or_names_a_record_is_for_no_other_system(more: str) -> None:
    assert is_for_another(f"{TICKET} Do it.")
    assert not is_for_another(f"{TICKET} {more}")


def test_a_branch_may_be_called_like_a_brand() -> None:
    called = {STORE: {"name": "Fjell Gent North"}, STORE_2: {"name": "Fjell Gent South"}}
    assert is_for_another("Book a Paketta pickup at Fjell Gent North for one parcel.", records=called)
    assert not is_for_another("Book a Paketta pickup at Fjell Gent North for one mug of Skerry.", records=called)


def test_of_many_names_the_first_six_are_looked_at() -> None:
    six = "a Norht, a Soutth, a Skerrie, a Fjelll, a Enamell, a Gentt"
    known = {"/docs/words.md": "Norht Soutth Skerrie Fjelll Enamell Gentt"}
    assert not is_for_another(f'Open {six}, a Fjordesk ticket for "it" now.', documents=known)
    assert is_for_another(f'Open a Fjordesk, {six} ticket for "it" now.', documents=known)


def test_a_long_request_is_not_read() -> None:
    assert not is_for_another(f"{TICKET} " + "x" * (1_000 - len(TICKET)))


@pytest.mark.parametrize(
    "documents",
    [
        {"/docs/partners.md": "We work with Fjordesk."},
        {"/docs/partners.md": "mailbox: fjordesk"},
        {"/docs/Fjordesk.md": "A page."},
        {"/docs/our-fjordesk/page.md": "A page."},
    ],
)
def test_what_a_document_or_a_path_holds_is_known(documents: dict[str, str]) -> None:
    assert not is_for_another(TICKET, documents=documents)
    assert is_for_another(TICKET, documents={"/docs/partners.md": "We work with Fjordesks."})


def test_one_strange_name_of_several_is_enough() -> None:
    text = 'Open a Fjordesk ticket with Paketta about "Fjell Skerry mug" now.'
    assert is_for_another(text, documents={"/docs/partners.md": "We work with Fjordesk."})
    assert not is_for_another(text, documents={"/docs/partners.md": "We work with Fjordesk and Paketta."})


def test_what_a_tool_can_be_told_to_do_is_for_no_other_system() -> None:
    ran = Execution("/bin/ticket", (), kind="changes", exit_code=1)
    assert not is_for_another(TICKET, Evidence(has_trace=True, executions=(ran,)))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (Change("/bin/refund", "execute", "approve ret-1"), False),
        (Change(BASKET, "write"), False),
        (Change(MUG, "delete"), False),
        (Change("/notes/ticket.txt", "write"), True),
    ],
)
def test_who_changed_a_record_took_it_for_another_request(change: Change, expected: bool) -> None:
    assert is_for_another(TICKET, seen_before(change)) is expected
