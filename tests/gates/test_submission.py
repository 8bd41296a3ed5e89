"""What is handed in can always be judged and sent."""

import pytest

from gates.submission import Submission, fault_of_reason
from tests.gates.sample_trials import judged, pad


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
