"""What gates 2, 6 and 8 say of facts, wording and tokens, and how records and changes are read.

Facts name what was read, run or computed from (gate 2). An answer is a text that fits its outcome
(gate 6), and has each token and form that was asked for (gate 8). Records have the same values in
every format, and reading takes bounded time. Changes that were undone need no report. The command
`python -m controlplane.gates` judges recorded answers.
"""

from __future__ import annotations

import gc
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from controlplane.gates.__main__ import main
from controlplane.gates.evidence import Evidence
from controlplane.gates.python_syntax import parse_expression, parse_program
from controlplane.gates.recorded_answers import judge_recorded, read_scored
from controlplane.gates.records import parse
from controlplane.gates.trial import Access, Change, ChangingAction, SeenText, TextKind
from controlplane.gates.verdicts import Verdict
from controlplane.sandbox.interface import bounds
from tests.gates.judged_scratchpads import (
    CallsOfTrial,
    judge_scratchpad,
    objection_of,
    valid_scratchpad,
    verdict_of,
)
from tests.support.command import run_python
from tests.support.executed_work import assert_linear

# Changes that a trial made of a file, and the texts that it read or wrote there.
#
# The trial of `evidence_of(changes=["write", "write"], texts=[read("one"), written("junk"),
# written("one")])` read the file, wrote another text into it, and then wrote the first text back.


def read(text: str) -> SeenText:
    """Return a text that the trial read from the file, which is all of the file."""
    return SeenText(text, TextKind.WHOLE)


def read_beginning(text: str) -> SeenText:
    """Return the beginning of the file, which the trial read without the rest."""
    return SeenText(text, TextKind.WHOLE, is_cut=True)


def written(text: str) -> SeenText:
    """Return a text that the trial itself wrote into the file."""
    return SeenText(text, TextKind.OWN)


def evidence_of(*, changes: list[ChangingAction], texts: list[SeenText]) -> Evidence:
    """Return the evidence of a trial that made these changes of one file, in this order.

    `texts` are what the trial read from the file or wrote into it, in order.
    """
    made_changes = tuple(Change("/b-104.json", action) for action in changes)
    access = Access("/b-104.json", actions=frozenset({"read"}), seen=tuple(texts))
    return Evidence(
        has_trace=True, accesses={"/b-104.json": access}, changes=made_changes
    )


# Facts that a script submits, and gate 2's verdict on them.
#
# A fact says how it is known: a verified one names the file that states it, a derived one what it was
# computed from, and a pending one has no value yet.


def verdict_on_facts(facts: object) -> Verdict:
    """Return the verdict on facts of a trial that read `/docs/Loans.md` and ran `/bin/query`.

    `verdict_on_facts({"days": fact(source="/docs/Fees.md")}).result` -> `"reject"`, since the trial
    has not read this file. It has written `/tmp/own.txt`, so that reading this file proves nothing.
    """
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    calls.write("/tmp/own.txt", "21 days")
    calls.read("/tmp/own.txt")
    calls.run("/bin/query", "select 1", stdout="3 rows")
    judgement = judge_scratchpad(valid_scratchpad(facts=facts), calls)
    return verdict_of(judgement, 2)


def fact(
    *,
    value: object = 21,
    source: object = "/docs/Loans.md",
    confidence: object = "verified",
) -> dict[str, object]:
    """Return a fact, by default the verified one that a loan runs 21 days.

    `{"value": 21, "description": "days of a loan", "source": "/docs/Loans.md", "confidence":
    "verified"}`
    """
    return {
        "value": value,
        "description": "days of a loan",
        "source": source,
        "confidence": confidence,
    }


def fact_derived_from(source: object) -> dict[str, object]:
    """Return a fact that was computed from `source`, such as the fact `days`.

    `fact_derived_from("days / 7")` -> `{..., "source": "days / 7", "confidence": "derived"}`
    """
    return fact(source=source, confidence="derived")


def pending_fact(*, source: object) -> dict[str, object]:
    """Return a fact whose value the script does not know yet, and expects in `source`.

    `pending_fact(source="task")` -> `{"value": None, "source": "task", "confidence": "pending", ...}`
    """
    return fact(value=None, source=source, confidence="pending")


# What gate 8 says of the literal strings that an answer must contain.


def objection_to_tokens(answer: str, tokens: object) -> str:
    """Return what the gate objects to in an answer of a script that declares `tokens`.

    `objection_to_tokens("b-105", tokens=["b-104"])` -> "`b-104` is not in the answer …", and an
    empty string for the answer "b-104".
    """
    scratchpad = valid_scratchpad(answer=answer, tokens=tokens)
    return objection_of(judge_scratchpad(scratchpad), 8)


def objection_to_form(instruction: str, answer: str) -> str:
    """Return what the gate objects to in an answer to a request, which may show a form.

    `objection_to_form("How many? Answer as <COUNT:%d>.", "3")` -> "… fill the placeholder in …"
    """
    scratchpad = valid_scratchpad(answer=answer, outcome="OUTCOME_OK")
    judgement = judge_scratchpad(scratchpad, instruction=instruction)
    return objection_of(judgement, 8)


# What rule `6/wording` says of an answer that does not fit its outcome.


