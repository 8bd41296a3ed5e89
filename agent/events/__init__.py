# ruff: noqa: I001 - the reference lists the events in the order in which they are imported here
"""What happens in a trial, as the records that the journal holds."""

from controlplane.agent.events.record import (
    Text,
    Data,
    IN_OWN_LINES,
    IN_REPLY_LINE,
    VARIES_BY_RUN,
    Record,
    build_models,
    varying_fields,
)
from controlplane.agent.events.step_entry import StepEntry
from controlplane.agent.events.said_message import Conversation, SaidMessage
from controlplane.agent.events.call_record import CallFailure, CallState, CallRecord
from controlplane.agent.events.citation import Citation
from controlplane.agent.events.submissions.submitted_parts import SubmittedParts
from controlplane.agent.events.submissions.verdict_record import VerdictRecord
from controlplane.agent.events.submissions.judged import Judged
from controlplane.agent.events.submissions.submission_record import (
    judged_submission,
    submission_of,
)
from controlplane.agent.events.event import (
    now_ms,
    Event,
    TrialEvent,
    StepEvent,
    NumberedEvent,
    Emit,
)
from controlplane.agent.events.event_classes import event_classes, type_of
from controlplane.agent.events.model_events import ModelAsked, ModelReplied
from controlplane.agent.events.call_events import CallEvent
from controlplane.agent.events.call_stopped import (
    NOT_DONE,
    DONE_ALL_THE_SAME,
    DONE_OTHERWISE,
    CallStopped,
)
from controlplane.agent.events.call_approval import CallApproval
from controlplane.agent.events.script_events import ScriptMeasured, CitationAnswered
from controlplane.agent.events.submissions.submission_judged import SubmissionJudged
from controlplane.agent.events.answer_events import AnswerSent, AnswerDone
from controlplane.agent.events.step_done import StepDone
from controlplane.agent.events.trial_started import TrialStarted
from controlplane.agent.events.notice_events import (
    EndpointLearned,
    Noticed,
    CallOutput,
)
from controlplane.agent.events.conversation_opened import RankedFile, ConversationOpened
