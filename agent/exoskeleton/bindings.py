"""The functions that a benchmark adds to the exoskeleton solver, and that solver's optional parts.

The exoskeleton is the solver whose model calls tools, between checks by code before and
after it. The model hands in its answer by a call, too: the *completion*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from controlplane.agent.exoskeleton.completion import Completion


class Part(StrEnum):
    """A part of the solver that can be switched off."""

    CLASSIFIER = "classifier"
    """A small model classifies the request."""
    PREFLIGHT = "preflight"
    """Checks of the benchmark may answer the request before the model is asked."""
    EVIDENCE_STORE = "evidence-store"
    """The answer's references (cited files) also get the files
    that support the results of functions that the model called."""
    REFERENCES = "references"
    """The benchmark corrects the answer's references (see `SolverBindings.references`)."""
    FORMATTER = "formatter"
    """The answer follows the benchmark's conventions, and its message has the requested form
    (see `SolverBindings.revise` and `put_in_form`). Both may ask a small model."""


class AskDraftCheck(Protocol):
    """Asks a model about the draft of an answer, for example if it says what was asked for.

    It is the model that the user has chosen for the role `check_draft`.
    """

    def __call__(self, schema: Mapping[str, object], text: str, /) -> Mapping[str, Any]:
        """Return the model's reply, a JSON object; empty if the model fails.

        `schema` is the JSON schema of the reply, and `text` the draft.
        """


class ReviseCompletion(Protocol):
    """Changes a completion (the model's answer) to follow the benchmark's conventions."""

    def __call__(
        self,
        completion: Completion,
        texts: Mapping[str, str],
        check_draft: AskDraftCheck,
        /,
    ) -> Completion:
        """Return the changed completion.

        `texts` are those of the files that were read, by path. `check_draft` asks a model about
        the draft of the answer.
        """


class PutInForm(Protocol):
    """Brings an answer's message into the form that the rules and the request ask for."""

    def __call__(
        self,
        outcome: str,
        message: str,
        rules: str,
        propose_message: Callable[[], str],
        request: str,
        /,
    ) -> str:
        """Return the message in its form.

        `rules` are the workspace's rules, and `request` is the instruction.
        `propose_message` asks a model, and returns the message that it proposes; empty if none.
        """


@dataclass(frozen=True, slots=True)
class SolverBindings:
    """The functions that a benchmark adds to the exoskeleton, a solver whose model calls tools.

    Some are checks: functions of the environment that only read. The environment declares
    them in `ToolSchema.checks`, and here are their names. A library may have these bindings:

        SolverBindings(
            preflight=("refuse_strangers",),
            permission="permitted_changes",
            references="loan_references",
            task_types=("renewal", "other"),
        )

    | call, if the user asks "Renew loan l-12" | its value |
    |---|---|
    | `refuse_strangers(request, intent)` | `CheckValue()`: the model may answer |
    | `permitted_changes(request, intent)` | `Permission(files=True, tools=False)` |
    | `loan_references(request, answer, ...)` | the answer's `message`, with `/loans/l-12.json` |

    An empty name stands for no check. Without a classifier, `intent` is empty. A *completion*
    is the call by which the model hands in its answer.
    """

    intent_schema: Mapping[str, object] | None = None
    """The JSON schema by which a small model, the classifier, describes the request before
    the checks run, with a description of each property; None without a classifier. The
    checks get its reply as `intent`."""
    preflight: tuple[str, ...] = ()
    """The checks that may answer a request, in order. Each takes
    `(request, intent)`, and its value is a `CheckValue`."""
    permission: str = ""
    """The check that decides which changes a request permits. It takes `(request,
    intent)`, and its value is a `Permission`. Without it, all changes are permitted."""
    references: str = ""
    """The check that corrects an answer's references, the files
    that it cites. Its value has the answer's `message`. It takes:

    - `request`: the instruction
    - `answer`: the fields of the completion
    - `findings`: the results of functions, as JSON (see `Findings`)
    - `in_order`: True if it not only corrects the references, but completes and sorts them
    """
    task_types: tuple[str, ...] = ("other",)
    """The kinds of requests, one of which the model states in its completion."""
    revise: ReviseCompletion | None = None
    """Applies the benchmark's conventions to a completion."""
    put_in_form: PutInForm | None = None
    """Brings the answer's message into the requested form."""
