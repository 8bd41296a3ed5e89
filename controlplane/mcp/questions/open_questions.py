"""The questions that MCP clients work on."""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass
from typing import Final

from controlplane.mcp.questions.asked_questions import AskedQuestion, AskedQuestions
from controlplane.mcp.questions.asking_client import AskingClient, BegunTrial
from controlplane.mcp.questions.question_starter import (
    ConductQuestion,
    QuestionStarter,
)
from controlplane.mcp.serving.client_tools import QUESTION_ID
from controlplane.sandbox.interface import CallError, bounds, error_codes

UNSTATED_QUESTION: Final = (
    "Work with these files as the client asks, and submit what it wants to know."
)
"""The question of a trial whose client called `execute_script` without calling `begin` first."""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that a client works on. Its trial has begun, and may be over by now."""

    question_id: str
    session: str | None
    """The client's session; None if the protocol names none."""
    client: AskingClient

    @property
    def trial(self) -> BegunTrial:
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
    """The questions of one server. Each is a run with one trial, in its own thread."""

    def __init__(self, conduct: ConductQuestion) -> None:
        self.asked = AskedQuestions()
        """The latest questions, open or not. Clients can read their journals."""
        self._starter = QuestionStarter(conduct)
        self._open: dict[str, OpenQuestion] = {}
        """The open questions by their ids. One that is over stays until the next is opened."""
        self._lock = threading.Lock()
        """Held while a question is opened, and while the server is closed."""
        self._is_closed = False

    def find(self, question_id: str, session: str | None) -> OpenQuestion | None:
        """Return the open question that a call belongs to; None if there is none.

        A call that names no question belongs to the only open one of its session.
        Raises `CallError` if there are several.
        """
        if question_id:
            question = self._open.get(question_id)
            if question is None or question.is_over:
                return None
            return question

        questions = self._of_session(session)
        if not questions:
            return None
        if len(questions) > 1:
            names = ", ".join(question.question_id for question in questions)
            msg = f"{len(questions)} questions are open: name one as {QUESTION_ID}, of {names}"
            raise _refusal(msg)
        return questions[0]

    def open(self, text: str | None, session: str | None) -> OpenQuestion:
        """Open a question, and wait until its trial has begun.

        `text` is None if the client runs a script without asking a question by `begin`
        first. Raises `CallError` if the question's run cannot begin.
        """
        with self._lock:
            if self._is_closed:
                msg = "this server ends: it opens no further question"
                raise _refusal(msg)
            # A client may run several scripts at once without `begin`.
            # The first one opens a question. The others have waited for the lock,
            # and now belong to that question. `begin` always opens a new one.
            questions = self._of_session(session)
            if text is None and questions:
                return questions[-1]
            self._forget_finished()
            if len(self._open) >= bounds.MOST_QUESTIONS:
                msg = f"{bounds.MOST_QUESTIONS} questions are open: submit the answer of one first"
                raise _refusal(msg)
            return self._start(text or UNSTATED_QUESTION, session)

    def _of_session(self, session: str | None) -> list[OpenQuestion]:
        """Return the open questions of a client's session, the oldest first."""
        questions = list(self._open.values())
        return [each for each in questions if each.is_worked_on_in(session)]

    def _forget_finished(self) -> None:
        for question_id, question in list(self._open.items()):
            if question.is_over:
                del self._open[question_id]

    def _start(self, text: str, session: str | None) -> OpenQuestion:
        """Start the run of a question. Raises `CallError` if its trial does not begin."""
        started = self._starter.start(text)
        question_id = secrets.token_hex(8)
        self.asked.add(
            AskedQuestion(question_id, session, text, started.journal, started.run)
        )
        question = OpenQuestion(question_id, session, started.client)
        self._open[question_id] = question
        return question

    def close(self) -> bool:
        """Open no more questions, and end the open ones without an answer from their clients.

        Their runs submit the fallback answer. Return True if all ended within `CLOSE_S`.
        """
        with self._lock:
            self._is_closed = True
        # From here on, `open` raises, so `_open` does not change during the loop.
        for question in self._open.values():
            question.leave()
        return self.asked.wait_for_runs(bounds.CLOSE_S)


def _refusal(text: str) -> CallError:
    return CallError(error_codes.INVALID_ARGUMENT, text)
