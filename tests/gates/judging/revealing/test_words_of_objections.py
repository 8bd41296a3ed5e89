"""Objections must not give the right answer away.

A model that submits wrong answers gets objections to them. If an objection named the right outcome,
such as `OUTCOME_DENIED_SECURITY`, or a value of a record, the model could copy it instead of
reading. The objections to 200 mostly wrong answers, drawn at random in an invented shop, are read
here.
"""

from __future__ import annotations

from controlplane.gates.submission import OUTCOMES
from tests.gates.judging.revealing.drawn_objections import (
    drawn_objections,
    in_each_batch,
)
from tests.gates.judging.revealing.secret_records import SECRET_VALUES


@in_each_batch
def test_an_objection_names_no_outcome_but_the_submitted_one(
    first_seed: int, heavy: bool
) -> None:
    for seed, submitted_outcome, verdict in drawn_objections(first_seed, heavy):
        other_words = verdict.reason.replace(submitted_outcome, "")

        for outcome in OUTCOMES:
            assert outcome not in other_words, (seed, verdict)


@in_each_batch
def test_an_objection_names_no_value_that_occurs_only_in_records(
    first_seed: int, heavy: bool
) -> None:
    """Such a value is a word with `zq`, or an odd number such as 48213 cents."""
    for seed, _outcome, verdict in drawn_objections(first_seed, heavy):
        if verdict.key == "5":
            continue  # Gate 5 may quote the submitted reason, which has words of the record.

        for value in SECRET_VALUES:
            assert value not in verdict.reason, (seed, verdict)