def objection_to_wording(
    outcome: str, answer: str, instruction: str = "Which book?"
) -> str:
    """Return what the rule objects to in an answer with this outcome.

    `objection_to_wording("OUTCOME_NONE_CLARIFICATION", answer="b-104")` -> "… asks nothing …", and
    an empty string for the answer "b-104 or b-105?".
    """
    scratchpad = valid_scratchpad(outcome=outcome, answer=answer)
    judgement = judge_scratchpad(scratchpad, instruction=instruction)
    return objection_of(judgement, "6/wording")


# Gate 2: a derived fact, which a script submits, names what it was computed from.
#
# `{"weeks": {"value": 3, "source": "days / 7", "confidence": "derived", ...}}` is derived from the
# fact `days`, in a formula. Others come from a file that was read, the task, or who asks.


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param({"who": fact_derived_from("task")}, id="from the task"),
        pytest.param(
            {"who": fact_derived_from("the task text")},
            id="from the task, in other words",
        ),
        pytest.param(
            {"who": fact_derived_from("Identity")}, id="from the identity of who asks"
        ),
        pytest.param(
            {"days": fact_derived_from("/docs/Loans.md")},
            id="from a file that was read",
        ),
        pytest.param(
            {"days": fact(), "weeks": fact_derived_from("days")},
            id="from a verified fact",
        ),
        pytest.param(
            {
                "days": fact(),
                "weeks": fact_derived_from("days / 7"),
                "more": fact_derived_from(["weeks"]),
            },
            id="from a derived fact",
        ),
        pytest.param(
            {"Days": fact(), "weeks": fact_derived_from("(Days)/7")},
            id="from a formula without blanks",
        ),
        pytest.param(
            {
                "loan_days": fact(),
                "in-weeks": fact_derived_from("loan_days / 7"),
                "v.2": fact_derived_from("in-weeks + 1"),
            },
            id="from names with punctuation",
        ),
        pytest.param(
            {"loan days": fact(), "weeks": fact_derived_from("loan days")},
            id="from a name with a blank",
        ),
        pytest.param(
            {"a": fact_derived_from(["task", "b"]), "b": fact_derived_from("a")},
            id="from the task and from each other",
        ),
    ],
)
def test_a_derived_fact_names_what_it_was_computed_from(facts: object) -> None:
    facts_verdict = verdict_on_facts(facts)

    assert facts_verdict.result == "pass"
    assert facts_verdict.reason == ""


# Gate 2: a fact with a missing or invalid field is rejected.
#
# A script submits what it knows as facts. `fact()` is a right one: `{"value": 21, "description":
# "days of a loan", "source": "/docs/Loans.md", "confidence": "verified"}`. Each case changes one
# field, and the message says which one is wrong, so that the model can correct it.


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        pytest.param("facts", "`facts`", id="facts are a text"),
        pytest.param([fact()], "a list of 1", id="facts are a list"),
        pytest.param({"days": 21}, "the number `21`", id="a fact is a number"),
        pytest.param(
            {"days": fact(confidence="sure")}, "`sure`", id="unknown confidence"
        ),
        pytest.param(
            {"days": fact(confidence=None)},
            "verified, derived, pending",
            id="no confidence",
        ),
        pytest.param(
            {"days": fact() | {"description": " "}},
            "no description",
            id="blank description",
        ),
        pytest.param(
            {"days": fact() | {"description": None}},
            "no description",
            id="no description",
        ),
        pytest.param({"days": fact(value=None)}, "without a value", id="no value"),
        pytest.param(
            {"days": fact(source=None, confidence="pending")},
            "pending and yet holds the number `21`",
            id="pending with a value",
        ),
    ],
)
def test_a_fact_with_a_missing_or_invalid_field_is_rejected(
    facts: object, reason: str
) -> None:
    facts_verdict = verdict_on_facts(facts)

    assert facts_verdict.result == "reject"
    assert reason in facts_verdict.reason


# Gate 2: a pending fact is one that the script has not looked up yet, so it has no value.
#
# A script submits what it knows as facts. `{"days": {"description": "not looked up yet",
# "confidence": "pending"}}` says that it does not know yet how many days a loan runs.


@pytest.mark.parametrize(
    "days",
    [
        pytest.param(pending_fact(source=None), id="value and source are None"),
        pytest.param(
            {"description": "not looked up yet", "confidence": "pending"},
            id="no value and no source",
        ),
    ],
)
def test_a_pending_fact_needs_no_value_and_no_source(days: object) -> None:
    facts_verdict = verdict_on_facts({"days": days})

    assert facts_verdict.result == "pass"
    assert facts_verdict.reason == ""


