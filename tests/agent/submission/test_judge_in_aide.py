"""What an aide judges with: the texts that it was sent before, or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agent.submission.judge_in_aide import _TEXTS, _Listed, judge_submission
from gates.evidence import Evidence, SeenText, Touch
from gates.submission import Submission
from gates.transport import evidence_data, submission_data, text_data

TEXT = SeenText("the word is heron")
NOTE = Evidence(has_trace=True, touches={"/note.txt": Touch("/note.txt", frozenset({"read"}), (TEXT,))})
GIVEN = submission_data(Submission(answer="heron", outcome="OUTCOME_OK", refs_why={"/note.txt": "the word is heron"}))
CASE = ["Which word is it?", "", "", 0, ""]


@pytest.fixture(autouse=True)
def new_process() -> Iterator[None]:
    yield
    _TEXTS.clear()
    _Listed.paths = None


def judged(first: int, texts: list[str], *, with_paths: bool = True) -> Any:
    told = [text_data(TEXT)] * len(texts)
    data = evidence_data(NOTE, lambda seen: 0, with_paths=with_paths)
    return judge_submission((first, told), GIVEN, data, CASE, [], texts)


def test_texts_and_listed_paths_are_kept_for_the_next_submission() -> None:
    first = judged(0, [TEXT.text])
    assert first is not None
    assert all(verdict[2] != "reject" for verdict in first[0])
    assert judged(1, [], with_paths=False) == first


@pytest.mark.parametrize(("first", "texts", "with_paths"), [(1, [], True), (0, [TEXT.text], False)])
def test_a_process_without_what_was_sent_before_says_so(first: int, texts: list[str], with_paths: bool) -> None:
    assert judged(first, texts, with_paths=with_paths) is None
