"""Opens the questions of MCP clients, and ends them with the server."""

from __future__ import annotations

import secrets
import threading
from typing import Final

from controlplane.mcp.questions.asked_questions import AskedQuestion, AskedQuestions
from controlplane.mcp.questions.open_questions import OpenQuestion, OpenQuestions
from controlplane.mcp.questions.question_starter import (
    ConductQuestion,
    QuestionStarter,
)
from controlplane.sandbox.interface import CallError, bounds, error_codes

UNSTATED_QUESTION: Final = (
    "Work with these files as the client asks, and submit what it wants to know."
)
"""The question of a trial whose client called `execute_script` without calling `begin` first."""


class QuestionOpener:
    """Opens the questions of one server. Each is a run with one trial, in its own thread."""

    def __init__(self, conduct: ConductQuestion) -> None:
        self.asked = AskedQuestions()
        """The latest questions, open or not. Clients can read their journals."""
        self.open_questions = OpenQuestions()
        self._starter = QuestionStarter(conduct)
        self._lock = threading.Lock()
        """Held while a question is opened, and while the server is closed."""
        self._is_closed = False

    def open(self, text: str | None, session: str | None) -> OpenQuestion:
        """Open a question, and wait until its trial has begun.

        `session` is the client's, or None if its protocol has no sessions. `text` is None if the
        client runs a script without asking a question by `begin` first. Raises `CallError` if the
        question's run cannot begin.
        """
        with self._lock:
            if self._is_closed:
                msg = "this server ends: it opens no further question"
                raise _refusal(msg)
            # A client may run several scripts at once without `begin`.
            # The first one opens a question. The others have waited for the lock,
            # and now belong to that question. `begin` always opens a new one.
            questions = self.open_questions.of_session(session)
            if text is None and questions:
                return questions[-1]
            self.open_questions.forget_finished()
            if len(self.open_questions) >= bounds.MOST_OPEN_QUESTIONS:
                msg = f"{bounds.MOST_OPEN_QUESTIONS} questions are open: submit the answer of one first"
                raise _refusal(msg)
            return self._start(text or UNSTATED_QUESTION, session)

    def _start(self, text: str, session: str | None) -> OpenQuestion:
        """Start the run of a question. Raises `CallError` if its trial does not begin."""
        started = self._starter.start(text)
        question_id = secrets.token_hex(8)
        self.asked.add(
            AskedQuestion(question_id, session, text, started.journal, started.run)
        )
        question = OpenQuestion(question_id, session, started.client)
        self.open_questions.add(question)
        return question

    def close(self) -> bool:
        """Open no more questions, and end the open ones.

        Their clients can give no answer any more, so their runs submit the fallback answer.
        Return True if all runs ended within `MCP_CLOSE_S`.
        """
        with self._lock:
            self._is_closed = True
        # From here on, `open` raises, so no question is added during the next call.
        self.open_questions.leave_all()
        return self.asked.wait_for_runs(bounds.MCP_CLOSE_S)


def _refusal(text: str) -> CallError:
    """Return the error for a client that cannot open a question now."""
    return CallError(error_codes.INVALID_ARGUMENT, text)