# Gate 2 rejects a fact that a script derived from something unknown.
#
# A script submits what it knows as named facts, and of each the source:
#
#     {"days": {"value": 21, "source": "/docs/Loans.md", "confidence": "verified"},
#      "weeks": {"value": 3, "source": "days / 7", "confidence": "derived"}}
#
# Here `fact()` makes the first one, and `fact_derived_from("days / 7")` one like the second. The source of
# a derived fact has to be another fact that has a value, a file that was read, the task, or the
# identity of who asks. A pending fact has no value yet.


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param(
            {"days": fact_derived_from("/tmp/own.txt")},
            id="from a file of the trial itself",
        ),
        pytest.param({"days": fact_derived_from(None)}, id="from nothing"),
        pytest.param({"days": fact_derived_from("days")}, id="from itself"),
        pytest.param(
            {"a": fact_derived_from("b"), "b": fact_derived_from("a")},
            id="from each other",
        ),
        pytest.param(
            {"days": fact(), "weeks": fact_derived_from("DAYS / 7")},
            id="from `DAYS` instead of `days`",
        ),
        pytest.param(
            {"a": pending_fact(source=None), "b": fact_derived_from("a")},
            id="from a fact without a value and without a source",
        ),
        pytest.param(
            {"a": pending_fact(source="task"), "b": fact_derived_from("a")},
            id="from a fact without a value, which the task is to give",
        ),
    ],
)
def test_a_derived_fact_without_a_known_origin_is_rejected(facts: object) -> None:
    facts_verdict = verdict_on_facts(facts)

    assert facts_verdict.result == "reject"
    assert "is no known fact" in facts_verdict.reason


def test_the_rejection_of_a_derived_fact_quotes_its_source() -> None:
    facts_verdict = verdict_on_facts({"days": fact_derived_from("a guess")})

    assert facts_verdict.result == "reject"
    assert "`a guess`" in facts_verdict.reason


# Gate 2: a verified fact is rejected if the trial has not read its source.
#
# A script submits what it knows as facts, each with its source: `fact(source="/docs/Loans.md")`.
# Without having read the source, the script cannot know that it states the fact.


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        pytest.param("", "without a source", id="empty"),
        pytest.param(None, "without a source", id="none"),
        # The message names the file that was probably meant.
        pytest.param("/docs/Loan.md", "`/docs/Loans.md`", id="misspelt file"),
        pytest.param(
            ["/docs/Loans.md", "/docs/Fees.md"],
            "`/docs/Fees.md`",
            id="one of two not read",
        ),
        pytest.param(
            "/tmp/own.txt", "which was not read", id="file of the trial itself"
        ),
    ],
)
def test_a_verified_fact_whose_source_was_not_read_is_rejected(
    source: object, reason: str
) -> None:
    """The trial has read `/docs/Loans.md`, and `/tmp/own.txt`, which it wrote itself."""
    facts_verdict = verdict_on_facts({"days": fact(source=source)})

    assert facts_verdict.result == "reject"
    assert reason in facts_verdict.reason


# Gate 2: a verified fact names a file that the script read, or a program that it ran.
#
# A script submits what it knows as facts: `{"days": {"value": 21, "description": "days of a loan",
# "source": "/docs/Loans.md", "confidence": "verified"}}`. `fact()` is this one. The gate checks how a
# fact is known, and not whether it is true.


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param({}, id="no facts"),
        pytest.param({"days": fact() | {"note": "extra"}}, id="a further key"),
        pytest.param({"days": fact(value=False)}, id="the value is False"),
    ],
)
def test_facts_may_have_any_value_and_further_keys(facts: object) -> None:
    facts_verdict = verdict_on_facts(facts)

    assert facts_verdict.result == "pass"
    assert facts_verdict.reason == ""


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("/docs/Loans.md", id="a file that was read"),
        pytest.param(["/docs/Loans.md"], id="a list of one file"),
        pytest.param([None, " ", "/docs/Loans.md"], id="blank entries beside a file"),
        pytest.param("/docs/loans.md", id="another case"),
        pytest.param("/docs/Loans.md#line=1", id="a line of a file"),
        pytest.param("/bin/query", id="a tool that was run"),
    ],
)
def test_a_verified_fact_names_what_was_read_or_run(source: object) -> None:
    """The trial has read `/docs/Loans.md` and run `/bin/query`."""
    facts_verdict = verdict_on_facts({"days": fact(source=source)})

    assert facts_verdict.result == "pass"
    assert facts_verdict.reason == ""


# Gate 8: of a list of alternative tokens, an answer contains exactly one.
#
# A script declares the literal strings that its answer must contain. `tokens = ["ja", "nein"]`
# demands both words, and `tokens = [["ja", "nein"]]`, a list in the list, exactly one of them.


@pytest.mark.parametrize(
    ("answer", "alternatives"),
    [
        pytest.param("ja", ["ja", "nein"], id="one of two words"),
        pytest.param("ja ja", ["ja", "nein"], id="the same word twice"),
        pytest.param("<YES>", ["<YES>", "<NO>"], id="in angle brackets"),
        pytest.param("TRUE(1)", ["TRUE(1)", "FALSE(0)"], id="with brackets inside"),
        # One alternative is part of the other: only the longer one counts.
        pytest.param(
            "unavailable", ["available", "unavailable"], id="a part of a longer word"
        ),
        pytest.param(
            "not available", ["available", "not available"], id="a part of two words"
        ),
    ],
)
def test_an_answer_with_one_of_its_alternatives_passes(
    answer: str, alternatives: list[str]
) -> None:
    assert objection_to_tokens(answer, [alternatives]) == ""


