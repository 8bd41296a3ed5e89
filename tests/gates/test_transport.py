"""Submissions, evidence and verdicts come back from data as they were."""

from __future__ import annotations

import json

import pytest

from gates.evidence import Change, Evidence, Execution, Failure, FoundValue, SeenText, Touch
from gates.judging import find_objections
from gates.plain_data import Foreign
from gates.submission import Case, Submission
from gates.transport import (
    evidence_data,
    evidence_of,
    paths_of,
    submission_data,
    submission_of,
    text_data,
    verdict_data,
    verdicts_of,
)
from tests.gates.generated_trials import draw
from tests.gates.sample_trials import Verify, pad

TEXTS = [SeenText("a"), SeenText("b", is_whole=False, is_proof=False, echoed="x", is_excerpt=True)]
EVIDENCE = Evidence(
    True,
    {"/a": Touch("/a", frozenset({"read", "write"}), (TEXTS[0], TEXTS[1])), "/b": Touch("/b", frozenset({"delete"}))},
    {"/A": "/a"},
    {"/a": ("/a",), "/c": ("/c", "/C")},
    frozenset({"/d"}),
    (Change("/a", "write", ""), Change("/bin/x", "execute", "1 2")),
    (Execution("/bin/x", ("1", "2"), "changes", 0), Execution("/bin/y", (), "reads", 1, True, "no")),
    (Failure("read", "unavailable", "closed"),),
    (FoundValue("count_rows", "7", ("/a",)),),
    {"/a": ("a quotation",)},
)


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


@pytest.mark.parametrize("with_paths", [True, False])
def test_evidence_comes_back_as_it_was(with_paths: bool) -> None:
    data = evidence_data(EVIDENCE, TEXTS.index, with_paths=with_paths)
    texts = [SeenText(seen.text, *text_data(seen)) for seen in TEXTS]
    back = evidence_of(through_json(data), texts, None if with_paths else EVIDENCE.paths_by_spelling)
    assert back == EVIDENCE
    assert paths_of(data) == (EVIDENCE.paths_by_spelling if with_paths else {})


def test_what_is_judged_from_data_is_what_is_judged_from_objects() -> None:
    for seed in range(40):
        drawn = draw(seed)
        texts: list[SeenText] = [seen for touch in drawn.evidence.touches.values() for seen in touch.seen]
        data = through_json(evidence_data(drawn.evidence, texts.index))
        submission = submission_of(through_json(submission_data(drawn.submission())))
        here = find_objections(drawn.submission(), drawn.evidence, drawn.case)
        assert find_objections(submission, evidence_of(data, texts), drawn.case) == here


def test_verdicts_come_back_as_they_were() -> None:
    verdicts = find_objections(Submission(answer="OUTCOME_OK", outcome="no"), EVIDENCE, Case("How many?"))
    assert verdicts_of(through_json(verdict_data(verdicts))) == verdicts


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
