"""Writes the judgement of a submission to the journal, or finds it recorded there.

A trial whose process was killed is *resumed*: it runs its recorded scripts again, which submit
again. So does a *replay*, which checks a recorded trial. In both, the recorded judgement
counts, because the trial went on by it. Suppose that gate 4 has changed since:

    recorded   "420 EUR" was accepted     this counts
    now        gate 4 rejects "420 EUR"   the difference is noted
"""

from __future__ import annotations

from controlplane.agent.events import Judged, SubmissionJudged
from controlplane.agent.evidence.recorder import Recorder


def write_judgement(recorder: Recorder, judged: Judged) -> Judged:
    """Write the judgement of a new submission of the current step, and return the one that counts.

    This is the recorded one, if the same answer was recorded. Then nothing is written, but a
    difference between the two is noted. The judgement that counts is added to the step.
    """
    step = recorder.current_step
    event = SubmissionJudged(
        trial_id=recorder.trial_id,
        step=step.number,
        number=len(step.submissions),
        judged=judged,
    )
    judgement = recorder.journal.write(event, judged)
    # `verify` is the script's own check of an accepted answer. What its calls read may be cited
    # later. In the example, only the recorded trial ran it, so its recorded calls are added here.
    recorder.restored_calls.add_calls_of_verify()
    return judgement
