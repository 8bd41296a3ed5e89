"""Findings applied to an answer, its message, and the references that it cites."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from benchmarks.shop.matching import product_codes
from benchmarks.shop.records import (
    Identity,
    WorkspaceRecords,
    folded_id,
    linked_paths,
    named_records,
    parsed_record,
    repaired_paths,
    shielded,
    stem_of,
)
from benchmarks.shop.requests import asked_template
from benchmarks.shop.text import normal_words, yes_no_words

if TYPE_CHECKING:
    from agent.exoskeleton import AskReview, Draft

COUNTS: Final = frozenset({"count"})
OF_PRODUCTS: Final = frozenset({"stock_count", "stock_lookup", "receipt_price", "checkout"})
OWNED: Final = frozenset({"basket", "payment", "return"})
_OTHERS: Final = re.compile(
    r"\b(?:another|other|different|someone|somebody)\s+(?:else'?s?\s+)?(?:customer|user|account)"
)
_CODE: Final = r"[A-Z0-9]+(?:-[A-Z0-9]+)+"
_EXCLUDED: Final = re.compile(
    rf"(?:\b(?:not|never|ignore|skip)|n['’]t (?:mean|want))\s+(?:the\s+)?{_CODE}|"
    r"\b(?:any(?:thing)? but|except(?: for)?|excluding|besides|other than|without|leav(?:e|ing) out|apart from)\s+"
    rf"(?:the\s+)?{_CODE}(?:(?:,| and| or)\s+{_CODE})*"
)
_UNITS: Final = re.compile(r"\b(?:units?|stock|on hand|available)\b", re.IGNORECASE)
_MADE_READMES: Final = re.compile(r"^/(?:proc|run)/(?:.*/)?readme\.md$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReferenceCase:
    """An answer whose references are put in order."""

    outcome: str
    documents: tuple[str, ...]
    records: tuple[str, ...]
    workspace: WorkspaceRecords
    asker: Identity
    kind_of: KindOf
    task_type: str = "other"
    message: str = ""
    text: str = ""
    """The request."""
    is_protected: bool = False
    """True if only policies are cited."""
    rules: str = ""


def final_references(case: ReferenceCase) -> list[str]:
    """Return documents first, then records; without files that do not exist or that the asker may not see."""
    case = _sorted_by_kind(case)
    if _shows_nothing(case):
        return list(_existing_documents(case))
    for step in _STEPS:
        case = step(case)
    records = repaired_paths(case.workspace, list(case.records))
    return [*_existing_documents(case), *shielded(case.workspace, case.asker, records)]


def _sorted_by_kind(case: ReferenceCase) -> ReferenceCase:
    every = dict.fromkeys(case.documents + case.records)
    documents = tuple(path for path in every if _is_document(path) and not _MADE_READMES.match(path))
    return replace(case, documents=documents, records=tuple(path for path in every if not _is_document(path)))


def _existing_documents(case: ReferenceCase) -> list[str]:
    """Keep all documents if the listing does not show any; else only existing ones."""
    if not any(_is_document(path) for path in case.workspace.all_paths):
        return list(case.documents)
    return repaired_paths(case.workspace, list(case.documents))


def _shows_nothing(case: ReferenceCase) -> bool:
    """Say whether a refusal protects its subject."""
    if case.is_protected:
        return True
    if case.outcome != DENIED:
        return False
    records = [case.workspace.at(path) for path in repaired_paths(case.workspace, list(case.records))]
    is_foreign = any(record is not None and not case.asker.may_cite(record.owner) for record in records)
    is_guest = case.asker.is_outside and not case.asker.is_customer
    return (
        is_foreign
        or bool(_OTHERS.search(case.message))
        or (is_guest and any(case.kind_of(path) in OWNED for path in case.records))
    )


def _add_named(case: ReferenceCase) -> ReferenceCase:
    if case.task_type in COUNTS:
        return case
    return _with(case, named_records(case.workspace, case.asker, case.text))


def _add_products(case: ReferenceCase) -> ReferenceCase:
    listed = case.task_type in OF_PRODUCTS or (case.task_type in COUNTS and bool(_UNITS.search(case.text)))
    said = "" if case.task_type in COUNTS else case.message
    codes = [*(product_codes(case.text) if listed else ()), *product_codes(said)]
    ruled_out = excluded_codes(case.text)
    paths = [case.workspace.path_of(code) for code in codes if code not in ruled_out]
    return _with(case, [path for path in paths if path])


def _keep_asked_candidates(case: ReferenceCase) -> ReferenceCase:
    named = set(product_codes(case.message))
    if case.outcome != CLARIFY or not named:
        return case
    return _without(case, lambda path: case.kind_of(path) == "product" and stem_of(path) not in named)


def _drop_excluded(case: ReferenceCase) -> ReferenceCase:
    ruled_out = excluded_codes(case.text)
    left = [path for path in case.records if case.kind_of(path) == "product" and stem_of(path) not in ruled_out]
    if not ruled_out or (case.task_type == "stock_count" and not left):
        return case
    return _without(case, lambda path: stem_of(path) in ruled_out)


def _drop_products_of_a_no(case: ReferenceCase) -> ReferenceCase:
    if case.task_type != "product" or case.outcome != OK or not says_no(case.message, case.rules):
        return case
    return _without(case, lambda path: case.kind_of(path) == "product")


def _keep_the_basket_named(case: ReferenceCase) -> ReferenceCase:
    baskets = [path for path in case.records if case.kind_of(path) == "basket"]
    said = set(named_records(case.workspace, Identity("", frozenset({"staff"})), case.message))
    said |= {path for path in baskets if re.search(rf"(?<![\w-]){re.escape(stem_of(path))}(?![\w-])", case.message)}
    kept = [path for path in baskets if path in said]
    if len(baskets) < 2 or len(kept) != 1:
        return case
    return _without(case, lambda path: path in baskets and path not in kept)


def _add_refunded_payment(case: ReferenceCase) -> ReferenceCase:
    if case.task_type != "refund":
        return case
    return _with(case, linked_paths(case.workspace, list(case.records), key="payment_id"))


def _add_issuer(case: ReferenceCase) -> ReferenceCase:
    own = case.workspace.path_of(case.asker.user)
    return _with(case, [own]) if case.task_type == "discount" and case.asker.is_staff and own else case


_STEPS: Final[tuple[Callable[[ReferenceCase], ReferenceCase], ...]] = (
    _add_named,
    _add_products,
    _keep_asked_candidates,
    _drop_excluded,
    _drop_products_of_a_no,
    _keep_the_basket_named,
    _add_refunded_payment,
    _add_issuer,
)


def excluded_codes(text: str) -> frozenset[str]:
    """Return the product codes that a request rules out: `but not X`, `excluding X`."""
    return frozenset(code for match in _EXCLUDED.finditer(text) for code in re.findall(_CODE, match[0]))


def says_no(message: str, rules: str) -> bool:
    """Say whether a message is a no, in the words of the rules document or in English."""
    words = yes_no_words(rules)
    if message.strip() in words:
        return words.index(message.strip()) > 0
    return bool({"no", "false"} & set(normal_words(message).split()[:1]))


def _with(case: ReferenceCase, paths: Collection[str]) -> ReferenceCase:
    return replace(case, records=tuple(dict.fromkeys((*case.records, *paths))))


def _without(case: ReferenceCase, is_dropped: Callable[[str], bool]) -> ReferenceCase:
    return replace(case, records=tuple(path for path in case.records if not is_dropped(path)))


def _is_document(path: str) -> bool:
    return path.casefold().endswith(".md")


OK: Final = "OK"
DENIED: Final = "DENIED"
CLARIFY: Final = "CLARIFY"
UNSUPPORTED: Final = "UNSUPPORTED"
_OUTCOME_NAME: Final = re.compile(r"^\s*OUTCOME_[A-Z_]+\s*[:.\u2013\u2014-]*\s*")


def without_outcome_name(message: str) -> str:
    """Return a message without the name of an outcome at its beginning."""
    return _OUTCOME_NAME.sub("", message, count=1)


KindOf = Callable[[str], str]
"""Returns the kind of a record by its path; empty for an unknown kind."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The finding of one call of a function."""

    bucket: str
    refs: tuple[str, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer before its references are put in order."""

    task_type: str
    message: str
    documents: tuple[str, ...] = ()
    records: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BucketRule:
    """The changes to a completion by the entries of one bucket."""

    bucket: str
    task_types: frozenset[str] = frozenset()
    """The task types to which the rule applies; empty for all."""
    replaces: frozenset[str] = frozenset()
    """Kinds of records that the bucket's records replace, if the bucket has a record of the kind."""
    gives_message: Callable[[str], bool] = field(default=lambda _: False)
    """Says, by the request, whether the bucket's message replaces the completion's."""
    are_documents: bool = False


def bucket_of(entries: Iterable[Entry], name: str) -> Entry:
    """Return the entries of one bucket as one entry: with all references, and the last message."""
    bucket = [entry for entry in entries if entry.bucket == name]
    refs = dict.fromkeys(ref for entry in bucket for ref in entry.refs)
    return Entry(name, tuple(refs), next((entry.message for entry in reversed(bucket) if entry.message), ""))


def with_findings(
    completion: Completion, entries: Sequence[Entry], rules: Sequence[BucketRule], text: str, kind_of: KindOf
) -> Completion:
    """Return a completion with the findings that fit it, in the order of the rules. `text` is the request."""
    for rule in rules:
        bucket = bucket_of(entries, rule.bucket)
        if (bucket.refs or bucket.message) and (not rule.task_types or completion.task_type in rule.task_types):
            completion = _applied(completion, rule, bucket, text, kind_of)
    return completion


def _applied(completion: Completion, rule: BucketRule, bucket: Entry, text: str, kind_of: KindOf) -> Completion:
    if bucket.message and rule.gives_message(text):
        records = tuple(path for path in completion.records if "#row=" not in path)  # Rows and total belong together.
        completion = replace(completion, message=bucket.message, records=records)
    if rule.are_documents:
        return replace(completion, documents=tuple(dict.fromkeys(completion.documents + bucket.refs)))
    computed = rule.replaces & {kind_of(path) for path in bucket.refs}
    kept = tuple(path for path in completion.records if kind_of(path) not in computed)
    return replace(completion, records=tuple(dict.fromkeys(kept + bucket.refs)))


_FIGURE: Final = re.compile(r"\d+(?:[.,]\d+)*")
_NAME: Final = re.compile(r"(?<![\w-])[A-Za-z]+[_-][\w-]*\d[\w-]*")
_YES: Final = frozenset({"yes", "true", "ja", "oui"})
_NO: Final = frozenset({"no", "not", "false", "nein", "nee", "non", "none", "cannot"})


def formatted_message(outcome: str, message: str, rules: str, ask: Callable[[], str], request: str = "") -> str:
    """Return a message in its final form. `ask` gets a formatter's proposal, for answers whose form is not certain.

    Refusals stay; a question loses the name of an outcome at its beginning. A message in the form that request or rules
    ask for needs no proposal. A proposal that is empty, or that changes a number, an id or a yes, is rejected. If `ask`
    raises `OSError` or `ValueError`, the message stays as it is.
    """
    if outcome != OK:
        return without_outcome_name(message) if outcome == CLARIFY else message
    words = yes_no_words(rules)
    if message.strip() in words or has_form(message.strip(), request):
        return message
    form = answer_form(outcome, message, request, rules)
    if form != message and keeps_meaning(message, form, words):
        return form
    try:
        proposed = without_outcome_name(ask()).strip()
    except (OSError, ValueError):
        return message
    return proposed if proposed and keeps_meaning(message, proposed, words) else message


def keeps_meaning(message: str, proposed: str, words: Sequence[str]) -> bool:
    """Say whether a proposal has the numbers, ids and polarity of a message. `words` are the words for yes and no."""
    if proposed in words:
        said = polarity(message)
        return said is None or said is (words.index(proposed) == 0)
    if _sorted(_NAME, proposed) != _sorted(_NAME, message) and not _shortens(_NAME, proposed, message):
        return False
    if not _shortens(_FIGURE, proposed, message) or (_FIGURE.search(message) and not _FIGURE.search(proposed)):
        return False
    before, after = polarity(message), polarity(proposed)
    return before is None or after is None or before is after


def polarity(message: str) -> bool | None:
    """Return whether a message says yes or no; None if it says neither or both."""
    said = set(normal_words(message).split())
    is_yes, is_no = bool(said & _YES), bool(said & _NO)
    return None if is_yes is is_no else is_yes


def _sorted(pattern: re.Pattern[str], text: str) -> list[str]:
    return sorted(part.casefold() for part in pattern.findall(text))


def _shortens(pattern: re.Pattern[str], proposed: str, message: str) -> bool:
    """Say whether the message holds every match of a pattern in the proposal."""
    return {_digits(part) for part in pattern.findall(proposed)} <= {_digits(part) for part in pattern.findall(message)}


def _digits(text: str) -> str:
    return text.casefold().replace(",", ".").lstrip("0") or "0"


_DATE_FORM: Final = re.compile(r"\b(?:YYYY|MM|DD)([-/.])(?:YYYY|MM|DD)\1(?:YYYY|MM|DD)\b")
_ALONE: Final = re.compile(
    r"\b(?:only|just|alone|nothing (?:else|but)|no (?:sentence|other|extra|further)|without a sentence)\b",
    re.IGNORECASE,
)
_BARE: Final = re.compile(r"[^\s.,:;?!](?:\S*[^\s.,:;?!])?")


def has_form(message: str, request: str) -> bool:
    """Say whether a message certainly has the form that a request asks for: its template, its date, bare values."""
    if template := asked_template(request):
        before, _, behind = template.partition("%d")
        number = message.removeprefix(before).removesuffix(behind)
        return number.isdigit() and message == f"{before}{number}{behind}"
    if dated := _DATE_FORM.search(request):
        return re.sub(r"\d", "0", message) == re.sub(r"[YMD]", "0", dated[0])
    lines = message.splitlines()
    return bool(lines and _ALONE.search(request)) and all(map(_BARE.fullmatch, lines))


_ANGLES: Final = re.compile(r"<[A-Z]+>")
_ABOUT_YES_NO: Final = re.compile(r"\byes\s*(?:/|or)\s*no\b", re.IGNORECASE)
_YES_NO_ASKED: Final = re.compile(
    r"\byes\s*(?:/|or)\s*no\b|^(?:is|are|do|does|did|can|could|will|would|has|have|was|were)\b", re.IGNORECASE
)
_VALUE_ONLY: Final = re.compile(r"\b(?:exact )?value\b[^?!\n]*\bonly\b|\bonly the (?:exact )?value\b", re.IGNORECASE)
_STATED: Final = re.compile(r"\b(?:is|equals|reads|:)\s*[`\"“']?([^`\"”'\s]+?)[`\"”']?\s*\.?\s*$")


def answer_form(outcome: str, message: str, text: str, rules: str) -> str:
    """Return a message in the form that request and rules ask for, unchanged if that form is not certain."""
    if outcome != OK:
        return message
    if _VALUE_ONLY.search(text):
        match = _STATED.search(message)
        return match[1] if match else message
    words = [*yes_no_words(rules), *_angle_words(rules)]
    is_yes = polarity(" ".join(message.split()[:1]))
    if len(words) != 2 or message in words or is_yes is None or not _YES_NO_ASKED.search(text.strip()):
        return message
    return words[0 if is_yes else 1]


def _angle_words(rules: str) -> list[str]:
    words = [word for line in rules.splitlines() if _ABOUT_YES_NO.search(line) for word in _ANGLES.findall(line)]
    return list(dict.fromkeys(words))


_INSTANT: Final = r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)"
_INSTANTS: Final = re.compile(_INSTANT)
_RETRY_KEY: Final = re.compile(r"retry|again|locked_until|blocked_until|next_attempt|available_at", re.IGNORECASE)
_ID: Final = re.compile(r"(?<![\w-])([a-z]{2,12}[_-]\d{2,8})(?![\w-])", re.IGNORECASE)


