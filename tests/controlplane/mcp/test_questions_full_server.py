"""A server of `controlplane mcp docs` takes a limited number of open questions, here three.

Each has memory and a process. One question too many gets "... questions are open: submit the answer of
one first".
"""

from pathlib import Path

import pytest

from controlplane.sandbox.interface import bounds
from tests.controlplane.mcp.client_here import client_here, question_id_of, text_of

MOST_OPEN_QUESTIONS = 3


@pytest.fixture(autouse=True)
def few_open_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a server take three open questions, so that it is soon full."""
    monkeypatch.setattr(bounds, "MOST_OPEN_QUESTIONS", MOST_OPEN_QUESTIONS)


def test_one_question_too_many_is_refused(tmp_path: Path) -> None:
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        for _ in range(MOST_OPEN_QUESTIONS):
            assert not client.call("begin", question="What is the fee?").is_error

        refusal = client.text("begin", question="One more?")

    assert "3 questions are open: submit the answer of one first" in refusal


def test_answered_question_makes_room_for_another_one(tmp_path: Path) -> None:
    with client_here(tmp_path, {"a.md": "The fee is 49 EUR.\n"}) as client:
        question_ids = []
        for _ in range(MOST_OPEN_QUESTIONS):
            opened = client.call("begin", question="What is the fee?")
            question_ids.append(question_id_of(opened))
        # Neither the oldest nor the newest, which a server might take by mistake.
        _oldest, second, _newest = question_ids
        client.call(
            "execute_script",
            code="print(harness.read('/a.md').content)",
            question_id=second,
        )
        answer = client.call(
            "submit_answer",
            answer="49 EUR",
            citations=[{"path": "/a.md", "reason": "the fee is 49 EUR"}],
            question_id=second,
        )

        one_more = client.call("begin", question="One more?")

    assert not answer.is_error, text_of(answer)
    assert not one_more.is_error, text_of(one_more)
