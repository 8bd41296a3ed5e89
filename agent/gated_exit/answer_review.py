"""Gets the verdict of the second reader on an answer that the gates accept.

The gates are rules in code. The second reader is a model, if the user names one
(`--role review=PROFILE`). It looks for what speaks against the answer, and may reject it. Its
reply costs money. So if a trial is *resumed*, which means that a new process repeats what the
journal has of it, the verdict that is recorded there counts:

    first process    submits "420 EUR": the reader is asked, and rejects it; the process is killed
    second process   submits "420 EUR" again: the recorded verdict is returned
"""

from __future__ import annotations

from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.tape.recorded_review import recorded_or_new_review
from controlplane.agent.second_reader import AskReader, review_of
from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Verdict


def reader_verdict(
    ask_reader: AskReader | None,
    recorder: Recorder,
    submission: Submission,
    evidence: Evidence,
    case: Case,
) -> Verdict | None:
    """Return the verdict of the second reader on the next submission of the current step.

    `ask_reader` sends a request to the reader's model. None means that nobody is to be asked.
    Then the result is None, too, unless a verdict is recorded.
    """

    def ask_now() -> Verdict | None:
        if ask_reader is None:
            return None
        return review_of(ask_reader, submission, evidence, case)

    return recorded_or_new_review(recorder.tape_reader, ask_now)