def retry_time(ids: Sequence[str], document: str = "", record: Mapping[str, Any] | None = None) -> str:
    """Return the instant from which records with these ids may be tried again; empty if it is not stated.

    The record is the first source. In a document that names ids, an instant belongs to the id before it.
    """
    if instant_of_record := next(_instants(record or {}), ""):
        return instant_of_record
    wanted = {folded_id(record_id) for record_id in ids}
    kind = {re.split(r"[_-]", record_id)[0].casefold() for record_id in ids}
    marks = [match for match in _ID.finditer(document) if re.split(r"[_-]", match[1])[0].casefold() in kind]
    if not marks:
        instant = _INSTANTS.search(document)
        return instant[0] if instant else ""
    ends = [match.start() for match in marks] + [len(document)]
    for mark, (start, end) in zip(marks, pairwise(ends), strict=True):
        instant = _INSTANTS.search(document, start, end)
        if instant and folded_id(mark[1]) in wanted:
            return instant[0]
    return ""


def _instants(data: Mapping[str, Any]) -> Iterator[str]:
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from _instants(value)
        elif isinstance(value, str) and _RETRY_KEY.search(key) and _INSTANTS.fullmatch(value):
            yield value


def with_retry_time(message: str, until: str) -> str:
    """Return a message that says once that something is blocked, and once until when."""
    if not until or (until in message and "blocked" in message.casefold()):
        return message
    said = message.strip().rstrip(".")
    sentence = f"It is blocked until {until}."
    end = "" if said.endswith(("?", "!")) else "."
    return f"{said}{end} {sentence}" if said else sentence


