"""A trial whose answers are all rejected by the gates, which check each answer before it is sent.

    trial = TrialWithoutAnswer()
    trial.submit_in_vain("41")
    trial.submit_in_vain("42")

When the trial ends, `trial.gated_exit.fallback("the time is up").message` is "42".
"""

from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.gated_exit import GatedExit
from controlplane.agent.judging import GateSettings
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
