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

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, Protocol

from pydantic import BeforeValidator

from controlplane.agent.model import Received

# The files that an answer cites, as a model writes them.
#
# Models write a reference as an object or only as a path. Both are read:
#
#     ["/docs/a.md", {"path": "/loans/l-7.json", "reason": "the loan"}]
#         -> CitedPath(path="/docs/a.md"),
#            CitedPath(path="/loans/l-7.json", reason="the loan")


class CitedPath(Received):
    """A reference: a file that the answer cites, and why."""

    path: str
    reason: str = ""
    quote: str = ""
    """The exact words of the file."""


def _as_references(value: object) -> object:
    """Return references as objects: `["/docs/a.md"]` -> `[{"path": "/docs/a.md"}]`.

    None stands for no references. Anything that is not a list is left to pydantic.
    """
    if value is None:
        return ()
    if not isinstance(value, list):
        return value
    references = []
    for entry in value:
        references.append({"path": entry} if isinstance(entry, str) else entry)
    return references


_References = Annotated[tuple[CitedPath, ...], BeforeValidator(_as_references)]
"""References in the arguments of a call."""


# The completion of a trial: the call with which the model ends it, and hands in its answer.
#
# Models shorten its arguments. These are read alike (the environment knows the outcome's full name):
#
#     report_completion(message="12 loans", outcome="OUTCOME_OK", records=[{"path": "/l.json"}])
#     report_completion(message="12 loans", outcome="OK", records=["/l.json"], documents=None)


def _as_one_text(value: object) -> object:
    """Return a list as the lines of one text. Anything else is returned unchanged."""
    if isinstance(value, list):
        return "\n".join(str(line) for line in value)
    return value


class Completion(Received):
    """The completion of a trial: the arguments of the call with which the model ends it."""

    message: str
    """The answer."""
    outcome: str
    """How the request ended: `OUTCOME_OK`, or why it was not done."""
    notes: Annotated[str, BeforeValidator(_as_one_text)] = ""
    """What the model has established. They are not a part of the answer, but the benchmark's
    functions may read them."""
    task_type: str = "other"
    """The kind of request, one of those that the benchmark declares."""
    documents: _References = ()
    """The documents whose rules the answer follows."""
    records: _References = ()
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


# The functions by which a benchmark changes an answer before it is submitted.
#
# The model hands in `Completion(message="There are 12 loans.", ...)`, its answer. A benchmark may
# have two functions, which are called one after the other:
#
#     revise(completion, texts, check_draft)                   -> the completion, with its limits
#     put_in_form("OUTCOME_OK", "There are 12 loans.", ...)    -> "12"
#
# `SolverBindings` has both. They may ask a small model, by a function that they are given.


class AskDraftCheck(Protocol):
    """Asks a small model about the draft of an answer, for example if it is complete.

    It is the model that the user has chosen for the role `check_draft`.
    """

    def __call__(self, schema: Mapping[str, object], text: str, /) -> Mapping[str, Any]:
        """Return the model's reply, a JSON object; empty if the model fails.

        `schema` is the JSON schema of the reply, and `text` the draft.
        """


class _ReviseCompletion(Protocol):
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

        `rules` are the workspace's rules, and `request` is what the user asks for. If they do
        not make the form clear, `propose_message()` asks a small model, and returns the message
        as it would write it; empty if the model fails.
        """


# The parts of the exoskeleton solver that can be switched off, as by `--parts -classifier`.
#
# The exoskeleton is the solver whose model calls tools, while code checks the request before, and
# the answer afterwards. For "How many loans? Answer with the number only":
#
# | part | what it does | without it |
# |---|---|---|
# | `classifier` | a small model describes the request: `{"change": false}` | no description |
# | `preflight` | code may refuse a user who must not know | the model is always asked |
# | `evidence-store` | cites the files by which a function has counted the loans | not cited |
# | `references` | cites `/docs/loans.md` in place of a draft | the model's citations stay |
# | `formatter` | `There are 12 loans.` becomes `12` | the model's message stays |
#
# A benchmark adds the functions that do this (`SolverBindings`). Without one, its part does nothing.


class Part(StrEnum):
    """A part of the solver that can be switched off."""

    CLASSIFIER = "classifier"
    """A small model describes the request, for the checks that run before the solver's model
    is asked."""
    PREFLIGHT = "preflight"
    """Checks of the benchmark may answer the request before the model is asked."""
    EVIDENCE_STORE = "evidence-store"
    """The model calls functions, such as `loan_count()`. The files that support their results
    are cited, too."""
    REFERENCES = "references"
    """The benchmark corrects which files the answer cites."""
    FORMATTER = "formatter"
    """The benchmark changes the answer: it applies its conventions, and brings the message
    into the requested form. It may ask a small model for both."""


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
    """The check that corrects which files an answer cites (its arguments: see `Assembly`)."""
    task_types: tuple[str, ...] = ("other",)
    """The kinds of requests, such as `renewal`. The model says which one this is."""
    revise: _ReviseCompletion | None = None
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
        # Two parts use the check of references: one gives it what the trial's calls returned, the
        # other lets it complete and sort the references.
        if Part.EVIDENCE_STORE not in parts and Part.REFERENCES not in parts:
            bindings = replace(bindings, references=None)
        return bindings
