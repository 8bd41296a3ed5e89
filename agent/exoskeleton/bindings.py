"""What a benchmark adds to the exoskeleton solver: functions that check a request and its answer.

A library may add these. If the user asks "Renew loan l-12", they run in this order:

    SolverBindings(
        intent_schema={"change": {"type": "boolean"}},    # a small model says: {"change": true}
        permission="permitted_changes",     # the trial may change files, but run no executables
        preflight=("refuse_strangers",),    # has no answer, so the model is asked
        revise=with_full_stop,              # the model's answer "renewed" becomes "Renewed."
        references="loan_references",       # the answer cites /loans/l-12.json
        put_in_form=in_asked_form,          # leaves the message as it is: no form is asked for
    )

Functions that read the environment's files are operations of the environment, given by name.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from controlplane.agent.exoskeleton.benchmark_functions import (
    PutInForm,
    ReviseCompletion,
)
from controlplane.agent.exoskeleton.parts import Part


@dataclass(frozen=True, slots=True)
class SolverBindings:
    """The functions that a benchmark adds. All may be missing.

    A *check* is given by its name. The environment declares it in `ToolSchema.checks`.
    """

    intent_schema: Mapping[str, object] | None = None
    """The JSON schema of the reply by which a small model, the classifier, describes the
    request. The checks below get the reply as `intent`."""
    preflight: tuple[str, ...] = ()
    """The checks that may answer a request before the model is asked, in order. Each takes
    `(request, intent)`. Its value, a `CheckValue`, has the answer, if there is one."""
    permission: str | None = None
    """The check that decides which changes a request permits: it takes `(request, intent)`,
    and its value is a `Permission`. Without it, all changes are permitted."""
    references: str | None = None
    """The check that corrects which files an answer cites (see `ReferenceCheck`)."""
    task_types: tuple[str, ...] = ("other",)
    """The kinds of requests, such as `renewal`. The model says which one this is."""
    revise: ReviseCompletion | None = None
    """Applies the benchmark's conventions to the model's answer."""
    put_in_form: PutInForm | None = None
    """Brings the answer's message into the requested form."""

    def limited_to(self, parts: Collection[str]) -> SolverBindings:
        """Return the bindings without the functions of parts that a user has switched off.

        The permission cannot be switched off.
        """
        bindings = self
        if Part.CLASSIFIER not in parts:
            bindings = replace(bindings, intent_schema=None)
        if Part.PREFLIGHT not in parts:
            bindings = replace(bindings, preflight=())
        if Part.FORMATTER not in parts:
            bindings = replace(bindings, revise=None, put_in_form=None)
        # Two parts use `references`, in different ways. `reference_check_of` looks at them.
        return bindings
