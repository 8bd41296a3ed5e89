"""The functions that a benchmark adds to the second solver, and the solver's optional parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator

from controlplane.agent.model import Received
from controlplane.gates.submission import OUTCOMES


class Part(StrEnum):
    """A part of the solver that can be switched off."""

    CLASSIFIER = "classifier"
    """A small model classifies the request."""
    PREFLIGHT = "preflight"
    """Checks of the benchmark may answer the request before the model is asked."""
    EVIDENCE_STORE = "evidence-store"
    """The results of the functions that the model called go into the answer."""
    REFERENCES = "references"
    """The answer's references are put in order: those that exist, that the asker owns, that are
    linked or named."""
    FORMATTER = "formatter"
    """A small model brings the message into the requested form."""


# Answers ----------------------------------------------------------------------------------------


def _full_outcome(value: object) -> object:
    """Return an outcome's full name: `OK` -> `OUTCOME_OK`. Anything else is returned unchanged."""
    for outcome in OUTCOMES:
        if value in (outcome, outcome.removeprefix("OUTCOME_")):
            return outcome
    return value


def _as_references(value: object) -> object:
    """Return references as objects: `["/docs/a.md"]` -> `[{"path": "/docs/a.md"}]`."""
    if value is None:
        return ()
    if not isinstance(value, list):
        return value
    references = []
    for entry in value:
        references.append({"path": entry} if isinstance(entry, str) else entry)
    return references


def _as_one_text(value: object) -> object:
    """Return a list as the lines of one text."""
    if isinstance(value, list):
        return "\n".join(str(line) for line in value)
    return value


class CitedPath(Received):
    """A file and the reason for citing it."""

    path: str
    reason: str = ""
    quote: str = ""
    """The exact words of the file."""


References = Annotated[tuple[CitedPath, ...], BeforeValidator(_as_references)]


class Completion(Received):
    """The completion of a trial: the arguments of the call with which the model ends it."""

    message: str
    outcome: Annotated[str, BeforeValidator(_full_outcome)]
    notes: Annotated[str, BeforeValidator(_as_one_text)] = ""
    task_type: str = "other"
    documents: References = ()
    """The documents whose rules the answer follows."""
    records: References = ()
    """Records and other files that support the answer."""
    protected: bool = False
    """True if the user who asks must not see records, so that only documents are cited."""

    @property
    def cited(self) -> dict[str, CitedPath]:
        """All references by path, documents first."""
        references = {}
        for reference in (*self.documents, *self.records):
            references[reference.path] = reference
        return references


# What a benchmark declares ----------------------------------------------------------------------


AskDraftCheck: TypeAlias = Callable[[Mapping[str, object], str], Mapping[str, Any]]
"""Takes `(schema, text)`, and asks the model of the role `check_draft` about the text.

Returns an object that fits the JSON schema, or an empty object if the model returns none."""


@dataclass(frozen=True, slots=True)
class SolverBindings:
    """The functions that a benchmark adds to the stages of the solver.

    A check is a function of the environment that reads and changes nothing. It is given by its name
    in `ToolSchema.checks`.
    """

    intent_schema: Mapping[str, object] | None = None
    """The JSON schema of the classifier's reply, with a description of each property; None without
    a classifier."""
    preflight: tuple[str, ...] = ()
    """The checks that may answer a request, in order. Each takes `(request, intent)`, and its value
    is a `CheckValue`."""
    permission: str = ""
    """The check that decides which changes a request permits. It takes `(request, intent)`, and its
    value is a `Permission`. If empty, every request permits all changes."""
    references: str = ""
    """The check that puts an answer's references in order. It takes `(request, answer, findings,
    in_order)`. Its result has the ordered references, and its value has the answer's `message`."""
    task_types: tuple[str, ...] = ("other",)
    """The kinds of requests that a completion distinguishes."""
    revise: Callable[[Completion, Mapping[str, str], AskDraftCheck], Completion] | None = None
    """Changes a completion to follow the benchmark's conventions. It also gets the texts of the
    files that were read, by path."""
    put_in_form: Callable[[str, str, str, Callable[[], str], str], str] | None = None
    """Takes `(outcome, message, rules, ask, request)`, and returns the message in the form that the
    rules and the request ask for. `ask()` returns the proposal of the model of the role
    `format`."""


class CheckValue(Received):
    """The value of a preflight check. Without an outcome, the check does not answer."""

    outcome: str = ""
    message: str = ""
    """The answer."""
    delete: tuple[str, ...] = ()
    """The files to delete before the answer is submitted."""
    context: str = ""
    """A text for the model's first message, if the check does not answer."""


class Permission(Received):
    """The changes that a request permits."""

    files: bool = True
    """Calls that write, move and delete files."""
    tools: bool = True
    """Runs of executables that change something."""
