"""The rules of the rule set `ecom`, which object to answers that are probably wrong.

For example, an answer about the stock of a product has to cite the product. What all rules are
made of is here (`Review`, `rule`); the rules are in `rule_set.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Final

import re2

from controlplane.benchmarks.shop.requests import (
    RequestKind,
)
from controlplane.benchmarks.shop.texts import (
    NO_WORDS,
    YES_WORDS,
    certain_yes_no_words,
)
from controlplane.benchmarks.shop.workspace.kinds import (
    Kind,
    kind_of,
    named_ids,
)
from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable, Opinion
from controlplane.gates.paths import record_id, split_fragment
from controlplane.gates.quoting import quote
from controlplane.gates.rules import Rule
from controlplane.gates.submission import Case, Submission
from controlplane.gates.text_folding import encodable
from controlplane.sandbox.interface import Plain

# What the text of an answer states: a yes, a no, or a number.
#
# Rules compare it with the citations. An answer "Yes" to "do you sell such a lamp?" has to cite a
# lamp, and an answer "3" to "how many?" at most three products.

_BEGINNING_CHARS: Final = 200
"""The number of characters at the start of an answer in which a yes or a no is looked for."""


def _stated_yes(answer: str, rules: str) -> bool | None:
    """Return True if the whole answer is a yes, False if it is a no, None otherwise.

    `rules` is the shop's rules document. It may define words of its own, which count first:
    "Answer `1` for yes, `0` for no."
    """
    own_words = certain_yes_no_words(rules)
    if own_words is not None and answer.strip() in own_words:
        return answer.strip() == own_words.yes
    # Compare the letters alone, because a yes may be in a template or in quotation marks: `<Yes.>`.
    beginning = answer[:_BEGINNING_CHARS].lower()
    letters = "".join(char for char in beginning if "a" <= char <= "z")
    return _yes_or_no(letters)


_FIRST_WORD: Final = re2.compile(r"(?i)\W{0,3}([a-z]+)\b")
"""The first word of an answer, after at most three signs: `Yes` of `"Yes, two."`."""


def begins_with_yes(answer: str) -> bool | None:
    """Return True if the first word of an answer is a yes, False if it is a no, None otherwise.

    Unlike in `_stated_yes`, more text may follow: `Nein, 3.` -> False.
    """
    match = _FIRST_WORD.match(encodable(answer[:_BEGINNING_CHARS]))
    return _yes_or_no(match[1].lower()) if match else None


def _yes_or_no(word: str) -> bool | None:
    """Return True for `yes` and False for `no`, in several languages; None for other words."""
    if word in YES_WORDS:
        return True
    if word in NO_WORDS:
        return False
    return None


_SHORT_TEXT: Final = r"\D{0,19}"
"""A few words or signs without digits, such as the `<COUNT:` of a template.

In a longer text, the number would be one fact among others.
"""
_SEPARATOR: Final = r"[^\pL\pN_-]"
"""A character that separates words: the number must not be a part of `AB-3`."""
_NUMBER: Final = re2.compile(
    rf"(?s)(?:{_SHORT_TEXT}{_SEPARATOR})?(\d{{1,6}})(?:{_SEPARATOR}{_SHORT_TEXT})?"
)
"""An answer that is one number, perhaps in a template: `3`, `<COUNT:3>`."""


def stated_number(answer: str) -> int | None:
    """Return the only number in an answer, bare or in a template; None for other answers.

    `<COUNT:3>` -> 3. `FALSE(0)` is a no and not a number.
    """
    if begins_with_yes(answer) is not None:
        return None
    match = _NUMBER.fullmatch(encodable(answer.strip()))
    return int(match[1]) if match else None


# What a rule of shops is made of: an answer under review, and the decorator `rule`.
#
# A rule is a function that objects to an answer or has no objection. The agent reads the objection
# and looks at its answer again:
#
#     @rule("refund", REFUND, outcomes=(OK,))
#     def refund(review: Review) -> Opinion:
#         return NO_OBJECTION if review.cited(Kind.RETURN) else "No return is cited."

NO_OBJECTION: Final = None
"""A rule returns this if it judged the answer and found no fault."""
NOT_APPLICABLE: Final = Inapplicable("the request or the outcome is of another kind")
"""A rule returns this if it is not about such requests or outcomes.

The answer passes, as with `NO_OBJECTION`, but a report says that the rule did not judge it.
"""

_SENTENCE_END: Final = re2.compile(r"[.!?;]\s+|\n\s*\n|\n\s*[-*#>]+\s")
"""The end of a sentence, a paragraph or an item of a list."""
_MOST_SENTENCE_CHARS: Final = 300


def sentence_with(text: str, words: Sequence[str]) -> str:
    """Return the sentence of a text with most of some words, in lower case; "" if none has any."""
    best_sentence = ""
    most_words = 0
    for part in _SENTENCE_END.split(encodable(text)):
        sentence = " ".join(part.split()).strip("#-*> ").removesuffix(".")
        folded = sentence.casefold()
        count = sum(1 for word in words if word in folded)
        if count > most_words:
            best_sentence = sentence
            most_words = count
    return best_sentence


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
        return _stated_yes(self.answer, self.case.rules)

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

    # On what an objection rests: who asks, and what a page says

    @property
    def asker(self) -> str:
        """Who asks, as the identity tool has shown it: "The asker is a guest"; "" if unknown."""
        if self.asker_has_role("employee"):
            return "The asker is a member of staff"
        for role in ("guest", "customer"):
            if self.asker_has_role(role):
                return f"The asker is a {role}"
        return ""

    def basis(self, words: Sequence[str], page: str = "") -> str:
        """Return who asks, and the sentence of a page with most of some words.

        "The asker is a guest; `/docs/security.md` says: `Guests may not …`." If no page is
        given, it is the first one, or else the rules, with one of the words.
        """
        texts = self.evidence.documents
        parts = [self.asker] if self.asker else []
        says = "the rules say"
        sentence = ""
        for path in [page] if page else texts:
            sentence = sentence_with(texts.get(path, ""), words)
            if sentence:
                says = f"{quote(path)} says"
                break
        if not sentence:
            sentence = sentence_with(self.case.rules, words)
        if sentence:
            parts.append(f"{says}: {quote(sentence, _MOST_SENTENCE_CHARS)}")
        return "; ".join(parts) + ". " if parts else ""

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

    def lacks(self, kind: Kind) -> bool:
        """Return True if the answer cites no record of a kind, although it could."""
        return not self.cited(kind) and self.may_cite(kind)

    def may_cite(self, kind: Kind) -> bool:
        """Return True if the trial has read a record of a kind, or may have.

        If no record is known that it has read, it may have read any.
        """
        return not self._knows_read_records or bool(self.read(kind))

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
