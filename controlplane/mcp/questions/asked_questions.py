"""The questions that clients have asked, whose journals they can read."""

from __future__ import annotations

from concurrent.futures import Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Final

KEPT_QUESTIONS: Final = 200
"""The number of latest questions that are kept."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question that a client opened, with its run. It may be open or over."""

    question_id: str
    session: str | None
    """The client's session; None if the client sends no session id."""
    text: str
    journal: Path
    run: Future[None]
    """Done when the run has ended."""

    def is_of(self, session: str | None) -> bool:
        """Return True if a client of this session asked the question; False if it is unknown."""
        return session is not None and self.session == session


class AskedQuestions:
    """The latest questions, by their ids. Older ones are forgotten when their runs have ended."""

    def __init__(self) -> None:
        self._questions: dict[str, AskedQuestion] = {}

    def add(self, question: AskedQuestion) -> None:
        """Add a question, and forget the oldest one to make room for it."""
        if len(self._questions) >= KEPT_QUESTIONS:
            self._forget_oldest()
        self._questions[question.question_id] = question

    def _forget_oldest(self) -> None:
        for question in self._listed():
            if question.run.done():
                del self._questions[question.question_id]
                return

    def find(self, question_id: str) -> AskedQuestion | None:
        return self._questions.get(question_id)

    def of_session(self, session: str | None) -> list[AskedQuestion]:
        """Return the questions of a client's session, with the newest first."""
        return [
            question for question in reversed(self._listed()) if question.is_of(session)
        ]

    def wait_for_runs(self, limit_s: float) -> bool:
        """Wait until the runs have ended. Return False if some have not within `limit_s`."""
        runs = [question.run for question in self._listed()]
        unfinished = wait(runs, limit_s).not_done
        return not unfinished

    def _listed(self) -> list[AskedQuestion]:
        """Return the questions as a list, since another thread may add one meanwhile."""
        return list(self._questions.values())
