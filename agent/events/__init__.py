"""What happens in a trial, as events, and what they hold of calls and verdicts."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.events.call_records import BY_NUMBER as BY_NUMBER
    from agent.events.call_records import JOINED as JOINED
    from agent.events.call_records import CallFailure as CallFailure
    from agent.events.call_records import CallRecord as CallRecord
    from agent.events.call_records import Judged as Judged
    from agent.events.call_records import Text as Text
    from agent.events.call_records import VerdictRecord as VerdictRecord
    from agent.events.trial_events import AgentEvent as AgentEvent
    from agent.events.trial_events import AnswerDone as AnswerDone
    from agent.events.trial_events import AnswerSent as AnswerSent
    from agent.events.trial_events import CallDone as CallDone
    from agent.events.trial_events import CallSent as CallSent
    from agent.events.trial_events import ConversationOpened as ConversationOpened
    from agent.events.trial_events import Event as Event
    from agent.events.trial_events import ModelAsked as ModelAsked
    from agent.events.trial_events import ModelReplied as ModelReplied
    from agent.events.trial_events import Noticed as Noticed
    from agent.events.trial_events import StepDone as StepDone
    from agent.events.trial_events import SubmissionJudged as SubmissionJudged
    from agent.events.trial_events import TrialEvent as TrialEvent
    from agent.events.trial_events import now_ms as now_ms

_HOMES = {
    "call_records": (
        "BY_NUMBER",
        "JOINED",
        "CallFailure",
        "CallRecord",
        "Judged",
        "Text",
        "VerdictRecord",
    ),
    "trial_events": (
        "AgentEvent",
        "AnswerDone",
        "AnswerSent",
        "CallDone",
        "CallSent",
        "ConversationOpened",
        "Event",
        "ModelAsked",
        "ModelReplied",
        "Noticed",
        "StepDone",
        "SubmissionJudged",
        "TrialEvent",
        "now_ms",
    ),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that nobody waits for what is not needed."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
