"""Submissions, evidence and verdicts come back from data as they were."""

from __future__ import annotations

import json

import pytest

from gates.submission import Foreign, Submission
from gates.transport import (
    submission_data,
    submission_of,
    verdicts_of,
)
from tests.gates.sample_trials import Verify, pad


def through_json(value: object) -> object:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize(
    "given",
    [
        pad(),
        pad(facts={"$foreign": "x", "a": {"$dict": [1, {"$b": None}]}}, tokens=[["ja"], 3.5, True]),
        pad(answer=object(), refs_why={"/a": {1, 2}}),
        {},
    ],
)
def test_a_submission_comes_back_with_what_gate_1_knows_of_its_verify(given: dict[str, object]) -> None:
    for verify in (None, Verify(), Verify(is_callable=False), Verify(takes_one_argument=False)):
        submission = Submission.from_scratchpad(given, verify)
        back = submission_of(through_json(submission_data(submission)))
        assert submission_data(back) == submission_data(submission)
        assert (back.citations, back.answer_text, back.from_script) == (
            submission.citations,
            submission.answer_text,
            True,
        )
        assert (back.probe is None) is (verify is None)
        if verify is not None and back.probe is not None:
            assert back.probe.is_callable is verify.is_callable
            assert back.probe.takes_one_argument is verify.takes_one_argument


def test_a_foreign_value_stays_one_and_a_mapping_that_looks_like_one_does_not_become_one() -> None:
    submission = Submission(answer=object(), facts={"a": {"$foreign": "int"}})
    back = submission_of(through_json(submission_data(submission)))
    assert back.answer == Foreign("object")
    assert back.facts == {"a": {"$foreign": "int"}}


@pytest.mark.parametrize(
    "rows",
    [
        {},
        "x",
        [[]],
        [[6, "x", "reject", "why"]],
        [["6", "x", "reject", "why", "ask"]],
        [[6, "x", "maybe", "why", "ask"]],
        [[6, "x", "reject", "why", "often"]],
    ],
)
def test_rows_of_another_form_are_no_verdicts(rows: object) -> None:
    with pytest.raises(ValueError, match="another form"):
        verdicts_of(rows)
