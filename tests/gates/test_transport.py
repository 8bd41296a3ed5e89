"""Submissions, evidence and verdicts are plain data, and come back from it as they were."""

import enum
import json

import pytest

from gates.evidence import Evidence
from gates.submission import (
    MAX_VALUES,
    PlainCopier,
    Submission,
    fault_of_reason,
    quote,
)
from gates.transport import (
    submission_data,
    submission_of,
    verdicts_of,
)
from tests.gates.sample_trials import Calls, Verify, judged, pad


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


@pytest.mark.parametrize("answer", [None, 7, ["a"], "\ud800", "é"])
def test_a_submission_can_always_be_sent(answer: object) -> None:
    judged(pad(answer=answer)).answer.encode("utf-8")


def test_citations_are_reasons_by_path_or_a_list_of_paths() -> None:
    assert Submission(refs=["/a", 7, "/b"]).citations == ("/a", "/b")
    assert Submission(refs=["/a"], refs_why={"/c": "why"}).citations == ("/c",)
    assert Submission(refs_why="/c").citations == ()


@pytest.mark.parametrize(
    ("reason", "named"),
    [("21 days.", ""), ("21 days", "under 8 characters"), ("   21 days ", "under 8"), (21, "the number `21`")],
)
def test_a_reason_is_text_of_eight_characters(reason: object, named: str) -> None:
    found = fault_of_reason("/a.md", reason)
    assert named in found
    assert bool(found) is bool(named)


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    calls = Calls()
    calls.list("/docs", "/docs/Loans.md", folders=("/docs/old",))
    calls.read("/docs/Loans.md", "/notes/c#.md", "/a/x.md", "/b/X.md")
    return calls.evidence


@pytest.mark.parametrize(
    ("reference", "path", "fragment", "is_read"),
    [
        ("/docs/Loans.md", "/docs/Loans.md", "", True),
        ("/docs/Loans.md#row=7", "/docs/Loans.md", "#row=7", True),
        ("/docs//loans.md#row=7", "/docs/Loans.md", "#row=7", True),
        ("/notes/c#.md", "/notes/c#.md", "", True),
        ("/notes/c#.md#row=1", "/notes/c", "#.md#row=1", False),
        ("/nowhere/y.md#1", "/nowhere/y.md", "#1", False),
    ],
)
def test_a_reference_is_a_known_path_and_a_fragment(
    reference: str, path: str, fragment: str, is_read: bool, evidence: Evidence
) -> None:
    found = evidence.find(reference)
    assert (found.path, found.fragment, found.touch is not None) == (path, fragment, is_read)
    assert found.citation == path + fragment


def as_list(count: int) -> list[int]:
    return [0] * count


def as_tuple(count: int) -> tuple[int, ...]:
    return (0,) * count


def as_dict(count: int) -> dict[str, int]:
    return {str(number): 0 for number in range(count)}


@pytest.mark.parametrize("make", [as_list, as_tuple, as_dict])
@pytest.mark.parametrize(
    ("count", "kept", "last"),
    [(MAX_VALUES - 1, MAX_VALUES - 1, 0), (MAX_VALUES, MAX_VALUES - 1, 0), (MAX_VALUES + 9, MAX_VALUES - 1, 0)],
)
def test_data_beyond_the_size_limit_is_left_out(make: object, count: int, kept: int, last: object) -> None:
    copy = PlainCopier().copy(make(count))
    values = list(copy.values()) if isinstance(copy, dict) else copy
    assert isinstance(values, list)
    assert (len(values), values[-1]) == (kept, last)


class Fee(enum.IntEnum):
    LATE = 7


class Days(float):
    pass


class Name(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Fee.LATE, 7),
        (Days(2.5), 2.5),
        (Name("Ada"), "Ada"),
        ({Name("a"): Fee.LATE}, {"a": 7}),
        (b"a", None),
        ({"a": {1, 2}}, {"a": None}),
    ],
)
def test_subclasses_of_plain_types_are_copied_as_plain_data(value: object, plain: object) -> None:
    copy = PlainCopier().copy(value)
    assert copy == plain
    assert type(copy) is type(plain)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\n`c`\r", "a\\tb\\n'c'\\r"),
        ("x" * 80, "x" * 80),
        ("x" * 81, "x" * 79 + "…"),
        ("\x1f \x7f\x9f\xa0", "\\u001f \\u007f\\u009f\xa0"),
        ("\ud7ff\ud800\udfff\ue000", "\ud7ff\\ud800\\udfff\ue000"),
    ],
)
def test_signs_that_cannot_be_seen_or_sent_are_spelt_out(text: str, shown: str) -> None:
    assert quote(text) == f"`{shown}`"
