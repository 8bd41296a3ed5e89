"""The functions that a benchmark adds to the exoskeleton, and the exoskeleton's optional parts.

The exoskeleton is the second of the two solvers: its model calls tools, the first one's (in
`agent/loop`) writes scripts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Protocol

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
    """The results of the functions that the model called are kept, and the files that they name are
    added to the answer's references."""
    REFERENCES = "references"
    """The benchmark corrects the answer's references (see `SolverBindings.references`)."""
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


class AskDraftCheck(Protocol):
    """Asks the model of the role `check_draft` about a text."""

    def __call__(self, schema: Mapping[str, object], text: str, /) -> Mapping[str, Any]:
        """Return an object that fits the JSON schema, or an empty object if the model returns
        none."""


class ReviseCompletion(Protocol):
    """Changes a completion to follow the benchmark's conventions."""

    def __call__(
        self, completion: Completion, texts: Mapping[str, str], ask_check: AskDraftCheck, /
    ) -> Completion:
        """Return the changed completion. `texts` are those of the files that were read, by path."""


class PutInForm(Protocol):
    """Brings an answer's message into the form that the rules and the request ask for."""

    def __call__(
        self, outcome: str, message: str, rules: str, ask: Callable[[], str], request: str, /
    ) -> str:
        """Return the message in its form. `ask` returns the proposal of the model of the role
        `format`; empty if it has none."""


@dataclass(frozen=True, slots=True)
class SolverBindings:
    """The functions that a benchmark adds to the stages of the exoskeleton.

    Some are Python functions. The others are checks: functions of the environment that read and
    change nothing. A check is given by its name in `ToolSchema.checks`, and takes the arguments that
    its field names. An empty name means that there is no such check.
    """

    intent_schema: Mapping[str, object] | None = None
    """The JSON schema of the classifier's reply, with a description of each property; None without
    a classifier. The reply is the `intent` that checks get."""
    preflight: tuple[str, ...] = ()
    """The checks that may answer a request, in order. Each takes `(request, intent)`, and its value
    is a `CheckValue`."""
    permission: str = ""
    """The check that decides which changes a request permits. It takes `(request, intent)`, and its
    value is a `Permission`. Without a check, every request permits all changes."""
    references: str = ""
    """The check that corrects an answer's references.

    It takes `(request, answer, findings, in_order)`: the fields of the completion, the results of
    the trial's functions as JSON (see `Assembly.findings`), and whether to complete and sort the
    references. Its result has the references, and its value has the answer's `message`."""
    task_types: tuple[str, ...] = ("other",)
    """The kinds of requests that a completion distinguishes."""
    revise: ReviseCompletion | None = None
    put_in_form: PutInForm | None = None


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
