"""What a rule judges: one answer, its request, and what the trial has read and done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Final, TypeAlias

from controlplane.benchmarks.shop.requests.request_kinds import RequestKind
from controlplane.benchmarks.shop.rules.submission_facts import (
    can_be_cited,
    cited_records,
    read_records,
    reasons_mention,
    stated_yes,
)
from controlplane.benchmarks.shop.workspace.kinds import Kind, named_ids
from controlplane.gates.evidence import Evidence
from controlplane.gates.rules import Rule
from controlplane.gates.submission import Case, Inapplicable, Opinion, Submission
from controlplane.sandbox.interface import Plain

NO_OBJECTION: Final = None
"""A rule returns this if it judged the answer and found no fault."""
NOT_JUDGED: Final = Inapplicable("the request or the outcome is of another kind")
"""A rule returns this if it does not apply to the request or to the answer's outcome."""


@dataclass(frozen=True, slots=True)
class Review:
    """An answer under review."""

    submission: Submission
    evidence: Evidence
    """The calls of the trial and their results: what it has read and done."""
    case: Case
    """The request and the workspace's rules."""

    @property
    def request(self) -> str:
        """The text of the request."""
        return self.case.instruction

    @property
    def named_ids(self) -> tuple[str, ...]:
        """The ids of baskets, payments and returns that the request names."""
        return named_ids(self.case.instruction)

    @property
    def outcome(self) -> Plain:
        """The outcome of the answer."""
        return self.submission.outcome

    @property
    def answer(self) -> str:
        """The text of the answer."""
        return self.submission.answer_text

    @property
    def says_yes(self) -> bool | None:
        """True if the whole answer is a yes, False if it is a no, None otherwise."""
        return stated_yes(self.submission, self.case.rules)

    def gives_reason(self, words: str) -> bool:
        """Return True if the reason of a citation contains one of these words (a pattern).

        With such a reason, an answer meets an objection.
        """
        return reasons_mention(self.submission, words)

    def cited(self, kind: Kind) -> list[str]:
        """Return the cited records of a kind."""
        return cited_records(self.submission, kind)

    def read(self, kind: Kind) -> dict[str, str]:
        """Return the paths of the records of a kind that the trial has read, by id."""
        return read_records(self.evidence, kind)

    def may_cite(self, kind: Kind) -> bool:
        """Return True if the trial has read a record of a kind, or may have.

        It may have if it is not known which records it has read.
        """
        return can_be_cited(kind, self.evidence)


FaultOf: TypeAlias = Callable[[Review], Opinion]
"""A rule's function.

Its result (`Opinion`) is an objection's text, an `Objection` to citations,
`NO_OBJECTION`, or `NOT_JUDGED`.
"""


@dataclass(frozen=True, slots=True)
class _Judge:
    """The function of a `Rule`: judges answers that the rule is for, and no others."""

    fault_of: FaultOf
    request_kinds: tuple[RequestKind, ...]
    """The kinds that a request must all be of."""
    outcomes: tuple[str, ...]
    """The outcomes of which an answer must have one; empty for any."""

    @property
    def __code__(self) -> CodeType:
        """The code of the rule's function. If the function fails, the message names its line."""
        return self.fault_of.__code__

    def __call__(
        self, submission: Submission, evidence: Evidence, case: Case
    ) -> Opinion:
        if self.outcomes and submission.outcome not in self.outcomes:
            return NOT_JUDGED
        for kind in self.request_kinds:
            if not kind.find(case.instruction):
                return NOT_JUDGED
        return self.fault_of(Review(submission, evidence, case))


def rule(
    name: str, *request_kinds: RequestKind, outcomes: tuple[str, ...] = ()
) -> Callable[[FaultOf], Rule]:
    """Return a decorator that turns a function into a rule.

    The rule applies only to requests that are of all the given kinds. If outcomes are
    given, it applies only to answers with one of them.
    """

    def decorate(fault_of: FaultOf) -> Rule:
        return Rule(name, _Judge(fault_of, request_kinds, outcomes))

    return decorate
