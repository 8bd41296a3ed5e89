"""Every event of a journal.

Events of the run as a whole are defined here, those of a trial in `agent`.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias, Union

from pydantic import AfterValidator, ConfigDict, Field, JsonValue, TypeAdapter

from controlplane.agent.events import (
    VARIES_BY_RUN,
    Data,
    Event,
    JournalRecord,
    Text,
    TrialEvent,
    event_classes,
)
from controlplane.agent.model import Amount, Count

# `Event`, the base class, explains `in_totals` and `compared_by_replay`.

Score: TypeAlias = Annotated[float, Field(ge=-1e15, le=1e15)]
SCHEMA_VERSION: Final = 5
"""The one version of journals that is written and read."""


EARLIER_SETTING_NAMES: Final = {"max_tokens_run": "run_tokens"}
"""Settings that had another name in the version before, by that name. It is understood for one
version: in journals, as an option, a variable, a keyword argument, and in controlplane.toml."""


def todays_setting_name(name: str) -> str:
    """Return the name of a setting: `max_tokens_run` -> `run_tokens`."""
    return EARLIER_SETTING_NAMES.get(name, name)


class ResolvedSetting(JournalRecord):
    """One resolved setting and the source of its value."""

    name: Annotated[str, AfterValidator(todays_setting_name)]
    """The setting's name."""
    value: JsonValue
    """Its resolved value; never a secret."""
    source: str
    """`flag`, `profile NAME`, `environment`, `controlplane.toml` or `default`."""


class Versions(JournalRecord):
    """Versions that the run used; a replay under other versions says so."""

    controlplane: str
    """The package's version."""
    python: str
    """Python's version."""
    gates: str
    """Hash of the gates' source."""
    prompts: str
    """Hash of the prompt texts."""
    evidence: str = ""
    """Hash of the source that turns calls into evidence."""
    sandbox: str = ""
    """Hash of the sandbox's source."""
    functions: str = ""
    """Hash of the source of the benchmark's functions; empty if it has none."""
    world: str = ""
    """The benchmark's version of its world; empty if it has no versions."""


HINTS: Final = "hints"
"""The prompt name of the text that the owner adds to the system prompt."""


class PromptText(JournalRecord):
    """One prompt text of the run's models."""

    name: str
    """The prompt's name, also its file's; `hints` for the text added to the system prompt."""
    text: Text
    """The text, its placeholders unfilled."""


class AllottedTrial(JournalRecord):
    """One trial of the run; `task_id` is empty if the task is known only once the trial starts."""

    trial_id: str
    """The trial's id at its benchmark."""
    task_id: str = ""
    """The task it is an instance of."""
    number: Count | None = None
    """The number of its world among those of its task,
    from 0; null if the benchmark allots the trials."""
    repeat: Count = 0
    """Counts the tries in the same world, from 0."""


class ParentRun(JournalRecord):
    """The run that this one was made from."""

    run: str
    """The id of its journal."""
    how: Literal["rerun", "fork", "continue"]
    """`rerun`: plays some of its trials again, in the same worlds; `fork`:
    continues from a step of one of its trials; `continue`: asks the next
    question of a conversation."""
    trial_id: str = ""
    """The trial that a fork continues; else empty."""
    step: Count | None = None
    """The first step that a fork does again, from 1; else null."""


class RunOpened(Event):
    """The first event: the whole configuration of the run, and the versions in use.

    Only lines of stored texts that it refers to may come before it.
    """

    in_totals = True

    type: Literal["run_opened"] = "run_opened"
    schema_version: int = SCHEMA_VERSION
    """The version of the journal's format."""
    run: str
    """The journal's id, which is its file's name."""
    name: str
    """The name that the user gave; may be empty."""
    benchmark: str
    """NAME or NAME:ARGUMENT."""
    model: str
    """The model or player."""
    rule_sets: tuple[str, ...] = ()
    """The rule sets that judge in addition to the gates."""
    settings: tuple[ResolvedSetting, ...]
    """Every setting with its source."""
    versions: Versions
    """Versions that the run used."""
    parent: ParentRun | None = None
    """The run that it was made from; null if there is none."""

    def setting(self, name: str) -> JsonValue:
        """Return the value of a setting; None if it is not recorded."""
        for setting in self.settings:
            if setting.name == name:
                return setting.value
        return None

    @property
    def played(self) -> str:
        """A short text for what was played: `ecom profile=hard -helpers`.

        It has the benchmark, those of its options that are single words (`--set profile=hard`),
        and the solver's parts that the user has switched on or off (`--parts=-helpers`).
        """
        words = [self.benchmark]
        options = self.setting("set")
        if isinstance(options, dict):
            for name, value in sorted(options.items()):
                is_word = str(value).isidentifier()  # A path or a text would be long.
                if is_word:
                    words.append(f"{name}={value}")
        parts = self.setting("parts")
        if isinstance(parts, str) and parts:
            words.append(parts)
        return " ".join(words)

    def with_model(self, model: str, changed: tuple[ResolvedSetting, ...]) -> RunOpened:
        """Return this event with another model, and with the `changed` settings of that model.

        A resumed run may go on with another model. Totals and tables then show the new one.
        """
        new_settings = {
            "model": ResolvedSetting(name="model", value=model, source="flag")
        }
        new_settings.update({setting.name: setting for setting in changed})
        settings = tuple(
            new_settings.get(setting.name, setting) for setting in self.settings
        )
        return self.model_copy(update={"model": model, "settings": settings})


