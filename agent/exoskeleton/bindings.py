"""What a benchmark adds to the exoskeleton solver, and the parts of it that can be switched off.

The exoskeleton is the solver whose model calls tools, while code checks the request before
the model is asked, and the answer afterwards. The call by which the model hands in its answer
is the *completion*.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from controlplane.agent.exoskeleton.benchmark_functions import (
    PutInForm,
    ReviseCompletion,
)


class Part(StrEnum):
    """A part of the solver that can be switched off."""

    CLASSIFIER = "classifier"
    """A small model classifies the request (see `SolverBindings.intent_schema`)."""
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


@dataclass(frozen=True, slots=True)
class SolverBindings:
    """The functions that a benchmark adds to the exoskeleton.

    Some are *checks*: functions that only read. The environment declares them in
    `ToolSchema.checks`, and here are their names. A library may have these bindings:

        SolverBindings(
            preflight=("refuse_strangers",),
            permission="permitted_changes",
            references="loan_references",
            task_types=("renewal", "other"),
        )

    If the user asks "Renew loan l-12", the checks return these values:

    | check | value | so |
    |---|---|---|
    | `permitted_changes` | `Permission(files=True, tools=False)` | the model may change files |
    | `refuse_strangers` | `CheckValue()`, which has no answer | the model is asked |
    | `loan_references` | `{"message": "Renewed."}` | this answer is submitted |
    """

    # Before the model is asked

    intent_schema: Mapping[str, object] | None = None
    """The JSON schema by which a small model, the classifier, describes the request before
    the checks run, with a description of each property. The checks get its reply as `intent`.
    None without a classifier: `intent` is then empty."""
    preflight: tuple[str, ...] = ()
    """The checks that may answer a request, in order. Each takes
    `(request, intent)`, and its value is a `CheckValue`."""
    permission: str | None = None
    """The check that decides which changes a request permits. It takes `(request,
    intent)`, and its value is a `Permission`. Without it, all changes are permitted."""

    # When the model has answered

    references: str | None = None
    """The check that corrects an answer's references, the files that it cites. It takes
    `(request, answer, findings, in_order)` (see `ReferenceCheck`), and its result has the
    answer's `message` and the corrected references."""
    task_types: tuple[str, ...] = ("other",)
    """The kinds of requests, one of which the model states in its completion."""
    revise: ReviseCompletion | None = None
    """Applies the benchmark's conventions to a completion."""
    put_in_form: PutInForm | None = None
    """Brings the answer's message into the requested form."""

    def limited_to(self, parts: Collection[str]) -> SolverBindings:
        """Return the bindings without the functions of parts that are switched off.

        `references` stays: two parts use it, in different ways (see `reference_check_of`).
        """
        bindings = self
        if Part.CLASSIFIER not in parts:
            bindings = replace(bindings, intent_schema=None)
        if Part.PREFLIGHT not in parts:
            bindings = replace(bindings, preflight=())
        if Part.FORMATTER not in parts:
            bindings = replace(bindings, revise=None, put_in_form=None)
        return bindings