_REVIEWED: Final = frozenset({CLARIFY, UNSUPPORTED})
_CLOSED: Final = re.compile(
    r"\b(?:window|retry|attempts?)\b[^.]{0,40}\b(?:closed|over|expired|passed|used up|exhausted|limit)\b"
    r"|\bblocked until\b|\b(?:attempt|retry) limit\b",
    re.IGNORECASE,
)
_DONE: Final = re.compile(r"\b(?:started|restarted|sent|resumed|issued)\b", re.IGNORECASE)
_CAP: Final = re.compile(
    r"[^.;\n]*\b(?:max(?:imum)?|cap(?:ped)?|limit(?:ed)?|most|up to)\b[^.;\n]*?\b\d+(?:[.,]\d+)?\s?%[^.;\n]*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Review:
    """A reviewer's statement about the payment."""

    paid: bool = False
    blocked: bool = False
    until: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class RecoveryAnswer:
    """An outcome and its message."""

    outcome: str
    message: str


def needs_review(task_type: str, outcome: str) -> bool:
    """Say whether a reviewer is asked: only for refusals and questions about verifications."""
    return task_type == "verification" and outcome in _REVIEWED


def reviewed(answer: RecoveryAnswer, review: Review, *, until: str = "") -> RecoveryAnswer:
    """Return the answer after a review.

    The outcome for a paid or blocked payment is unsupported, not a question. The message for a blocked one gives the
    end time: the review's, else `until`, the instant in the payment's record or the cited policy.
    """
    if answer.outcome == OK or not (review.paid or review.blocked):
        tells_end = _CLOSED.search(answer.message) and not (answer.outcome == OK and _DONE.search(answer.message))
        return replace(answer, outcome=UNSUPPORTED) if tells_end else answer
    message = without_outcome_name(review.message.strip() or answer.message)
    if review.blocked:
        message = with_retry_time(message, review.until or until)
    return RecoveryAnswer(UNSUPPORTED, message)


def with_cap(answer: RecoveryAnswer, notes: list[str]) -> RecoveryAnswer:
    """Add the largest discount in the notes to a bare refusal of a discount; return other answers as they are."""
    said = without_outcome_name(answer.message).strip()
    if answer.outcome != UNSUPPORTED or "%" in said:
        return answer
    cap_text = next((cap[0].strip() for note in notes if (cap := _CAP.search(note))), "")
    return replace(answer, message=f"{said} {cap_text}".strip()) if cap_text else answer


_SHORT_OUTCOMES: Final = {
    "OUTCOME_OK": OK,
    "OUTCOME_NONE_CLARIFICATION": CLARIFY,
    "OUTCOME_NONE_UNSUPPORTED": UNSUPPORTED,
}
"""The outcomes of answers that may be changed."""
_OUTCOMES: Final = {short: outcome for outcome, short in _SHORT_OUTCOMES.items()}
REVIEW_SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["paid", "blocked", "until"],
    "properties": {
        "paid": {"type": "boolean", "description": "true if the payment was paid already"},
        "blocked": {"type": "boolean", "description": "true if the payment is blocked, or its attempts are used up"},
        "until": {
            "type": "string",
            "description": "the instant from which it may be tried again, as the answer writes it, else empty",
        },
    },
}


