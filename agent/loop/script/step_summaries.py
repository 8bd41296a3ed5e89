"""The summaries of steps in which a model wrote a script, or should have.

| the reply | the summary of its step |
|---|---|
| `{"code": "print(4)"}` | `StepDone(code="print(4)", output="4\\n", ending="finished", ...)` |
| an empty one | `StepDone(error="The reply was empty. ...", fault="empty", ...)` |

The `feedback` is what the model is told about the step. A step that is `refunded` does not count
towards the limit of steps.
"""

from __future__ import annotations

from controlplane.agent.events import StepDone
from controlplane.agent.loop.script.script_runner import ScriptRun
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.reply.action import Action
from controlplane.agent.reply.fault import Fault
from controlplane.sandbox.interface import Plain


def summary_with_script(
    session: TrialSession, action: Action, run: ScriptRun, *, refunded: bool
) -> StepDone:
    """Return the summary of the current step, which ran the script of an action."""
    result = run.result
    return StepDone(
        trial_id=session.trial_id,
        step=session.recorder.current_step.number,
        state=action.state,
        plan=action.plan,
        done=action.done,  # The model says so, but it need not be true.
        code=action.code,
        output=result.output,
        error=result.error,
        ending=str(result.ending),
        scratchpad=result.scratchpad,
        feedback=run.feedback,
        elapsed_ms=result.elapsed_ms,
        refunded=refunded,
    )


def summary_without_script(
    session: TrialSession,
    fault: Fault,
    reason: str,
    feedback: str,
    scratchpad: dict[str, Plain],
    *,
    refunded: bool,
) -> StepDone:
    """Return the summary of the current step, whose reply could not be used.

    `scratchpad` is the data that earlier scripts left.
    """
    return StepDone(
        trial_id=session.trial_id,
        step=session.recorder.current_step.number,
        error=reason,
        fault=str(fault),
        scratchpad=scratchpad,
        feedback=(feedback,),
        refunded=refunded,
    )