@pytest.mark.parametrize(
    ("answer", "tokens", "objection"),
    [
        pytest.param(
            "ja",
            ["ja", "nein"],
            "list inside the list",
            id="alternatives declared as tokens",
        ),
        pytest.param(
            "ja oder nein",
            [["ja", "nein"]],
            "holds 2 of the alternatives",
            id="both alternatives",
        ),
        pytest.param(
            "available or unavailable",
            [["available", "unavailable"]],
            "holds 2",
            id="both alternatives, of which one contains the other",
        ),
        pytest.param(
            "vielleicht",
            [["ja", "nein"]],
            "holds none of the alternatives",
            id="no alternative",
        ),
    ],
)
def test_an_answer_without_exactly_one_alternative_is_rejected(
    answer: str, tokens: object, objection: str
) -> None:
    assert objection in objection_to_tokens(answer, tokens)


# Gate 8: an answer contains each token that its script declares, as a word of its own.
#
# A script may declare `tokens = ["b-104"]`, so that its answer can be trusted to have this literal
# string: "the book (b-104)." passes, and "b-1045" is rejected, which is another id.


@pytest.mark.parametrize(
    ("answer", "tokens"),
    [
        pytest.param("küste", [], id="none declared"),
        pytest.param("b-104", ["b-104"], id="the whole answer"),
        pytest.param("b-104", "b-104", id="a text instead of a list"),
        pytest.param("the book (b-104).", ["b-104", "book"], id="between punctuation"),
        pytest.param("21 Tage", ["21"], id="a number"),
    ],
)
def test_an_answer_with_its_declared_tokens_passes(answer: str, tokens: object) -> None:
    assert objection_to_tokens(answer, tokens) == ""


@pytest.mark.parametrize(
    ("answer", "token"),
    [
        pytest.param("b-1045", "b-104", id="a digit behind it"),
        pytest.param("xb-104", "b-104", id="a letter before it"),
        pytest.param("unavailable", "available", id="the end of a word"),
        pytest.param("naja", "ja", id="the end of a short word"),
        pytest.param("jaé", "ja", id="a letter with an accent behind it"),
    ],
)
def test_a_token_inside_a_longer_word_does_not_count(answer: str, token: str) -> None:
    assert f"`{token}` is not in the answer" in objection_to_tokens(answer, [token])


# Gate 8: a form with a placeholder is not demanded if it is only quoted or incomplete.
#
# "How many? Answer as <COUNT:%d>." demands an answer such as `<COUNT:3>`. But 'They said "answer with
# <COUNT:%d> and so on". How many?' only tells what somebody else said, so the answer "3" passes.


@pytest.mark.parametrize(
    ("instruction", "answer"),
    [
        # Somebody else is quoted: in quotation marks, behind `>`, in a code block.
        ('They said "answer with <COUNT:%d> and so on". How many?', "3"),
        ("How many?\n> Answer as <COUNT:%d>.\n", "3"),
        ("How many?\n```\nAnswer as <COUNT:%d>.\n```", "3"),
        # No placeholder: one has brackets around it, and a percent sign.
        ("How many? Answer as %d.", "three"),
        ("How many? Answer as <COUNT:n>.", "3"),
    ],
)
def test_a_placeholder_that_is_only_quoted_or_incomplete_is_not_demanded(
    instruction: str, answer: str
) -> None:
    objection = objection_to_form(instruction, answer)

    assert "fill the placeholder in" not in objection


# Gate 8: tokens are texts, or lists of alternative texts, at most 100 in all.
#
# A script declares as tokens the literal strings that its answer must contain, such as `["b-104",
# ["yes", "no"]]`. To `[3]` the gate says "the number `3`", so that the model can correct its script.


@pytest.mark.parametrize(
    ("tokens", "objection"),
    [
        pytest.param({"a": 1}, "a mapping of 1", id="a mapping"),
        pytest.param([3], "the number `3`", id="a number"),
        pytest.param([""], "holds ``", id="an empty token"),
        pytest.param([[]], "a list of 0", id="no alternatives"),
        pytest.param([["a", 3]], "a list of 2", id="a number as alternative"),
        pytest.param([["", "x"]], "a list of 2", id="an empty alternative"),
        pytest.param(["x"] * 101, "declares 101 strings", id="101 tokens"),
        pytest.param([["x"] * 51] * 2, "declares 102 strings", id="102 alternatives"),
    ],
)
def test_tokens_that_are_not_a_list_of_texts_are_rejected(
    tokens: object, objection: str
) -> None:
    assert objection in objection_to_tokens("x", tokens)


# Gate 8 counts alternative tokens that contain each other in linear time.
#
# An answer must contain exactly one of the alternatives `["yes", "no"]`, so the gate counts those
# that it contains. With `["+", "++", "+++"]`, each occurs in all longer ones, at several places.


def judge_answer_with_all_alternatives(repetitions: int) -> None:
    """Judge an answer with 40 alternatives from `+` to `+++…`, each of them many times.

    Two repetitions of the first three are `+ + ++ ++ +++ +++`.
    """
    alternatives = ["+" * length for length in range(1, 41)]
    words: list[str] = []
    for alternative in alternatives:
        words += [alternative] * repetitions

    objection = objection_to_tokens(" ".join(words), tokens=[alternatives])

    assert "holds 40 of the alternatives" in objection


def test_counting_alternatives_that_contain_each_other_is_linear_work() -> None:
    """Twice as many repetitions must not take much more than twice the work."""
    assert_linear(judge_answer_with_all_alternatives, 50)


