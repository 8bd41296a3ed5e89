"""The summaries of steps in which a model wrote a script, or should have.

A summary goes into the journal, and its `feedback` to the model:

| the reply | the summary of its step |
|---|---|
| `{"code": "print(4)"}` | `StepDone(code="print(4)", output="4\\n", ending="finished", ...)` |
| an empty one | `StepDone(error="The reply was empty. ...", fault="empty", ...)` |
"""

from __future__ import annotations

from controlplane.agent.events import ModelReplied, StepDone
from controlplane.agent.loop.script.script_runner import ScriptRun
from controlplane.agent.reply.action import Action
from controlplane.agent.reply.fault import Fault
from controlplane.sandbox.interface import Plain


def summary_with_script(
    replied: ModelReplied, action: Action, run: ScriptRun
) -> StepDone:
    """Return the summary of a step that ran the script of a reply's action."""
    result = run.result
    return StepDone(
        trial_id=replied.trial_id,
        step=replied.step,
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
    )


def summary_without_script(
    replied: ModelReplied,
    fault: Fault,
    reason: str,
    feedback: str,
    scratchpad: dict[str, Plain],
) -> StepDone:
    """Return the summary of a step whose reply had no script, for this reason.

    `scratchpad` is the data that earlier scripts left.
    """
    return StepDone(
        trial_id=replied.trial_id,
        step=replied.step,
        error=reason,
        fault=str(fault),
        scratchpad=scratchpad,
        feedback=(feedback,),
    )
