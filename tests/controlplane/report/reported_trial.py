"""What is recorded of a trial, one attempt at a task, for journals that tests of reports write.

    ReportedTrial("alpha", score=0.0, details=("should be 7",), rejected_answers=1)

submits two answers, of which the first is sent back, and has the score 0.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class ReportedTrial:
    """What is recorded of a trial, one attempt at a task.

    `ReportedTrial("alpha.1")` has one step, which submits an answer. It is accepted, and has the
    score 1.
    """

    task: str
    score: float | None = 1.0
    unscored: str = ""
    """Why it has no score, if it has none for good."""
    details: tuple[str, ...] = ()
    """The grader's reasons for the score, such as "answer should be '7'"."""
    steps: int = 0
    """The number of steps before the first answer is submitted."""
    rejected_answers: int = 0
    """The number of steps after these, each with an answer that is sent back. The answer of the last
    step is accepted."""
    text: str = "seen"
    """The result of each call to the environment, which the script of the step prints."""
    how: str = "answered"
    """How the trial ended: "answered", "fallback", ..."""
    reason: str = ""
    """Why it ended so."""