# Gate 8: if the request shows a form with a placeholder, the answer fills it in.
#
# "How many? Answer as <COUNT:%d>." demands an answer such as `<COUNT:3>`, which a program can read:
# `%d` is a number, and `%s` a text. The answer "3" is sent back to the model, although it may be
# right.


@pytest.mark.parametrize(
    ("instruction", "answer"),
    [
        ("How many? Answer as <COUNT:%d>.", "<COUNT:3>"),
        ("How many? Answer as <COUNT:%d>.", "There are <COUNT:3> of them."),
        ("Wie viele? Antworte als [ANZAHL: %d].", "[ANZAHL: 3]"),
        ("Combien ? <NOMBRE:%d>", "<NOMBRE:3>"),
        ("Answer <A:%d> or <B:%s>.", "<B:none>"),  # One of several is enough.
    ],
)
def test_an_answer_that_fills_the_placeholder_passes(
    instruction: str, answer: str
) -> None:
    objection = objection_to_form(instruction, answer)

    assert "fill the placeholder in" not in objection


@pytest.mark.parametrize(
    ("instruction", "answer"),
    [
        ("How many? Answer as <COUNT:%d>.", "3"),
        ("How many? Answer as <COUNT:%d>.", "<COUNT:three>"),  # "three" is no number.
        ("Wie viele? Antworte als [ANZAHL: %d].", "3"),
    ],
)
def test_an_answer_that_does_not_fill_the_placeholder_is_rejected(
    instruction: str, answer: str
) -> None:
    objection = objection_to_form(instruction, answer)

    assert "fill the placeholder in" in objection


# Gate 8: a refusal need not fill in the form that its request shows.
#
# "How many? Answer as <COUNT:%d>." demands an answer such as `<COUNT:3>`. A script that refuses the
# request has no number, so the gate does not apply: whether a form is demanded or only quoted, and
# whether the answer fills it or not.


@pytest.mark.parametrize(
    ("instruction", "answer"),
    [
        # The answer fills the form.
        ("How many? Answer as <COUNT:%d>.", "<COUNT:3>"),
        ("How many? Answer as <COUNT:%d>.", "There are <COUNT:3> of them."),
        ("Wie viele? Antworte als [ANZAHL: %d].", "[ANZAHL: 3]"),
        ("Combien ? <NOMBRE:%d>", "<NOMBRE:3>"),
        ("Answer <A:%d> or <B:%s>.", "<B:none>"),
        # The answer does not fill the form.
        ("How many? Answer as <COUNT:%d>.", "3"),
        ("How many? Answer as <COUNT:%d>.", "<COUNT:three>"),
        ("Wie viele? Antworte als [ANZAHL: %d].", "3"),
        # No form is demanded.
        ('They said "answer with <COUNT:%d> and so on". How many?', "3"),
        ("How many?\n> Answer as <COUNT:%d>.\n", "3"),
        ("How many?\n```\nAnswer as <COUNT:%d>.\n```", "3"),
        ("How many? Answer as %d.", "three"),
        ("How many? Answer as <COUNT:n>.", "3"),
    ],
)
def test_a_refusal_need_not_fill_the_placeholder(instruction: str, answer: str) -> None:
    scratchpad = valid_scratchpad(answer=answer, outcome="OUTCOME_NONE_UNSUPPORTED")

    judgement = judge_scratchpad(scratchpad, instruction=instruction)

    assert verdict_of(judgement, 8).result == "not_applicable"


# Rule `6/wording`: a clarification asks the user something.
#
# A submission with the outcome `OUTCOME_NONE_CLARIFICATION` has a question to the user for its
# answer, such as "b-104 or b-105?". To the answer "b-104" the rule objects that it "asks nothing".


def test_a_clarification_of_one_word_is_objected_to() -> None:
    objection = objection_to_wording("OUTCOME_NONE_CLARIFICATION", answer="b-104")

    assert "asks nothing" in objection


@pytest.mark.parametrize(
    "answer",
    [
        "b-104 or b-105?",
        "Which?",
        # Chinese has no blanks: each of these is a whole sentence.
        "您要借b-104还是b-105？",
        "请说明是哪一本书：b-104，b-105。",
    ],
)
def test_a_clarification_that_asks_something_passes(answer: str) -> None:
    objection = objection_to_wording(
        "OUTCOME_NONE_CLARIFICATION", answer, instruction="Lend me the book."
    )

    assert objection == ""


def test_a_refusal_that_is_not_a_clarification_may_be_one_word() -> None:
    objection = objection_to_wording("OUTCOME_NONE_UNSUPPORTED", answer="b-104")

    assert objection == ""


# Rule `6/internal-error`: a trial gives up only if the environment has failed.
#
# A script gives up with the outcome `OUTCOME_ERR_INTERNAL`. If a call failed because the environment
# was out of order, the rule objects once, "for failed tooling alone"; otherwise it always objects.


