"""Gate 2: each fact that a script submits says how it is known.

A fact is `{"days": {"value": 21, "description": …, "source": "/docs/Loans.md", "confidence":
"verified"}}`. A verified fact names a file that was read or a tool that was run, a derived fact
names what it was computed from, and a pending fact has no value yet.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.submitted_facts import (
    assert_accepted,
    assert_rejected,
    fact,
    fact_derived_from,
    pending_fact,
)


class TestVerifiedFacts:
    """A verified fact names a file that was read or a program that was run.

    `fact()` is "a loan runs 21 days": `{"value": 21, "description": "days of a loan", "source":
    "/docs/Loans.md", "confidence": "verified"}`. The trial has read this file, and run
    `/bin/query`. The gate checks how a fact is known, and not what it says.
    """

    @pytest.mark.parametrize(
        "facts",
        [
            pytest.param({}, id="no facts"),
            pytest.param({"days": fact() | {"note": "extra"}}, id="a further key"),
            pytest.param({"days": fact(value=False)}, id="the value is False"),
        ],
    )
    def test_facts_may_have_any_value_and_further_keys(self, facts: object) -> None:
        assert_accepted(facts)

    @pytest.mark.parametrize(
        "source",
        [
            pytest.param("/docs/Loans.md", id="a file that was read"),
            pytest.param(["/docs/Loans.md"], id="a list of one file"),
            pytest.param(
                [None, " ", "/docs/Loans.md"], id="blank entries beside a file"
            ),
            pytest.param("/docs/loans.md", id="another case"),
            pytest.param("/docs/Loans.md#line=1", id="a line of a file"),
            pytest.param("/bin/query", id="a tool that was run"),
        ],
    )
    def test_a_verified_fact_names_what_was_read_or_run(self, source: object) -> None:
        assert_accepted({"days": fact(source=source)})


class TestDerivedFacts:
    """A derived fact names what it was computed from.

    This is another fact, alone or in a formula, a file that was read, the task, or the identity
    of who asks. `fact()` is the verified fact "a loan runs 21 days", and
    `fact_derived_from("days")` a fact with the source `days`.
    """

    @pytest.mark.parametrize(
        "facts",
        [
            pytest.param(
                {"who": fact_derived_from("task")},
                id="from the task",
            ),
            pytest.param(
                {"who": fact_derived_from("the task text")},
                id="from the task, in other words",
            ),
            pytest.param(
                {"who": fact_derived_from("Identity")},
                id="from the identity of who asks",
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
    def test_a_derived_fact_names_what_it_was_computed_from(
        self, facts: object
    ) -> None:
        assert_accepted(facts)


class TestPendingFacts:
    """A pending fact is one that the script has not looked up yet."""

    @pytest.mark.parametrize(
        "days",
        [
            pytest.param(
                pending_fact(None),
                id="value and source are None",
            ),
            pytest.param(
                {"description": "not looked up yet", "confidence": "pending"},
                id="no value and no source",
            ),
        ],
    )
    def test_a_pending_fact_needs_no_value_and_no_source(self, days: object) -> None:
        """The script has not looked up yet how many days a loan runs."""
        assert_accepted({"days": days})


class TestInvalidFields:
    """A fact with a missing or invalid field is rejected.

    `fact()` is right: `{"value": 21, "description": "days of a loan", "source":
    "/docs/Loans.md", "confidence": "verified"}`. Each case changes one field.
    """

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
        self, facts: object, reason: str
    ) -> None:
        """The message says which field is wrong, so that the model can correct it."""
        assert_rejected(facts, reason)


class TestUnreadSources:
    """A verified fact is rejected if the trial has not read its source.

    The trial has read `/docs/Loans.md`. It wrote `/tmp/own.txt` itself, so that this file proves
    nothing.
    """

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
        self, source: object, reason: str
    ) -> None:
        """The trial has read `/docs/Loans.md`. Without having read the source of a fact, the script
        cannot know that it states the fact. `/tmp/own.txt` has what the trial itself wrote."""
        assert_rejected({"days": fact(source=source)}, reason)


class TestUnknownOrigins:
    """A derived fact is rejected if what it comes from is not known itself.

    `fact_derived_from("b")` has the source `b`, which has to be another fact with a value, a
    file that was read, the task, or the identity of who asks.
    """

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
                id="from a name in another case",
            ),
            pytest.param(
                {
                    "a": pending_fact(None),
                    "b": fact_derived_from("a"),
                },
                id="from a pending fact",
            ),
            pytest.param(
                {
                    "a": pending_fact("task"),
                    "b": fact_derived_from("a"),
                },
                id="from a pending fact about the task",
            ),
        ],
    )
    def test_a_derived_fact_without_a_known_origin_is_rejected(
        self, facts: object
    ) -> None:
        """Facts that are derived from each other, or from one without a value, prove nothing. Nor
        does `/tmp/own.txt`, which the trial itself wrote."""
        assert_rejected(facts, "is no known fact")

    def test_the_rejection_of_a_derived_fact_quotes_its_source(self) -> None:
        assert_rejected({"days": fact_derived_from("a guess")}, "`a guess`")
