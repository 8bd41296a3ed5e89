"""The events of a trial, and the records of calls and verdicts in them."""

from agent.events.call_records import (
    BY_NUMBER,
    JOINED,
    CallFailure,
    CallRecord,
    Event,
    Judged,
    Record,
    Text,
    TrialEvent,
    VerdictRecord,
    now_ms,
)
from agent.events.trial_events import (
    AgentEvent,
    AnswerDone,
    AnswerSent,
    CallDone,
    CallSent,
    ConversationOpened,
    EndpointLearned,
    ModelAsked,
    ModelReplied,
    Noticed,
    StepDone,
)