def test_giving_up_after_a_failed_call_is_objected_to_once() -> None:
    """The failed call may succeed if it is made again. So the first objection asks for that,
    and if the model gives up again, it may."""
    calls = CallsOfTrial()
    calls.fail("read", "/desk/order.json", code="unavailable")
    giving_up = valid_scratchpad(
        outcome="OUTCOME_ERR_INTERNAL", answer="the desk does not respond"
    )

    first_judgement = judge_scratchpad(giving_up, calls)
    second_judgement = judge_scratchpad(giving_up, calls, internal_errors_before=1)

    first_objection = objection_of(first_judgement, "6/internal-error")
    assert "for failed tooling alone" in first_objection
    assert objection_of(second_judgement, "6/internal-error") == ""


def test_giving_up_while_no_call_has_failed_is_always_objected_to() -> None:
    """The rule objects for the fourth time, after the model has given up three times before."""
    calls = CallsOfTrial()
    # The environment works: the script asked for a file that does not exist.
    calls.fail("read", "/nowhere.md", code="not_found")
    giving_up = valid_scratchpad(
        outcome="OUTCOME_ERR_INTERNAL", answer="the desk does not respond"
    )

    judgement = judge_scratchpad(giving_up, calls, internal_errors_before=3)

    objection = objection_of(judgement, "6/internal-error")
    assert "No call of the environment has failed" in objection


def test_the_rule_on_giving_up_does_not_apply_to_another_outcome() -> None:
    """The environment has failed, but the trial answers nevertheless."""
    calls = CallsOfTrial()
    calls.fail("read", "/desk/order.json", code="unavailable")

    judgement = judge_scratchpad(valid_scratchpad(outcome="OUTCOME_OK"), calls)

    assert verdict_of(judgement, "6/internal-error").result == "not_applicable"


# Rule `6/wording`: an answer does not consist of names of outcomes.
#
# A script submits its outcome, such as `OUTCOME_OK`, in a field of its own. The answer is what the
# user reads, to whom such a name says nothing.


@pytest.mark.parametrize(
    ("outcome", "answer"),
    [
        ("OUTCOME_OK", "OUTCOME_NONE_UNSUPPORTED"),
        ("OUTCOME_NONE_CLARIFICATION", "OUTCOME_OK"),
    ],
)
def test_an_answer_that_names_an_outcome_is_objected_to(
    outcome: str, answer: str
) -> None:
    assert "names an outcome class" in objection_to_wording(outcome, answer)


def test_a_refusal_may_name_its_outcome() -> None:
    """Some tasks want nothing but the name of the outcome as the answer to a forbidden
    request."""
    objection = objection_to_wording(
        "OUTCOME_DENIED_SECURITY", answer="OUTCOME_DENIED_SECURITY"
    )

    assert objection == ""


def test_an_answer_may_name_an_outcome_that_the_request_names() -> None:
    objection = objection_to_wording(
        "OUTCOME_OK",
        answer="It is OUTCOME_OK.",
        instruction="Say whether OUTCOME_OK is a class.",
    )

    assert objection == ""


# Gate 6: an answer is a text of bounded length that UTF-8 can encode.
#
# A script submits an answer, which the user reads. The number 21 instead of a text goes back to the
# model with the message "the number `21`".


@pytest.mark.parametrize(
    ("answer", "objection"),
    [
        pytest.param(21, "the number `21`", id="number"),
        pytest.param(None, "missing", id="None"),
        pytest.param(["21"], "a list of 1", id="list"),
        pytest.param(object(), "missing", id="object"),
        pytest.param("", "is empty", id="empty"),
        pytest.param(" \n", "is empty", id="blank"),
        pytest.param(
            "a\ud800b", "lone surrogate at character 1", id="not encodable as UTF-8"
        ),
        pytest.param("x" * 10_000_000, "10000000 characters", id="too long"),
    ],
)
def test_an_answer_that_cannot_be_sent_is_rejected(
    answer: object, objection: str
) -> None:
    judgement = judge_scratchpad(valid_scratchpad(answer=answer))

    assert objection in objection_of(judgement, 6)


# An answer that was recorded without its trial is judged as that of a trial without calls.
#
# A record has the request, the answer and the score that a grader gave it, but no calls. So the
# gates judge by the form of the answer and the outcome that it claims, not by what was read.


def is_accepted(folder: Path, **record: object) -> bool:
    """Write a record into a file, as a line of JSON; read it, and judge it."""
    # The gates ignore further keys: here `grader`, which has what the grader expected.
    record |= {"id": "a", "grader": ["7"]}
    file = folder / "answers.jsonl"
    file.write_text(json.dumps(record) + "\n")
    (answer,) = read_scored(file)
    return judge_recorded(answer).accepted


def test_a_right_answer_is_accepted(tmp_path: Path) -> None:
    assert is_accepted(
        tmp_path,
        task_text="How many? Answer with `%d` only.",
        outcome="OUTCOME_OK",
        message="7",
        refs=[],
        score=1.0,
    )


def test_an_answer_in_another_form_than_the_requested_one_is_rejected(
    tmp_path: Path,
) -> None:
    """This record lacks `refs`, the cited files, as some do."""
    assert not is_accepted(
        tmp_path,
        task_text="How many? Answer with `%d` only.",
        outcome="OUTCOME_OK",
        message="OUTCOME_OK: 7",
        score=0.0,
    )


