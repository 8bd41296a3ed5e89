"""An environment's additions to the solver, as data, and the parts of the solver that can be switched off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator

from controlplane.agent.model import Received
from controlplane.gates.submission import OUTCOMES


class Part(StrEnum):
    """A part of the solver."""

    CLASSIFIER = "classifier"
    """A small model classifies the request."""
    PREFLIGHT = "preflight"
    """Checks that can answer before the model is asked."""
    EVIDENCE_STORE = "evidence-store"
    """The results of those functions go into the answer."""
    REFERENCES = "references"
    """References are put in order: existing, owned, linked, named."""
    FORMATTER = "formatter"
    """A small model brings the message into the requested form."""


def _as_outcome(value: object) -> object:
    """Return an outcome's whole name, given the name with or without the beginning that all names share."""
    return next(
        (outcome for outcome in OUTCOMES if value in (outcome, outcome.removeprefix("OUTCOME_"))),
        value,
    )


def _as_references(value: object) -> object:
    """Return references as objects; a bare text is a path."""
    if value is None:
        return ()
    return (
        [{"path": item} if isinstance(item, str) else item for item in value]
        if isinstance(value, list)
        else value
    )


class CitedPath(Received):
    """A file and the reason for citing it."""

    path: str
    reason: str = ""
    quote: str = ""
    """The exact words of the file."""


References = Annotated[tuple[CitedPath, ...], BeforeValidator(_as_references)]


class Completion(Received):
    """The arguments of the completing call."""

    message: str
    outcome: Annotated[str, BeforeValidator(_as_outcome)]
    notes: Annotated[
        str,
        BeforeValidator(
            lambda value: "\n".join(map(str, value)) if isinstance(value, list) else value
        ),
    ] = ""
    """One text; the entries of a list are its lines."""
    task_type: str = "other"
    documents: References = ()
    records: References = ()
    protected: bool = False

    @property
    def cited(self) -> dict[str, CitedPath]:
        """Its references by path, in order, documents first."""
        return {cited.path: cited for cited in (*self.documents, *self.records)}


AskDraftCheck: TypeAlias = Callable[[Mapping[str, object], str], Mapping[str, Any]]
"""Asks the model of the role `check_draft` for an object of a JSON schema about a text; empty if there is none."""


@dataclass(frozen=True, slots=True)
class SolverBindings:
    """Names of checks are those of `ToolSchema.checks`; each check is a function that finds something, and only
    reads."""

    intent_schema: Mapping[str, object] | None = None
    """JSON schema of the classifier's reply, a description for each property; None: the classifier is not asked."""
    preflight: tuple[str, ...] = ()
    """Checks that may answer, in order: `(request, intent)` to a function result of a `CheckValue`."""
    permission: str = ""
    """The check of what a request may change: `(request, intent)` to a function result of a `Permission`."""
    references: str = ""
    """The check that puts an answer's references in order: `(request, answer, function_results, in_order)` to a
    function result of its `message`, whose references are in order."""
    task_types: tuple[str, ...] = ("other",)
    """The kinds of requests that a completion distinguishes."""
    revise: Callable[[Completion, Mapping[str, str], AskDraftCheck], Completion] | None = None
    """Returns an answer with the outcome and the message that the benchmark's conventions give it; beside the answer it
    gets the texts of the files that were read, by path."""
    put_in_form: Callable[[str, str, str, Callable[[], str], str], str] | None = None
    """Returns a message in the form that rules and request ask for: `(outcome, message, rules, ask, request)`; `ask`
    returns the proposal of the model of the role `format`."""


class CheckValue(Received):
    """The result of a preflight check. Without an outcome the check answers nothing."""

    outcome: str = ""
    """The outcome class of its answer."""
    message: str = ""
    """The answer."""
    delete: tuple[str, ...] = ()
    """Files to delete before the answer."""
    context: str = ""
    """Text for the model if nothing is answered."""


class Permission(Received):
    """The changes that a request allows."""

    files: bool = True
    """Calls that write and delete."""
    tools: bool = True
    """Runs of executables that change something."""
