"""The parts of which rules are made: the answer under review, and the decorator `rule`.

A rule asks an answer for a second look, such as at an outcome that seldom fits the request.
The `Review` has what it judges by: the answer, its request, and what the trial has read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Final

from controlplane.benchmarks.shop.requests.request_kind import RequestKind
from controlplane.benchmarks.shop.rules.read_records import (
    can_be_cited,
    identity_output,
    read_records,
)
from controlplane.benchmarks.shop.rules.stated_answers import stated_yes
from controlplane.benchmarks.shop.rules.submission_facts import (
    cited_records,
    reasons_mention,
)
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.named_ids import named_ids
from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable, Opinion
from controlplane.gates.rules import Rule
from controlplane.gates.submission import Case, Submission
from controlplane.gates.trial.accesses import Access
from controlplane.sandbox.interface import Plain

# What a rule returns if it has no fault to tell. The answer passes in both cases, but a report
# distinguishes them.
NO_OBJECTION: Final = None
"""The rule judged the answer and found no fault."""
NOT_APPLICABLE: Final = Inapplicable("the request or the outcome is of another kind")
"""The rule is not about such requests or outcomes, so it did not judge the answer."""


@dataclass(frozen=True, slots=True)
class Review:
    """An answer under review, with the questions that rules ask about it.

    For example, a rule on refunds asks `review.cited(Kind.RETURN)`.
    """

    submission: Submission
    """The answer with its citations."""
    evidence: Evidence
    """The calls of the trial and their results: what it has read and done."""
    case: Case
    """The request and the workspace's rules."""

    @property
    def request(self) -> str:
        """The text of the request."""
        return self.case.instruction

    @property
    def asks_for_count(self) -> bool:
        """True if the request gives a form with a number for the answer: `<COUNT:%d>`."""
        return "%d" in self.request

    @property
    def named_ids(self) -> tuple[str, ...]:
        """The ids of baskets, payments and returns that the request names."""
        return named_ids(self.case.instruction)

    @property
    def outcome(self) -> Plain:
        """The outcome of the answer."""
        return self.submission.outcome

    @property
    def identity(self) -> Access | None:
        """The output of the identity tool, which proves who asks; None if the trial has not run it."""
        return identity_output(self.evidence)

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

        An agent that is sure can give a reason, such as "the only match", and pass.
        """
        return reasons_mention(self.submission, words)

    def cited(self, kind: Kind) -> list[str]:
        """Return the paths of the cited records of a kind: `["/proc/returns/ret_1.json"]`."""
        return cited_records(self.submission, kind)

    def read(self, kind: Kind) -> dict[str, str]:
        """Return the paths of the records of a kind that the trial has read, by id.

        `{"ret_1": "/proc/returns/ret_1.json"}`
        """
        return read_records(self.evidence, kind)

    def may_cite(self, kind: Kind) -> bool:
        """Return True if the trial has read a record of a kind, or may have.

        It may have if it is not known which records it has read.
        """
        return can_be_cited(kind, self.evidence)


def rule(
    name: str, *request_kinds: RequestKind, outcomes: tuple[str, ...] = ()
) -> Callable[[Callable[[Review], Opinion]], Rule]:
    """Return a decorator that turns a function into a rule.

    The function returns an objection's text, an `Objection` to citations, `NO_OBJECTION`
    or `NOT_APPLICABLE`. It is called only for requests that are of all the given kinds and,
    if outcomes are given, for answers with one of them. The rule does not judge others.
    """

    def decorate(judge_review: Callable[[Review], Opinion]) -> Rule:
        @wraps(judge_review)
        def judge(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
            if outcomes and submission.outcome not in outcomes:
                return NOT_APPLICABLE
            for kind in request_kinds:
                if not kind.find(case.instruction):
                    return NOT_APPLICABLE
            return judge_review(Review(submission, evidence, case))

        return Rule(name, judge)

    return decorate