def revised(draft: Draft, ask: AskReview) -> Draft:
    """Return an answer after the review of a payment in recovery: no question about a paid or blocked one.

    An instant comes from the answer itself, or else from the cited records and documents. A bare refusal of a discount
    gets the largest discount in the notes.
    """
    answer = RecoveryAnswer(_SHORT_OUTCOMES.get(draft.outcome, ""), draft.message)
    if not answer.outcome:
        return draft
    if draft.task_type == "discount":
        answer = with_cap(answer, draft.notes.splitlines())
    elif needs_review(draft.task_type, answer.outcome):
        text = f"{draft.message}\n{draft.notes}"
        said = ask(REVIEW_SCHEMA, text)
        until = said.get("until")
        instant = until if isinstance(until, str) and until in text else ""
        review = Review(said.get("paid") is True, said.get("blocked") is True, instant)
        answer = reviewed(answer, review, until=_known_instant(draft))
    return replace(draft, message=answer.message, outcome=_OUTCOMES[answer.outcome])


def _known_instant(draft: Draft) -> str:
    """Return when the cited records may be tried again, from a record or else a document; may be empty."""
    paths = [path.partition("#")[0] for path in draft.cited]
    texts = [draft.texts[path] for path in paths if path in draft.texts]
    ids = [stem_of(path) for path in paths]
    records = {text: data for text in texts if (data := parsed_record(text)) is not None}
    instants = [retry_time(ids, record=record) for record in records.values()]
    instants += [retry_time(ids, text) for text in texts if text not in records]
    return next(filter(None, instants), "")


def put_in_form(draft: Draft, rules: str, request: str, ask: Callable[[], str]) -> str:
    """Return an answer's message in the form that rules and request ask for; see `formatted_message`."""
    outcome = _SHORT_OUTCOMES.get(draft.outcome, "")
    return formatted_message(outcome, draft.message, rules, ask, request) if outcome else draft.message
