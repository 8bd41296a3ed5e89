# ruff: noqa: I001 - the reference lists the events in the order in which they are imported here
"""What happens in a trial, as the records that the journal holds."""

from controlplane.agent.events.call_record import (
    Text,
    Data,
    IN_OWN_LINES,
    IN_REPLY_LINE,
    NOT_IN_LINES,
    STORED_ONCE,
    VARIES_BY_RUN,
    JournalRecord,
    StepEntry,
    build_models,
    fields_marked,
)
from controlplane.agent.events.trial_events import Conversation, SaidMessage
from controlplane.agent.events.call_record import CallFailure, CallState, CallRecord
from controlplane.agent.events.event import Citation
from controlplane.agent.events.trial_events import SubmittedParts
from controlplane.agent.events.trial_events import VerdictRecord
from controlplane.agent.events.trial_events import Judged
from controlplane.agent.events.trial_events import judged_submission, submission_of
from controlplane.agent.events.event import (
    now_ms,
    Event,
    TrialEvent,
    StepEvent,
    NumberedEvent,
    Emit,
)
from controlplane.agent.events.event import event_classes, type_of
from controlplane.agent.events.trial_events import ModelAsked, ModelReplied
from controlplane.agent.events.event import CallEvent
from controlplane.agent.events.event import (
    NOT_DONE,
    DONE_ALL_THE_SAME,
    DONE_OTHERWISE,
    CallStopped,
)
from controlplane.agent.events.event import CallApproval
from controlplane.agent.events.event import ScriptMeasured, CitationAnswered
from controlplane.agent.events.trial_events import SubmissionJudged
from controlplane.agent.events.event import AnswerSent, AnswerDone
from controlplane.agent.events.trial_events import StepDone
from controlplane.agent.events.event import TrialStarted
from controlplane.agent.events.event import EndpointLearned, Noticed, CallOutput
from controlplane.agent.events.trial_events import RankedFile, ConversationOpened
