"""Every event of a journal. The agent's come from `agent.events`; the rest, about the run as a whole, are here."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

from agent.events import AgentEvent, Event, Text, TrialEvent

SCHEMA_VERSION: Final = 1


class Setting(BaseModel):
    """One resolved setting and where its value came from: `flag`, `environment`, `controlplane.toml` or `default`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    value: JsonValue
    source: str


class Versions(BaseModel):
    """What the run ran with; a replay under others says so."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    controlplane: str
    python: str
    gates: str
    """Hash of the gates' source."""
    prompts: str
    """Hash of the prompt texts."""


class AllottedTrial(BaseModel):
    """One trial of the run; `task_id` is empty where it is known only once the trial starts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    trial_id: str
    task_id: str = ""


class RunOpened(Event):
    """The first event: the whole configuration, and what runs it."""

    type: Literal["run_opened"] = "run_opened"
    schema_version: int = SCHEMA_VERSION
    run: str
    """The journal's own id, which is its file's name."""
    name: str
    benchmark: str
    model: str
    packs: tuple[str, ...] = ()
    """The rule packs that stand beside the gates."""
    settings: tuple[Setting, ...]
    versions: Versions


class RunStarted(Event):
    """The benchmark began the run and allotted its trials."""

    type: Literal["run_started"] = "run_started"
    run_id: str
    """The run's id at its benchmark."""
    trials: tuple[AllottedTrial, ...]


class TrialStarted(TrialEvent):
    """A trial is open. `surface` is its environment's declaration as JSON text."""

    type: Literal["trial_started"] = "trial_started"
    task_id: str
    instruction: Text
    now: str
    """The clock that its scripts see, ISO 8601."""
    surface: Text


class TrialFailed(TrialEvent):
    """A trial could not be started, or not be ended."""

    type: Literal["trial_failed"] = "trial_failed"
    phase: Literal["start", "end"]
    error: Text


class TrialEnded(TrialEvent):
    """A trial ended at its benchmark."""

    type: Literal["trial_ended"] = "trial_ended"
    how: Literal["answered", "fallback", "unanswered"]
    reason: Text = ""
    """Why there was no answer of the solver's."""
    elapsed_ms: float


class TrialLeftOpen(TrialEvent):
    """A trial was left open, to be resumed."""

    type: Literal["trial_left_open"] = "trial_left_open"
    reason: str


class Scored(TrialEvent):
    """A grader's word on a trial; `score` is null while it is sealed."""

    type: Literal["score"] = "score"
    score: float | None
    details: tuple[Text, ...] = ()


class RunNotice(Event):
    """Something worth knowing about the run as a whole."""

    type: Literal["run_notice"] = "run_notice"
    text: Text


class RunSubmitted(Event):
    """The run was handed in. `state` is what the benchmark said; `score` is null while it is sealed."""

    type: Literal["run_submitted"] = "run_submitted"
    forced: bool
    state: str
    score: float | None


class RunPolled(Event):
    """The benchmark was asked again for the run's scores."""

    type: Literal["run_polled"] = "run_polled"
    state: str
    score: float | None


class RunClosed(Event):
    """The process let go of the run: `finished`, `interrupted` or `failed`, with its exit code."""

    type: Literal["run_closed"] = "run_closed"
    how: Literal["finished", "interrupted", "failed"]
    exit_code: int
    error: Text = ""


class RunResumed(Event):
    """Another process took the run up again."""

    type: Literal["run_resumed"] = "run_resumed"
    versions: Versions


class TextStored(Event):
    """A text that later events refer to as `@text:` and its key."""

    type: Literal["text"] = "text"
    key: str
    text: Text


RunEvent: TypeAlias = (
    RunOpened
    | RunStarted
    | TrialStarted
    | TrialFailed
    | TrialEnded
    | TrialLeftOpen
    | Scored
    | RunNotice
    | RunSubmitted
    | RunPolled
    | RunClosed
    | RunResumed
    | TextStored
)
JournalEvent: TypeAlias = AgentEvent | RunEvent

JOURNAL_EVENT: Final[TypeAdapter[JournalEvent]] = TypeAdapter(Annotated[JournalEvent, Field(discriminator="type")])
"""Reads one line of a journal, its texts resolved."""
