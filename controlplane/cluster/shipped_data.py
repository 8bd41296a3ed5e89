"""What crosses between the process of a run and its workers, all of it plain JSON text: a run, a trial, its end."""

from __future__ import annotations

import json
from typing import Annotated, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, SkipValidation

from agent.loop import ResumeState
from agent.model import ModelError, RetriesExhausted
from controlplane.errors import (
    BudgetExhausted,
    ControlPlaneError,
    Interrupted,
    JournalUnwritable,
    Unreachable,
    UsageError,
)
from controlplane.journal.run_events import Versions
from controlplane.lifecycle.run_resources import RunSpec


class Shipped(BaseModel):
    """Data that crosses; it never changes, and has the declared fields alone."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Kind = TypeVar("Kind", bound=Shipped)


def to_text(shipped: Shipped) -> str:
    """Return JSON text in ASCII, which also holds what UTF-8 cannot, as lone surrogates of a script's output."""
    return json.dumps(shipped.model_dump(mode="json"), separators=(",", ":"))


def from_text(kind: type[Kind], text: str | bytes) -> Kind:
    """Return what `text` holds. Raises `ValueError` if it is no JSON text of this kind."""
    return kind.model_validate(json.loads(text))


class Enlistment(Shipped):
    """A run, as a worker is told of it once. It is sent beside the tasks of the cluster, never as one."""

    run: str
    """The run's name at its workers; another one each time that a process takes the run up."""
    place: str = ""
    """The worker's address at the cluster."""
    host: str
    """Where the writer of the journal listens."""
    port: int
    token: str = Field(repr=False)
    """Lets a worker write to the journal of this run. It is shown and logged nowhere."""
    is_encrypted: bool
    """The channel speaks TLS."""
    ignores_interrupt: bool = False
    """Ctrl-C reaches the worker as well, because it runs at the same terminal, and is for the run to heed."""
    spec: RunSpec
    versions: Versions
    """What the run's own process runs with; a worker of another version is refused."""
    code: str
    """Hash of the source of the run's own process."""
    keys: tuple[str, ...] = ()
    """Environment variables, by name, that hold keys in the run's process; a worker without them is refused."""


class TrialParcel(Shipped):
    """One attempt at a trial, as a task of the cluster is given it."""

    run: str
    attempt: str
    """The attempt's name; its events carry it."""
    trial_id: str
    task_id: str
    resume_state: ResumeState


class FailureParcel(Shipped):
    """An error that ends the whole run, on its way to the run's process."""

    kind: str
    """The name of the error's class."""
    text: str

    @classmethod
    def of(cls, error: BaseException) -> FailureParcel:
        """Return `error` in the form that crosses."""
        return cls(kind=type(error).__name__, text=str(error))

    def error(self) -> Exception:
        """Return the error again; one of a kind that is not known here is `Unreachable`."""
        if self.kind in _MODEL_ERRORS:
            return _MODEL_ERRORS[self.kind](self.text, retryable=True, affects_all=True)
        return _ERRORS.get(self.kind, Unreachable)(self.text)


_ERRORS: Final[dict[str, type[ControlPlaneError]]] = {
    each.__name__: each for each in (BudgetExhausted, Interrupted, JournalUnwritable, Unreachable, UsageError)
}
_MODEL_ERRORS: Final[dict[str, type[ModelError]]] = {each.__name__: each for each in (ModelError, RetriesExhausted)}


class TrialReceipt(Shipped):
    """How an attempt at a trial came out."""

    ending: Literal["over", "cut_off", "not_enlisted", "failed"]
    """`over`: all its events are written. `cut_off`: the channel was lost, or another attempt has taken its place."""
    failure: FailureParcel | None = None
    """What ends the whole run, if it `failed`."""


class Hello(Shipped):
    """The first words of a worker on the channel."""

    token: str = Field(repr=False)
    place: str
    """The worker's address at the cluster."""


class Welcome(Shipped):
    """The answer to them. The connection is closed behind a refusal."""

    refusal: str = ""
    keys: dict[str, str] = Field(default_factory=dict, repr=False)
    """Environment variables with keys, if the user has them sent."""


class Report(Shipped):
    """What happened at a worker since its last report. Workers report at least every half second."""

    events: Annotated[list[tuple[str, dict[str, object]]], SkipValidation] = Field(default_factory=list)
    """Each event's fields behind the name of its attempt, which is empty for what concerns no trial."""
    replies: int = 0
    """Replies of the model, each of which gives the run one retry back."""
    retries_asked: int = 0
    """Retries of model calls that wait to be allowed."""
    pause_s: float = 0.0
    """The model's endpoint asked everybody to wait for so long."""
    failure: FailureParcel | None = None
    """Every further trial would fail the same way."""


class Answer(Shipped):
    """What the writer says to a report. All its events are written by then, but for those of attempts `cut_off`."""

    cut_off: tuple[str, ...] = ()
    """Attempts whose events are not taken any more."""
    stop: bool = False
    """Running trials are to be left open after their step."""
    is_over: bool = False
    """The run's process lets go of its workers."""
    retries_granted: int = 0
    pause_s: float = 0.0
    """No trial may call the model for so long."""
    used_up: str = ""
    """Why the run may spend nothing more, or an empty string."""