def test_an_answer_that_cites_a_file_twice_is_rejected(tmp_path: Path) -> None:
    assert not is_accepted(
        tmp_path,
        task_text="How many?",
        outcome="OUTCOME_OK",
        message="7",
        refs=["/a.md", "/a.md"],
        score=0.4,
    )


def test_an_answer_that_gives_up_is_rejected(tmp_path: Path) -> None:
    """Only a failed call excuses the outcome `OUTCOME_ERR_INTERNAL`, and a record has no calls."""
    assert not is_accepted(
        tmp_path,
        task_text="How many?",
        outcome="OUTCOME_ERR_INTERNAL",
        message="no idea",
        refs=[],
        score=0.0,
    )


# A record that a trial read has the same fields and values in every format.
#
# The gates, which compare an answer with what was read, take `{"id": "task-7"}`, `id: task-7` and a
# table with the column `id` for the same record. Texts of other forms are not records, so that words
# of prose are not taken for values.


@pytest.mark.parametrize(
    ("text", "path"),
    [
        pytest.param(
            '{"id": "task-7", "owner_id": "user-3", "state": "open"}',
            "/a.json",
            id="JSON",
        ),
        pytest.param(
            '{"id":"task-7","owner_id":"user-3","state":"open"}',
            "/a.json",
            id="JSON without blanks",
        ),
        pytest.param(
            '\n{\n\t"id" :\t"task-7",\n"owner_id"\n:"user-3","state":"open"}\n',
            "/a",
            id="JSON in many lines, without an extension",
        ),
        pytest.param(
            "id: task-7\nowner_id: user-3\nstate: open\n", "/a.yaml", id="YAML"
        ),
        pytest.param(
            "id: task-7\nowner_id: user-3\n\nstate: open",
            "/a.txt",
            id="lines of a text",
        ),
        pytest.param(
            "---\nid: task-7\nowner_id: user-3\nstate: open\n---\n",
            "/a.md",
            id="front matter of Markdown",
        ),
        pytest.param(
            "id;owner_id;state\ntask-7; user-3 ;open\ncut;row\n",
            "/a.csv",
            id="table with an incomplete last row",
        ),
    ],
)
def test_a_record_has_the_same_values_in_every_format(text: str, path: str) -> None:
    record = parse(text, path)

    assert record == (("id", "task-7"), ("owner_id", "user-3"), ("state", "open"))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("Plain words.", id="prose"),
        pytest.param("# Title\nkey: value", id="page with a title"),
        pytest.param('{"cut": ', id="cut off"),
        pytest.param("{" * 50_000, id="only brackets"),
        pytest.param(f'{{"a": "{"x" * bounds.MOST_RECORD_CHARS}"}}', id="too long"),
    ],
)
def test_texts_without_the_form_of_a_record_are_not_records(text: str) -> None:
    assert parse(text) == ()


# A text that may be a record comes from anybody, so reading it takes bounded time.
#
# `parse('{"id": "task-7"}', "/a.json")` returns the fields of a record. It must not raise, whatever
# the text is, and twice as long a text may take only twice the work.


@pytest.mark.parametrize(
    ("beginning", "piece", "end", "path"),
    [
        pytest.param('{"a": [', "1,", "1]}", "/a.json", id="long list"),
        pytest.param("", "a: b\n", "", "/a.md", id="many lines"),
        pytest.param("", "| a | b |\n", "", "/a.md", id="long table of Markdown"),
        pytest.param("", " ", "{", "/a", id="blanks"),
        pytest.param("", "[", "", "/a.json", id="only brackets"),
    ],
)
def test_parsing_a_hostile_text_is_linear_work(
    beginning: str, piece: str, end: str, path: str
) -> None:
    """The piece is repeated many times between the beginning and the end."""
    assert_linear(lambda count: parse(beginning + piece * count + end, path), 1_000)


@pytest.mark.parametrize("opening", ["", "{", "[", "a: "])
@given(
    text=st.text(max_size=300),
    path=st.sampled_from(["/a.json", "/a.csv", "/a.md", "/a"]),
)
def test_any_text_can_be_parsed(opening: str, text: str, path: str) -> None:
    """No text makes the parser raise, whatever format its beginning and its path promise."""
    for _name, value in parse(opening + text, path):
        assert isinstance(value, str)


# The command `python -m controlplane.gates` starts without libraries that are slow to import.
#
# The libraries take a second to import, and most uses of the command do not need them.

SCRIPT = """
import sys
import controlplane.gates.__main__
for library in ("pydantic", "openai", "rich", "httpx2"):
    if library in sys.modules:
        print(library)
"""
"""Prints the slow libraries that the command has imported."""


def test_the_command_starts_without_importing_slow_libraries() -> None:
    assert run_python("-c", SCRIPT).out.strip() == ""


# `python -m controlplane.gates score FILE` tells how many wrong answers the gates catch.
#
# The file has a recorded answer a line, with the score that a grader gave it: an answer that scores 1
# is right, one that scores 0 is wrong. The gates catch a wrong answer if they reject it.

