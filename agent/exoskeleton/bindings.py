"""What an environment's kind adds to the solver, as data, and the parts of the solver that can be switched off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Part(StrEnum):
    """A part of the solver."""

    CLASSIFIER = "classifier"
    """A small model says what the request wants."""
    PREFLIGHT = "preflight"
    """Checks that can answer before the model is asked."""
    HELPERS = "helpers"
    """The environment's functions that find something are offered as tools."""
    LEDGER = "ledger"
    """What those functions found goes into the answer."""
    REFERENCES = "references"
    """References are put in order: existing, owned, linked, named."""
    FORMATTER = "formatter"
    """A small model brings the message into the form that was asked for."""


@dataclass(frozen=True, slots=True)
class FindingBucket:
    """A place of the ledger for what an operation finds."""

    name: str
    message_field: str = ""
    """The field of a finding's value that can be the message; a value that is text can be too."""


@dataclass(frozen=True, slots=True)
class TextParse:
    """A text that describes what an operation looks for, and the arguments into which it can be taken apart."""

    parameter: str
    """The operation's parameter that holds the text, and then what is left of it."""
    into: tuple[str, ...]
    """Parameters that take lists of texts; a call that fills one is left as it is."""
    schema: Mapping[str, object]
    """JSON schema of all of them, a description for each property."""
    ruled_out: str = ""
    """The one of them for what is ruled out: it is filled if a word of the text rules something out, and only then."""
    from_words: int = 4
    """Different words of a text that is worth a request."""


@dataclass(frozen=True, slots=True)
class SolverBindings:
    """Names of checks are those of `Surface.checks`; each is a function that finds something, and only reads."""

    intent_schema: Mapping[str, object] | None = None
    """JSON schema of what the classifier says of a request, a description for each property; None: nothing is asked."""
    preflight: tuple[str, ...] = ()
    """Checks that may answer, in their order: `(request, intent)` to a finding of a `CheckValue`."""
    permission: str = ""
    """The check that says what a request may change: `(request, intent)` to a finding of a `Permission`."""
    references: str = ""
    """The check that puts an answer's references in order: `(request, answer, findings, in_order)` to a finding of its
    `message`, whose references they are."""
    task_types: tuple[str, ...] = ("other",)
    """The kinds of requests that a completion tells apart."""
    buckets: Mapping[str, FindingBucket] = field(default_factory=dict)
    """Where in the ledger an operation's findings go; others go under the operation's own name."""
    parses: Mapping[str, TextParse] = field(default_factory=dict)
    """By operation, the text that the role `parse` takes apart."""


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class CheckValue(_Value):
    """What a check of the preflight says. Without an outcome it answers nothing."""

    outcome: str = ""
    """The outcome class of its answer."""
    message: str = ""
    """The answer."""
    reason: str = ""
    """Why it answers, in a word or two."""
    delete: tuple[str, ...] = ()
    """Files that are deleted before the answer."""
    context: str = ""
    """What the model should know if nothing is answered."""


class Permission(_Value):
    """What a request may change."""

    files: bool = True
    """Calls that write and delete."""
    tools: bool = True
    """Runs of executables that change something."""
