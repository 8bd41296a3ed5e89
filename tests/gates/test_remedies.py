"""What a message advises is accepted: no other gate refuses a remedy.

A player who follows a message must not be refused for it: "quote it" may not be followed by
"cite without a quotation". Each test reads the advice in a message, does what it says, and submits
again; then no gate and no rule objects.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from controlplane.gates.judging import HOW_TO_INSIST
from tests.gates.judged_scratchpads import (
    CallsOfTrial,
    judge_scratchpad,
    rejecting_keys,
    valid_scratchpad,
)

LOANS = "/docs/Loans.md"


@dataclass
class Attempt:
    """A script that submits: its scratchpad, the calls before, and what the user asks for."""

    scratchpad: dict[str, object]
    calls: CallsOfTrial
    instruction: str = "How long does a loan run?"

    @property
    def reasons(self) -> dict[str, str]:
        """The citations, which may be changed here: paths with reasons."""
        reasons = self.scratchpad["refs_why"]
        assert isinstance(reasons, dict)
        return reasons

    def cite(self, path: str, reason: str, quotation: str = "") -> None:
        """Cite a file as `scratchpad.cite` does. Raises `ValueError` if that is refused."""
        place = self.calls.cite(path, reason, quotation)
        self.reasons[place.spelling] = reason

    def messages(self) -> list[str]:
        """Submit, and return the messages of all gates and rules that object."""
        judgement = judge_scratchpad(
            self.scratchpad, self.calls, instruction=self.instruction
        )
        assert bool(rejecting_keys(judgement)) is not judgement.accepted
        return [judgement.message] if judgement.message else []


def attempt(**changed: object) -> Attempt:
    """Return an attempt of a trial that has read two files; `changed` goes into the scratchpad."""
    calls = CallsOfTrial()
    calls.list_folder("/docs", LOANS)
    calls.read(LOANS, "/logs/lent.tsv")
    return Attempt(valid_scratchpad(**changed), calls)


def quote_a_line(tried: Attempt) -> None:
    tried.reasons.clear()
    tried.cite(LOANS, "relevant file", "A loan runs 21 days.")


def name_a_number(tried: Attempt) -> None:
    tried.reasons[LOANS] = "relevant file: 21 days"


def name_words_of_the_page(tried: Attempt) -> None:
    tried.reasons[LOANS] = "books marked reserved"


def take_back(tried: Attempt) -> None:
    """What `scratchpad.uncite` does with all that is not the right citation."""
    for path in [path for path in tried.reasons if path != LOANS]:
        del tried.reasons[path]


def read_it(tried: Attempt) -> None:
    tried.calls.read("/docs/Fees.md")


def cite_as_it_was_read(tried: Attempt) -> None:
    tried.reasons[LOANS] = tried.reasons.pop("docs/loans.md")


def say_what_was_found(tried: Attempt) -> None:
    tried.reasons[LOANS] = "it runs 21 days"


def take_the_name_out(tried: Attempt) -> None:
    tried.scratchpad["answer"] = "A loan runs 21 days."


def cite_what_it_rests_on(tried: Attempt) -> None:
    tried.cite(LOANS, "a loan runs 21 days")


def cite_a_row(tried: Attempt) -> None:
    tried.cite("/logs/lent.tsv#row=7", "row 7 lends b-104")


def own_up(tried: Attempt) -> None:
    tried.scratchpad["changes"] = ["/notes.md"]


def ask_for_both(tried: Attempt) -> None:
    tried.scratchpad["answer"] = "Which loan is meant, the one of b-104 or of b-105?"


def cite_without_quotation(tried: Attempt) -> None:
    tried.cite("/copy.md", "the copy of the request that was asked for")


REMEDIES: dict[str, tuple[Attempt, str, tuple[Callable[[Attempt], None], ...]]] = {
    "a reason that says nothing": (
        attempt(refs_why={LOANS: "relevant file"}),
        "name an id, a number or words of the page, or quote it",
        (quote_a_line, name_a_number, name_words_of_the_page),
    ),
    "a reason with a value that is not there": (
        attempt(refs_why={LOANS: "it runs 99 days"}),
        "Name an id, a number or words of the page, or quote it",
        (quote_a_line, name_a_number, name_words_of_the_page),
    ),
    "a reason that quotes what is not there": (
        attempt(refs_why={LOANS: 'for 21 days, "and never longer"'}),
        "quotes what is not there: `and never longer`. Name an id",
        (quote_a_line, name_a_number, name_words_of_the_page),
    ),
    "a short reason": (
        attempt(refs_why={LOANS: "loan"}),
        "name what was found there",
        (say_what_was_found, quote_a_line),
    ),
    "a file that was not read": (
        attempt(refs_why={LOANS: "it runs 21 days", "/docs/Fees.md": "text of it"}),
        "read it, and see that it supports the answer; if it does not, take it back",
        (read_it, take_back),
    ),
    "a misspelt path": (
        attempt(refs_why={"docs/loans.md": "it runs 21 days"}),
        f"cite `{LOANS}`",
        (cite_as_it_was_read,),
    ),
    "a folder": (
        attempt(refs_why={LOANS: "it runs 21 days", "/docs": "has the loans"}),
        "take it back with `scratchpad.uncite(path)`",
        (take_back,),
    ),
    "the name of an outcome": (
        attempt(answer="OUTCOME_OK: A loan runs 21 days."),
        "the answer says what holds",
        (take_the_name_out,),
    ),
    "a question that asks nothing": (
        attempt(answer="unclear", outcome="OUTCOME_NONE_CLARIFICATION"),
        "names what is unclear and what there is to choose from",
        (ask_for_both,),
    ),
    "no citation": (
        Attempt(
            valid_scratchpad(refs_why={}),
            attempt().calls,
            "How long does a loan run? Cite the page.",
        ),
        "read what the answer rests on, and cite it",
        (cite_what_it_rests_on,),
    ),
    "no row": (
        Attempt(
            valid_scratchpad(answer="1", refs_why={}),
            attempt().calls,
            "How many books are lent? Name rows as /logs/lent.tsv#row=<RowID>",
        ),
        "rows are cited as",
        (cite_a_row,),
    ),
}


@pytest.mark.parametrize("name", REMEDIES)
def test_what_a_message_advises_is_accepted(name: str) -> None:
    first, advice, remedies = REMEDIES[name]
    [message] = first.messages()
    assert advice in message

    for remedy in remedies:
        scratchpad = {**first.scratchpad, "refs_why": dict(first.reasons)}
        next_attempt = Attempt(scratchpad, attempt().calls, first.instruction)
        remedy(next_attempt)
        assert next_attempt.messages() == [], remedy.__name__


def test_a_change_is_owned_up_to_as_the_message_says() -> None:
    tried = attempt(answer="That is not allowed.", outcome="OUTCOME_DENIED_SECURITY")
    tried.calls.write("/notes.md")
    [message] = tried.messages()
    assert "own up to what still holds: `changes` = " in message

    own_up(tried)

    assert tried.messages() == []


def test_a_file_that_the_trial_wrote_is_cited_without_a_quotation() -> None:
    """The refusal of the quotation says so, and no gate then wants one."""
    tried = attempt()
    tried.calls.write("/copy.md", "How long does a loan run?")
    with pytest.raises(ValueError, match="cite without a quotation"):
        tried.cite("/copy.md", "the copy", "How long does a loan run?")

    cite_without_quotation(tried)

    assert tried.messages() == []


def test_a_quotation_that_is_not_there_is_left_out_as_the_message_says() -> None:
    tried = attempt()
    with pytest.raises(ValueError, match="or cite without a quotation"):
        tried.cite(LOANS, "says how long", "A loan runs 99 days.")

    tried.cite(LOANS, "says how long it runs")

    assert tried.messages() == []


def test_the_second_objection_of_a_rule_repeats_the_first_one_whole() -> None:
    reasons = {LOANS: "it runs 99 days, as the page of the library says in its rules"}
    first = judge_scratchpad(valid_scratchpad(refs_why=reasons))
    [reason] = [verdict.reason for verdict in first.verdicts if verdict.key == "5"]

    second = judge_scratchpad(
        valid_scratchpad(refs_why=reasons), earlier_objections={"5": [reason]}
    )

    assert f"This still stands: {reason}" in second.message
    assert HOW_TO_INSIST in second.message
