"""A solver that does in one step all that a solver can do, and a model that it asks.

    solve_in_one_step(session, model=CountingModel())

1. It reads a file, and asks the model twice.
2. It cites a file that it has not read, which is refused, and so is its first submission.
3. It runs a program that changes something, cites the file that it has read, and submits again.
"""

import pytest

from controlplane.agent.loop import TrialSession
from controlplane.agent.model import Message, ModelError, ModelRequest, Reply, Usage
from controlplane.gates.submission import Submission

MESSAGES: list[Message] = [{"role": "user", "content": "which word?"}]


class CountingModel:
    """A model that counts its requests, and replies to each for a quarter of a dollar."""

    paid_reply = Reply(
        text="the word is heron",
        usage=Usage(prompt_tokens=3, completion_tokens=2),
        cost_usd=0.25,
    )

    def __init__(self) -> None:
        self.request_count = 0

    def reply(self, request: ModelRequest) -> Reply:
        self.request_count += 1
        return self.paid_reply

    def fail_with_price(self, request: ModelRequest) -> Reply:
        """Fail as an endpoint does whose reply has no text but must be paid.

        The session counts what the reply of the error costs.
        """
        self.request_count += 1
        error = ModelError("the reply has no text")
        error.test_reply = self.paid_reply
        raise error


def submission_citing(path: str, reason: str) -> Submission:
    """Return a submission of the right answer that cites one file for this reason."""
    reasons_by_path = {path: reason}
    return Submission(answer="heron", outcome="OUTCOME_OK", refs_why=reasons_by_path)


def solve_in_one_step(session: TrialSession, model: CountingModel) -> None:
    """Make two calls, two citations, two requests to the model, and two submissions.

    The first citation is of a file that was not read, and the first submission is rejected.
    """
    session.call("read", {"path": "/note.txt"})
    with pytest.raises(ValueError, match="not read"):
        session.check_citation("/draft.txt", "the draft of the word")
    for _ in range(2):
        session.ask(model.reply, ModelRequest(MESSAGES, role="parse"))
    rejected = session.submit(submission_citing("/draft.txt", "the draft of the word"))
    assert not rejected.accepted

    session.call("exec", {"path": "/bin/checkout", "args": [], "stdin": ""})
    reason = "the note says that the word is heron"
    path = session.check_citation("/note.txt", reason)
    accepted = session.submit(submission_citing(path, reason))
    assert accepted.accepted