class RunPrompts(Event):
    """Prompt texts of the run's models; `versions` has their hash.

    Missing if its solver asks no model.
    """

    in_totals = True

    type: Literal["run_prompts"] = "run_prompts"
    texts: tuple[PromptText, ...]
    """Every text."""


class RunStarted(Event):
    """The benchmark began the run, and decided which trials it has."""

    in_totals = True

    type: Literal["run_started"] = "run_started"
    run_id: str
    """The run's id at its benchmark."""
    trials: tuple[AllottedTrial, ...]
    """Every trial of the run."""
    scale: tuple[Score | None, Score | None] | None = None
    """The lowest and the highest score, null for one without a bound; null in older journals."""


class TrialFailed(TrialEvent):
    """A trial could not be started or ended."""

    in_totals = True

    type: Literal["trial_failed"] = "trial_failed"
    phase: Literal["start", "end"]
    """The call that failed permanently."""
    error: Text
    """Why."""


class TrialEnded(TrialEvent):
    """A trial ended at its benchmark."""

    in_totals = True
    compared_by_replay = ("how",)

    type: Literal["trial_ended"] = "trial_ended"
    how: Literal["answered", "fallback", "unanswered"]
    """`answered` by its solver, ended by its `fallback` answer, or `unanswered`."""
    reason: Text = ""
    """Why the solver gave no answer."""
    out_of_budget: bool = False
    """The reason is that the trial, or its run, had used up a limit."""
    elapsed_ms: Annotated[Amount, VARIES_BY_RUN]
    """Wall-clock milliseconds from its start."""


class TrialLeftOpen(TrialEvent):
    """A trial was left open, to be resumed."""

    in_totals = True

    type: Literal["trial_left_open"] = "trial_left_open"
    reason: str
    """Why."""


class Scored(TrialEvent):
    """A grader's score of a trial; null while it is sealed, and if there is none."""

    in_totals = True

    type: Literal["score"] = "score"
    score: Score | None
    """On the run's scale, mostly 0 to 1; null while it is sealed (not told yet), and if
    there is none."""
    details: tuple[Text, ...] = ()
    """One line per fault."""
    unscored: Text = ""
    """Why the trial has no score and will get none; empty if it has one, or may yet."""
    metrics: dict[str, Score] = Field(default_factory=dict)
    """Further figures of the grader, by name."""


class RunNotice(Event):
    """Something worth knowing about the run as a whole."""

    in_totals = True

    type: Literal["run_notice"] = "run_notice"
    text: Text
    """One line."""


class RunSubmitted(Event):
    """The run was submitted. `state` is the benchmark's; `score` is null while it is sealed."""

    in_totals = True

    type: Literal["run_submitted"] = "run_submitted"
    forced: bool
    """Open trials were given up."""
    state: str
    """`running`, `pending` or `evaluated`."""
    score: Score | None
    """The benchmark's own score of the run."""


class RunPolled(Event):
    """The benchmark was asked again for the scores of the run."""

    in_totals = True

    type: Literal["run_polled"] = "run_polled"
    state: str
    """`running`, `pending` or `evaluated`."""
    score: Score | None
    """The benchmark's own score of the run."""


HowClosed: TypeAlias = Literal["finished", "interrupted", "failed"]


class RunClosed(Event):
    """The process closed the run: `finished`, `interrupted` or `failed`, with its exit code."""

    in_totals = True

    type: Literal["run_closed"] = "run_closed"
    how: HowClosed
    """How it ended."""
    exit_code: int
    """The command's exit code."""
    error: Text = ""
    """The printed error line; empty without an error."""


class RunResumed(Event):
    """Another process resumed the run."""

    in_totals = True

    type: Literal["run_resumed"] = "run_resumed"
    versions: Versions
    """Versions that the run uses from here on."""
    model: str = ""
    """The model from here on; empty if it is unchanged."""
    model_settings: tuple[ResolvedSetting, ...] = ()
    """Its other settings that differ from the run's, such as its endpoint and prices."""


class TextStored(Event):
    """A text, or the result of a call, that later events refer to as `@text:` and its key."""

    type: Literal["text"] = "text"
    key: str
    """The first 32 hex digits of the text's SHA-256; for a result, that of the byte `0xff` and its
    JSON as it stands here."""
    text: Text | Data
    """The text, whole, or the fields of the result."""


JournalEvent: TypeAlias = Event
_EVENT_CLASSES: Final = tuple(event_classes())
_AT_FIRST_USE: Final = ConfigDict(defer_build=True)
"""Builds a validator at its first use, since building
all of them would slow down the start of every command."""
# The union of the classes, whose field `type` tells which one a line is of. `X | Y`
# cannot be written for classes that are listed only when the program runs.
_ANY_EVENT: Any = Annotated[Union[_EVENT_CLASSES], Field(discriminator="type")]  # noqa: UP007 - as above
JOURNAL_EVENT: Final[TypeAdapter[Event]] = TypeAdapter(_ANY_EVENT, config=_AT_FIRST_USE)
"""Validates one line of a journal, its texts resolved."""
