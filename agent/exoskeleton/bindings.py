"""The functions that a benchmark adds to the exoskeleton, and the exoskeleton's
optional parts.

The exoskeleton is the second solver, whose model calls tools. In the first
(`agent/loop`), the model writes scripts.
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
    """The answer's references (cited files) also get the files that support the results
    of functions that the model called."""
    REFERENCES = "references"
    """The benchmark corrects the answer's references (see
    `SolverBindings.references`)."""
    FORMATTER = "formatter"
    """A small model brings the message into the requested form."""


# Answers
# ----------------------------------------------------------------------------------------


def _full_outcome(value: object) -> object:
    """Return an outcome's full name: `OK` -> `OUTCOME_OK`. Anything else is returned
    unchanged."""
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
    """The completion of a trial: the arguments of the call with which the model ends
    it."""

    message: str
    outcome: Annotated[str, BeforeValidator(_full_outcome)]
    notes: Annotated[str, BeforeValidator(_as_one_text)] = ""
    task_type: str = "other"
    documents: References = ()
    """The documents whose rules the answer follows."""
    records: References = ()
    """Records and other files that support the answer."""
    protected: bool = False
    """True if the user who asks must not see records, so that only documents are
    cited."""

    @property
    def cited(self) -> dict[str, CitedPath]:
        """All references by path, documents first."""
        references = {}
        for reference in (*self.documents, *self.records):
            references[reference.path] = reference
        return references


# What a benchmark declares
# ----------------------------------------------------------------------


class AskDraftCheck(Protocol):
    """Asks the model of the role `check_draft` about a text."""

    def __call__(self, schema: Mapping[str, object], text: str, /) -> Mapping[str, Any]:
        """Return the model's reply, which fits the JSON schema; empty if the model
        fails."""


class ReviseCompletion(Protocol):
    """Changes a completion to follow the benchmark's conventions."""

    def __call__(
        self,
        completion: Completion,
        texts: Mapping[str, str],
        ask_check: AskDraftCheck,
        /,
    ) -> Completion:
        """Return the changed completion. `texts` are those of the files that were read,
        by path."""


class PutInForm(Protocol):
    """Brings an answer's message into the form that the rules and the request ask
    for."""

    def __call__(
        self,
        outcome: str,
        message: str,
        rules: str,
        ask: Callable[[], str],
        request: str,
        /,
    ) -> str:
        """Return the message in its form. `ask` returns a model's proposal; empty if it
        has none."""


@dataclass(frozen=True, slots=True)
class SolverBindings:
    """The functions that a benchmark adds to the stages of the exoskeleton.

    `revise` and `put_in_form` are Python functions. `preflight`, `permission` and
    `references` name checks: functions of the environment that only read, declared in
    `ToolSchema.checks`. An empty name means that there is no such check.
    """

    intent_schema: Mapping[str, object] | None = None
    """The JSON schema of the classifier's reply, with a description of each property;
    None without a classifier. Checks get this reply as `intent`."""
    preflight: tuple[str, ...] = ()
    """The checks that may answer a request, in order. Each takes `(request, intent)`,
    and its value is a `CheckValue`."""
    permission: str = ""
    """The check that decides which changes a request permits. It takes `(request,
    intent)`, and its value is a `Permission`. Without it, all changes are permitted."""
    references: str = ""
    """The check that corrects an answer's references, the files that it cites.

    It takes `(request, answer, findings, in_order)`. `answer` has the completion's
    fields, and `findings` the results of functions as JSON (see `Assembly.findings`).
    With `in_order`, it also completes and sorts the references. Its value has the
    answer's `message`."""
    task_types: tuple[str, ...] = ("other",)
    """The kinds of requests that a completion distinguishes."""
    revise: ReviseCompletion | None = None
    put_in_form: PutInForm | None = None


class CheckValue(Received):
    """The value of a check before the model is asked. With an outcome, it answers the
    request."""

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
