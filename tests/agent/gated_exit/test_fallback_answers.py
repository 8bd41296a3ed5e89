"""The fallback: what is sent if a trial ends and the gates have accepted none of its answers.

Usually it is the last submission that can be sent at all, without the citations that nothing
supports: "41" was rejected, "42" was rejected, the time is up -> "42" is sent. The user may want
an error instead (`--fallback internal`).
"""

from __future__ import annotations

import pytest

from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.gated_exit import GatedExit, fallback_answer
from controlplane.agent.submission import GateSettings
from controlplane.gates.submission import Submission
from tests.support.books.library import Library


class TrialWithoutAnswer:
    """A trial that has read one book, and whose answers are all rejected.

    Each of them also cites `/never/read.txt`. Gate 4 rejects an answer that cites a file which
    no call has read.
    """

    def __init__(self) -> None:
        recorder = new_recorder("t", Library(), [].append, tape=Tape())
        recorder.calls.make("read", {"path": "/books/dune.txt"})
        self.gated_exit = GatedExit(
            recorder, "What is the number?", GateSettings(), now=""
        )
        self._step = 0

    def submit_in_vain(self, answer: str, outcome: str = "OUTCOME_OK") -> None:
        """Submit an answer in a step of its own."""
        self._step += 1
        self.gated_exit.recorder.step_log.begin(self._step)
        citations = {
            "/books/dune.txt": "it says by Herbert",
            "/never/read.txt": "it says by nobody",
        }
        submission = Submission(answer=answer, outcome=outcome, refs_why=citations)
        assert not self.gated_exit.submit(submission).accepted


class TestChoice:
    """The fallback is the last submission that can be sent at all.

    `submit_in_vain(answer)` submits an answer that gate 4 rejects, since it cites a file that was
    not read.
    """

    def test_the_fallback_is_the_last_submission(self) -> None:
        trial = TrialWithoutAnswer()
        trial.submit_in_vain("41")
        trial.submit_in_vain("42")

        sent = fallback_answer(trial.gated_exit, "the time is up")

        assert sent.fallback
        assert sent.message == "42"
        assert sent.outcome == "OUTCOME_OK"

    @pytest.mark.parametrize(
        ("answer", "outcome"),
        [
            pytest.param("  ", "OUTCOME_OK", id="a blank answer"),
            pytest.param("43", "OUTCOME_FINE", id="an outcome that does not exist"),
            pytest.param("43", "OUTCOME_ERR_INTERNAL", id="the script gives up"),
        ],
    )
    def test_a_submission_that_cannot_be_sent_is_not_the_fallback(
        self, answer: str, outcome: str
    ) -> None:
        """The one before it is sent."""
        trial = TrialWithoutAnswer()
        trial.submit_in_vain("42")
        trial.submit_in_vain(answer, outcome)

        sent = fallback_answer(trial.gated_exit, "the time is up")

        assert sent.message == "42"
        assert sent.outcome == "OUTCOME_OK"

    def test_several_submissions_that_cannot_be_sent_are_passed_over(self) -> None:
        trial = TrialWithoutAnswer()
        trial.submit_in_vain("41")
        trial.submit_in_vain("42")
        trial.submit_in_vain("  ")
        trial.submit_in_vain("42", "OUTCOME_FINE")
        trial.submit_in_vain("42", "OUTCOME_ERR_INTERNAL")

        sent = fallback_answer(trial.gated_exit, "the time is up")

        assert sent.message == "42"
        assert sent.outcome == "OUTCOME_OK"


class TestContents:
    """The fallback has only what something supports, and says why it was rejected.

    The submission "42" cites `/books/dune.txt`, which was read, and `/never/read.txt`, which was
    not.
    """

    def test_the_fallback_does_not_cite_a_file_that_was_not_read(self) -> None:
        trial = TrialWithoutAnswer()
        trial.submit_in_vain("42")

        sent = fallback_answer(trial.gated_exit, "the time is up")

        assert sent.refs == ("/books/dune.txt",)

    def test_the_record_says_which_gate_had_rejected_the_fallback(self) -> None:
        """It is gate 4, which rejects citations of files that were not read."""
        trial = TrialWithoutAnswer()
        trial.submit_in_vain("42")

        sent = fallback_answer(trial.gated_exit, "the time is up")

        assert sent.failed == ("4",)

    def test_the_user_may_want_an_error_instead_of_a_rejected_answer(self) -> None:
        """With `--fallback internal`, no submission is repeated. The answer says that there is
        none, and why."""
        trial = TrialWithoutAnswer()
        trial.submit_in_vain("42")

        sent = fallback_answer(trial.gated_exit, "the time is up", repeats_last=False)

        assert sent.fallback
        assert sent.message == "No answer was reached: the time is up."
        assert sent.outcome == "OUTCOME_ERR_INTERNAL"
        assert sent.refs == ()
        assert sent.failed == ()
