"""The summaries of steps in which the model was asked to call tools.

A summary goes into the journal, and its feedback to the model. For two calls, of which the
second was refused:

    StepDone(
        step=4,
        feedback=("A key is lent for a day.", "error: there is no tool 'reed'; there are ..."),
        error="reed: error: there is no tool 'reed'; there are ...",
    )
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.agent.events import ModelReplied, StepDone
from controlplane.agent.exoskeleton.calls.call_outcome import CallOutcome
from controlplane.agent.reply.fault import Fault

MAX_STATE_CHARS: Final = 200
"""Max characters of a reply's first line, which is recorded as the model's state."""
_FAULTS: Final = {"length": Fault.CUT_OFF, "refusal": Fault.REFUSED}
"""The fault of a reply without calls, by the reason why the reply ended."""


def summary_with_calls(
    replied: ModelReplied, outcomes: Sequence[CallOutcome]
) -> StepDone:
    """Return the summary of a step whose reply had calls. `outcomes` are those of the calls.

    Its error says which calls were refused.
    """
    refusals = [outcome.refusal for outcome in outcomes if outcome.refusal]
    return StepDone(
        trial_id=replied.trial_id,
        step=replied.step,
        state=_first_line(replied.reply) if replied.tool_calls else "",
        error="\n".join(refusals),
        feedback=tuple(outcome.text for outcome in outcomes),
    )


def _first_line(text: str) -> str:
    """Return the first line of a reply beside native calls: what the model says that it does."""
    lines = text.strip().splitlines()
    return lines[0][:MAX_STATE_CHARS] if lines else ""


def summary_without_calls(
    replied: ModelReplied, reminder: str, *, may_refund: bool
) -> StepDone:
    """Return the summary of a step whose reply had no calls.

    `reminder` asks the model to make calls. The recorded error is the same text. With
    `may_refund`, a step with an empty reply is *refunded*: it does not count as a step.
    """
    is_empty = not replied.reply.strip()
    fault = _FAULTS.get(replied.finish_reason, Fault.NO_CALL)
    return StepDone(
        trial_id=replied.trial_id,
        step=replied.step,
        error=reminder.strip(),
        fault=str(fault),
        feedback=(reminder,),
        refunded=is_empty and may_refund,
    )
