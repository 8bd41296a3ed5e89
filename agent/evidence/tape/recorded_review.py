"""Finds the recorded review of a submission.

A *second reader*, a model, reviews the answer that a script submits. If the process of the trial
was killed, the next one repeats the recorded step, and the model is not paid for again. The next
recorded submission of the step is

    not there                     the second reader is asked now
    recorded without a review     None: it was rejected, and not reviewed
    recorded with a review        this verdict, such as "pass"
"""

from __future__ import annotations

from collections.abc import Callable

from controlplane.agent.events import Judged
from controlplane.agent.evidence.tape.tape_reader import TapeReader
from controlplane.gates.verdicts import Verdict


def recorded_or_new_review(
    reader: TapeReader, ask: Callable[[], Verdict | None]
) -> Verdict | None:
    """Return the verdict of the second reader on the next submission; None if there is none.

    `ask` asks the second reader, if the submission is not recorded.
    """
    recorded = reader.next_entry(Judged)
    if recorded is None:
        return ask()
    if recorded.review is None:
        return None
    return Verdict(**recorded.review.model_dump())
