"""Submits the answer that a script has put into its scratchpad.

The *scratchpad* is a dictionary that all scripts of a trial share. What the gates or the
environment object to the answer is raised in the script, which the model then reads as its error:

    scratchpad["answer"] = "7 EUR"
    harness.answer(scratchpad, verify)    Refusal: gate 3 (paths): /docs/fee.md was not read
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.gated_exit import NotJudged
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.gates.submission import Probe, Submission
from controlplane.sandbox import Refusal, Verify
from controlplane.sandbox.interface import CallError, Plain


def submit_scratchpad(
    session: TrialSession, scratchpad: Mapping[str, Plain], verify: Verify
) -> None:
    """Submit the answer in the scratchpad. `verify` is the script's own check of it.

    Raises `Refusal` if it is not judged, not accepted, or not taken by the environment.
    """
    # The function `verify` stays in the script's process. The gates call it by `ask`.
    probe = Probe(verify.is_callable, verify.takes_one_argument, verify.ask)
    submission = Submission.from_scratchpad(scratchpad, probe)
    try:
        judged = session.submit(submission)
    except NotJudged as error:
        raise Refusal(str(error)) from None
    except CallError as error:
        message = (
            "The gates accepted the answer, but the environment did not take it "
            f"({error})."
        )
        raise Refusal(message) from None
    if not judged.accepted:
        raise Refusal(judged.message)
