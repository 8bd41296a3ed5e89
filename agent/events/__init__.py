"""What happens in a trial, as events, and what they hold of calls and verdicts."""

from agent.events.call_records import (
    BY_NUMBER,
    JOINED,
    CallFailure,
    CallRecord,
    Judged,
    Record,
    Text,
    VerdictRecord,
)
from agent.events.event import Event, TrialEvent, now_ms
from agent.events.model_events import EndpointLearned, ModelAsked, ModelReplied
from agent.events.trial_events import (
    AgentEvent,
    AnswerDone,
    AnswerSent,
    CallDone,
    CallSent,
    ConversationOpened,
    Noticed,
    StepDone,
)
