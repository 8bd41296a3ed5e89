"""What a rule of shops is made of: an answer under review, and the decorator `rule`.

A rule is a function that objects to an answer or has no objection. The agent reads the objection
and looks at its answer again:

    @rule("refund", REFUND, outcomes=(OK,))
    def refund(review: Review) -> Opinion:
        return NO_OBJECTION if review.cited(Kind.RETURN) else "No return is cited."
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Final

from controlplane.benchmarks.shop.requests.request_kind import RequestKind
from controlplane.benchmarks.shop.rules.read_records import (
    asker_has_role,
    can_be_cited,
    has_read_any_record,
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
from controlplane.sandbox.interface import Plain

NO_OBJECTION: Final = None
"""A rule returns this if it judged the answer and found no fault."""
NOT_APPLICABLE: Final = Inapplicable("the request or the outcome is of another kind")
"""A rule returns this if it is not about such requests or outcomes.

The answer passes, as with `NO_OBJECTION`, but a report says that the rule did not judge it.
"""


@dataclass(frozen=True, slots=True)
class Review:
    """An answer under review, with the questions that rules ask about it.

    For example, a rule on refunds asks `review.cited(Kind.RETURN)`. The answer is the result of a
    trial: an agent's one try at a request, by calls that read and change the shop.
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

    def asker_has_role(self, role: str) -> bool:
        """Return True if the identity tool has printed this role of the asker, such as `employee`.

        The result is False if the trial has not run the tool.
        """
        return asker_has_role(self.evidence, role)

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

        It may have if its calls were not recorded.
        """
        return can_be_cited(kind, self.evidence)

    @property
    def has_read_no_record(self) -> bool:
        """True if it is certain that the trial has read no record, because its calls are known."""
        return self.evidence.has_trace and not has_read_any_record(self.evidence)


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