RIGHT = {"outcome": "OUTCOME_OK", "message": "7", "score": 1.0}
WRONG_FORM = {"outcome": "OUTCOME_OK", "message": "OUTCOME_OK: 7", "score": 0.0}
"""The request wants a number alone."""
GIVEN_UP = {"outcome": "OUTCOME_ERR_INTERNAL", "message": "no idea", "score": 0.0}
"""An answer may give up only after a call that failed, and none is recorded."""
HALF_RIGHT = {
    "outcome": "OUTCOME_OK",
    "message": "7",
    "score": 0.4,
    "refs": ["/a.md", "/a.md"],
}
"""Rejected, because it cites a file twice, but neither right nor wrong by its score."""


def file_of(folder: Path, *answers: dict[str, object]) -> Path:
    """Write a file with these answers to one request, each a line of JSON."""
    file = folder / "answers.jsonl"
    lines: list[str] = []
    for number, answer in enumerate(answers):
        request = {"id": str(number), "task_text": "How many? Answer with `%d` only."}
        lines.append(json.dumps({**request, **answer}) + "\n")
    file.write_text("".join(lines))
    return file


def test_score_prints_how_many_wrong_answers_were_caught(tmp_path: Path) -> None:
    file = file_of(tmp_path, WRONG_FORM, GIVEN_UP, RIGHT, HALF_RIGHT)

    scored = CliRunner().invoke(main, ["score", str(file)])

    assert "caught 2 of 2 wrong" in scored.output


def test_score_prints_json_for_other_programs(tmp_path: Path) -> None:
    file = file_of(tmp_path, WRONG_FORM, RIGHT)

    scored = CliRunner().invoke(main, ["score", str(file), "--json"])

    report = json.loads(scored.output)
    assert report["caught"] == 1


# `python -m controlplane.gates score FILE` names a wrong file, line or option, and exits with 2.
#
# The file has a recorded answer a line, as JSON. A line such as "This is not an answer." in
# `notes.txt` is named as `notes.txt:1:`, without a traceback.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["/nowhere.jsonl"], "/nowhere.jsonl", id="no such file"),
        pytest.param(["notes.txt"], "notes.txt:1:", id="line without an answer"),
        pytest.param(
            ["notes.txt", "--rule-sets", "nonesuch"],
            "no rule set is called 'nonesuch'",
            id="unknown rule set",
        ),
        pytest.param(
            ["notes.txt", "--rule-sets", "nowhere.at:ALL"],
            "cannot be loaded",
            id="rule set of a missing module",
        ),
    ],
)
def test_wrong_input_is_reported_without_a_traceback(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("This is not an answer.")

    result = CliRunner().invoke(main, ["score", *arguments])

    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output


# Syntax trees of Python are built by many threads at the same time.
#
# CPython 3.11 keeps the depth of the tree under construction in one place for all threads, so that
# `ast.parse` may end with a `SystemError` when two threads call it at once. The project's own
# functions build one tree after the other.

THREAD_COUNT = 4
PARSE_COUNT = 400
NESTED_SUM = "(" * 60 + "1" + " + 1)" * 60
"""`((…(1 + 1)… + 1) + 1)`, 60 levels deep."""


def test_threads_build_trees_at_the_same_time() -> None:
    """Four threads parse the nested sum 400 times, as a program and as an expression."""

    def parse_nested_sum(_: int) -> tuple[str, ...]:
        gc.collect(0)  # makes threads switch in the middle of a parse more often
        parse_program(f"total = {NESTED_SUM}")
        return parse_expression(NESTED_SUM)._fields

    with ThreadPoolExecutor(THREAD_COUNT) as threads:
        fields_of_trees = list(threads.map(parse_nested_sum, range(PARSE_COUNT)))

    assert len(fields_of_trees) == PARSE_COUNT
    for fields in fields_of_trees:
        assert fields == ("body",)


# Which changes of a trial count as undone: an answer has to report all others.
#
# A trial may write into a file, or delete it, and change its mind. Its changes are undone if the
# file ends as it began: a new file is deleted again, or the text that was read at first is written
# back. The changes that are not undone are the `present_changes`.


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param([written("new")], id="written text known"),
        pytest.param([], id="written text unknown"),
    ],
)
def test_a_new_file_that_was_deleted_again_counts_as_undone(
    texts: list[SeenText],
) -> None:
    """The file was new: the trial read no text in it before it wrote its own."""
    evidence = evidence_of(changes=["write", "delete"], texts=texts)

    assert [evidence.is_undone(change) for change in evidence.changes] == [True, True]
    assert evidence.present_changes == ()


@pytest.mark.parametrize(
    ("changes", "texts"),
    [
        pytest.param(
            ["write", "write"],
            [read("one\ntwo\n"), written("junk"), written("one\ntwo\n")],
            id="overwritten, and written back",
        ),
        pytest.param(
            ["delete", "write"],
            [read("one\ntwo\n"), written("one\ntwo")],
            id="deleted, and written back without the last line end",
        ),
        pytest.param(
            ["delete", "write"],
            [read("one\ntwo\n"), written("one\ntwo"), read_beginning("one\nt")],
            id="deleted, written back, and read in part afterwards",
        ),
    ],
)
def test_a_file_that_was_restored_counts_as_undone(
    changes: list[ChangingAction], texts: list[SeenText]
) -> None:
    evidence = evidence_of(changes=changes, texts=texts)

    assert [evidence.is_undone(change) for change in evidence.changes] == [True, True]
    assert evidence.present_changes == ()
