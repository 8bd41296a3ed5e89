"""The questions that MCP clients work on."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.mcp.questions.asking_client import AskingClient, BegunTrial
from controlplane.mcp.serving.client_tools import QUESTION_ID
from controlplane.sandbox.interface import CallError, error_codes


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that a client works on. Its trial has begun, and may be over by now.

    The client takes the place of a model: its calls decide what the trial does next.
    """

    question_id: str
    session: str | None
    """The client's session; None if the protocol names none."""
    client: AskingClient

    @property
    def trial(self) -> BegunTrial:
        """The question's trial, with its calls and its first message."""
        return self.client.trial.result()

    @property
    def is_over(self) -> bool:
        return self.trial.calls.are_over

    def is_worked_on_in(self, session: str | None) -> bool:
        """Return True if a client of this session can still answer the question."""
        is_of_session = session is not None and self.session == session
        return is_of_session and not self.is_over

    def leave(self) -> None:
        """End the trial without an answer from its client.

        The trial ends in its own thread, soon after this call.
        """
        self.client.has_left.set()  # If the trial waits for a call, it stops waiting.
        self.trial.calls.leave()


class OpenQuestions:
    """The open questions of one server, by their ids. Several clients may work at once.

    A question that is over stays until `forget_finished`, but is not found any more.
    """

    def __init__(self) -> None:
        self._questions: dict[str, OpenQuestion] = {}

    def __len__(self) -> int:
        return len(self._questions)

    def add(self, question: OpenQuestion) -> None:
        self._questions[question.question_id] = question

    def find(self, question_id: str, session: str | None) -> OpenQuestion | None:
        """Return the open question that a call belongs to; None if there is none.

        A call that names no question belongs to the only open one of its session.
        Raises `CallError` if there are several.
        """
        if question_id:
            question = self._questions.get(question_id)
            if question is None or question.is_over:
                return None
            return question

        questions = self.of_session(session)
        if not questions:
            return None
        if len(questions) > 1:
            names = ", ".join(question.question_id for question in questions)
            msg = f"{len(questions)} questions are open: name one as {QUESTION_ID}, of {names}"
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        return questions[0]

    def of_session(self, session: str | None) -> list[OpenQuestion]:
        """Return the open questions of a client's session, the oldest first."""
        questions = list(self._questions.values())
        return [each for each in questions if each.is_worked_on_in(session)]

    def forget_finished(self) -> None:
        """Remove the questions that are over, to make room for new ones."""
        for question_id, question in list(self._questions.items()):
            if question.is_over:
                del self._questions[question_id]

    def leave_all(self) -> None:
        """End all questions without an answer from their clients."""
        for question in self._questions.values():
            question.leave()
