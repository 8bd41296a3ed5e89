"""An environment's additions to the solver, as data, and the parts of the solver that can be switched off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from agent.model.model_protocol import Received


class Part(StrEnum):
    """A part of the solver."""

    CLASSIFIER = "classifier"
    """A small model classifies the request."""
    PREFLIGHT = "preflight"
    """Checks that can answer before the model is asked."""
    HELPERS = "helpers"
    """The environment's functions that find something are offered as tools."""
    EVIDENCE_STORE = "evidence-store"
    """The results of those functions go into the answer."""
    REFERENCES = "references"
    """References are put in order: existing, owned, linked, named."""
    FORMATTER = "formatter"
    """A small model brings the message into the requested form."""


@dataclass(frozen=True, slots=True)
class ResultBucket:
    """A place of the evidence store for an operation's function results."""

    name: str
    message_field: str = ""
    """The field of a function result's value that can be the message; a value that is a text can be the message,
    too."""


@dataclass(frozen=True, slots=True)
class TextParse:
    """A text that describes what an operation looks for, and the arguments into which the text can be split."""

    parameter: str
    """The operation's parameter that holds the text, and later the rest of the text."""
    into: tuple[str, ...]
    """Parameters that take lists of texts; a call that fills one of them is left unchanged."""
    schema: Mapping[str, object]
    """JSON schema of all of these parameters, with a description for each property."""
    ruled_out: str = ""
    """The parameter for what is ruled out: filled if, and only if, a word of the text rules something out."""
    from_words: int = 4
    """Min different words of a text that is worth a request."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A model's answer before its message has its last form."""

    task_type: str
    outcome: str
    message: str
    notes: str = ""
    cited: tuple[str, ...] = ()
    """The paths that it cites, with fragments."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The texts of the files that were read, by path."""


AskReview: TypeAlias = Callable[[Mapping[str, object], str], Mapping[str, Any]]
"""Asks the model of the role `review` for an object of a JSON schema about a text; empty if there is none."""


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
    buckets: Mapping[str, ResultBucket] = field(default_factory=dict)
    """The evidence store's bucket for an operation's function results; other function results go under the operation's
    own name."""
    revise: Callable[[Draft, AskReview], Draft] | None = None
    """Returns an answer with the outcome and the message that the benchmark's conventions give it."""
    put_in_form: Callable[[Draft, str, str, Callable[[], str]], str] | None = None
    """Returns an answer's message in the form that the rules and the request, in this order, ask for; the last argument
    returns the proposal of the model of the role `format`."""
    parses: Mapping[str, TextParse] = field(default_factory=dict)
    """The text that the role `parse` splits, by operation."""


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
