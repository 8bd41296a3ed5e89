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

import re2

from controlplane.benchmarks.shop.requests.request_kind import RequestKind
from controlplane.benchmarks.shop.rules.stated_answers import stated_yes
from controlplane.benchmarks.shop.workspace.kinds import Kind, kind_of
from controlplane.benchmarks.shop.workspace.named_ids import named_ids
from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable, Opinion
from controlplane.gates.paths import record_id, split_fragment
from controlplane.gates.rules import Rule
from controlplane.gates.submission import Case, Submission
from controlplane.gates.surrogates import encodable
from controlplane.sandbox.interface import Plain

NO_OBJECTION: Final = None
"""A rule returns this if it judged the answer and found no fault."""
NOT_APPLICABLE: Final = Inapplicable("the request or the outcome is of another kind")
"""A rule returns this if it is not about such requests or outcomes.

The answer passes, as with `NO_OBJECTION`, but a report says that the rule did not judge it.
"""

IDENTITY_TOOL: Final = "/bin/id"
"""The tool that prints who is signed in, and in which roles: `roles: employee, floor_lead`."""
_KINDS_OF_SEARCHES: Final = frozenset((Kind.PRODUCT, Kind.BRANCH, None))
"""The kinds of files that an answer cites if its agent searched for products.

None is the kind of documents and of other files that are not records.
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
    """The results of the trial's calls, by path. Empty if the calls were not recorded."""
    case: Case
    """The request and the shop's rules."""

    # What was asked

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
        """The ids of baskets, payments and returns that the request names: `("pay_7",)`."""
        return named_ids(self.case.instruction)

    # What the answer says and cites

    @property
    def outcome(self) -> Plain:
        """The outcome of the answer: OK, or why the request was not carried out."""
        return self.submission.outcome

    @property
    def answer(self) -> str:
        """The text of the answer."""
        return self.submission.answer_text

    @property
    def says_yes(self) -> bool | None:
        """True if the whole answer is a yes, False if it is a no, None otherwise."""
        return stated_yes(self.answer, self.case.rules)

    def cited(self, kind: Kind) -> list[str]:
        """Return the paths of the cited records of a kind, each once.

        `Kind.RETURN` -> `["/proc/returns/ret_1.json"]`
        """
        records = []
        for path in self.submission.citations:
            if kind_of(path) is kind:
                records.append(split_fragment(path)[0])
        return list(dict.fromkeys(records))

    @property
    def found_products(self) -> list[str]:
        """The paths of the cited products that the agent has found by a search.

        They are those that the request does not name. The list is empty if the answer also cites
        a basket, a receipt or another record that lists products, because they are from there.
        """
        cited_kinds = {kind_of(path) for path in self.submission.citations}
        if not cited_kinds <= _KINDS_OF_SEARCHES:
            return []
        products = self.cited(Kind.PRODUCT)
        return [path for path in products if record_id(path) not in self.request]

    def gives_reason(self, words: str) -> bool:
        """Return True if the reason of a citation contains one of these words (a pattern).

        An agent that is sure can give a reason, such as "the only match", and pass.
        """
        # The reasons by path, as the agent has written them. They may have any form.
        reasons = self.submission.refs_why
        if not isinstance(reasons, dict):
            return False
        pattern = rf"(?i)\b(?:{words})\b"
        for reason in reasons.values():
            if isinstance(reason, str) and re2.search(pattern, encodable(reason)):
                return True
        return False

    # What the trial has read

    def asker_has_role(self, role: str) -> bool:
        """Return True if the identity tool has printed this role of the asker, such as `employee`.

        The result is False if the trial has not run the tool: nothing else proves who asks.
        """
        output = self.evidence.find(IDENTITY_TOOL).access
        return output is not None and output.proves(role)

    def read(self, kind: Kind) -> dict[str, str]:
        """Return the paths of the records of a kind that the trial has read, by id.

        `Kind.RETURN` -> `{"ret_1": "/proc/returns/ret_1.json"}`
        """
        records = {}
        for path in self.evidence.accesses:
            is_whole_file = "#" not in path  # `export.tsv#row=p7` is one row of a file
            if is_whole_file and kind_of(path) is kind:
                records[record_id(path)] = path
        return records

    @property
    def has_read_no_record(self) -> bool:
        """True if it is certain that the trial has read no record, because its calls are known."""
        return self.evidence.has_trace and not self._knows_read_records

    def may_cite(self, kind: Kind) -> bool:
        """Return True if the trial has read a record of a kind, or may have.

        If no record is known that it has read, it may have read any.
        """
        if not self._knows_read_records:
            return True
        return bool(self.read(kind))

    @property
    def _knows_read_records(self) -> bool:
        """True if the evidence contains a record of any kind."""
        return any(kind_of(path) is not None for path in self.evidence.accesses)


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
