"""Answers about a shop: put together of function results, with references in order, and brought into the requested
form."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from controlplane.benchmarks.shop.documents import yes_no_words
from controlplane.benchmarks.shop.identity import Identity
from controlplane.benchmarks.shop.kinds import OWNED, excluded_codes, kind_of
from controlplane.benchmarks.shop.preflight import ANYBODY, asked_template, telling_sentence
from controlplane.benchmarks.shop.product_descriptions import product_codes
from controlplane.benchmarks.shop.record_functions import reference_to
from controlplane.benchmarks.shop.record_ids import folded_id
from controlplane.benchmarks.shop.records import (
    WorkspaceRecords,
    linked_paths,
    named_records,
    parsed_record,
    repaired_paths,
)
from controlplane.benchmarks.shop.staff import shielded
from controlplane.benchmarks.shop.text import normal_words
from controlplane.benchmarks.shop.workspace import ShopLayout, on_harness
from controlplane.gates.evidence import record_id
from controlplane.gates.submission import CLARIFICATION, DENIED, OK, UNSUPPORTED
from controlplane.sandbox.functions import FunctionResult, Reference

if TYPE_CHECKING:
    from controlplane.agent.exoskeleton import AskDraftCheck, Completion


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer before its references are in order."""

    outcome: str
    message: str = ""
    task_type: str = "other"
    documents: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    is_protected: bool = False
    """True if only policies are cited."""
    text: str = ""
    """The request."""
    rules: str = ""
    """The workspace's rules document."""


KindOf = Callable[[str], str]
"""Returns the kind of a record by its path; empty for an unknown kind."""


def record_kind(path: str) -> str:
    """Return the kind of a record by its path; empty for anything else."""
    return str(kind_of(path) or "")


# Findings ------------------------------------------------------------------------------------------------------------


_SUBJECTS: Final[dict[str, tuple[str, ...]]] = {
    "discount": ("security", "discount", "checkout"),
    "refund": ("security", "refund", "return", "payment"),
    "verification": ("security", "verif", "3ds", "payment", "checkout"),
    "checkout": ("security", "checkout", "basket", "availab"),
    "stock_count": ("availab", "stock", "inventory"),
    "stock_lookup": ("availab", "stock", "inventory"),
    "product": ("catalog", "product"),
    "count": ("catalog", "product"),
    "receipt_price": ("receipt", "price", "catalog"),
}
"""Words in the names of policies, by the kind of request. Fraudulent rows are cited alone, without a policy."""
_PATH: Final = re.compile(r"`(/[^`\s]+)`|(/docs/[\w./-]+\.md)", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]{2}")
_CLAUSE: Final = re.compile(r"[,;.]\s+|\n(?=\S)")
"""Separates pairs of a subject and its document; a line may hold several pairs, and a pair may span lines."""


def policy_documents(read: Sequence[str], task_type: str, rules: str = "") -> list[str]:
    """Return the documents that fit a kind of request, by their paths and by their subjects in the rules."""
    words = _SUBJECTS.get(task_type, ())
    named = {path for clause in _CLAUSE.split(rules) for path in _paths_about(clause, words)}
    return [
        path for path in read if path in named or any(word in path.casefold() for word in words)
    ]


def _paths_about(clause: str, words: Sequence[str]) -> Iterator[str]:
    """Yield the paths of a clause whose subject holds a word: the text before a path, or after a path at its start."""
    matches = list(_PATH.finditer(clause))
    ends = [0, *(path.end() for path in matches)]
    starts = [*(path.start() for path in matches), len(clause)]
    between = [clause[end:start].casefold() for end, start in zip(ends, starts, strict=True)]
    is_behind = not _WORD.search(between[0])
    for at, path in enumerate(matches):
        if any(word in between[at + is_behind] for word in words):
            yield path[1] or path[2]


_TOTAL_ASKED: Final = re.compile(
    r"\b(?:totals?|sums?|amounts?|how much|add(?:s|ed)? up|altogether|damage|loss(?:es)?|worth|volume|EUR|euros?)\b|€",
    re.IGNORECASE,
)


class Entry(NamedTuple):
    """The function result of one call of a function."""

    bucket: str
    refs: tuple[str, ...] = ()
    message: str = ""


class BucketRule(NamedTuple):
    """The changes to an answer by the entries of one bucket."""

    task_types: tuple[str, ...] = ()
    """The task types to which the rule applies; empty for all."""
    replaces: tuple[str, ...] = ()
    """Kinds of records that the bucket's records replace, if the bucket has a record of the kind."""
    message: re.Pattern[str] | None = None
    """What the request has to hold for the bucket's message to replace the answer's."""


DOCUMENTS: Final = "documents"
FRAUD: Final = "fraud"
"""The bucket whose last call replaces earlier ones: rows and total of one export belong together."""
_BUCKETS: Final = {
    "stock_count": BucketRule(("stock_count",), ("product", "branch")),
    "note": BucketRule(("product",), ("product",)),
    "lead": BucketRule(),
    FRAUD: BucketRule(("fraud",), (), _TOTAL_ASKED),
    "receipt": BucketRule(("receipt_price",), ("product", "upload"), re.compile("")),
    "stock_lookup": BucketRule(("stock_lookup",)),
}


def bucket_of(entries: Iterable[Entry], name: str) -> Entry:
    """Return the entries of one bucket as one entry: with all references, and the last message."""
    bucket = [entry for entry in entries if entry.bucket == name]
    refs = dict.fromkeys(ref for entry in bucket for ref in entry.refs)
    return Entry(
        name, tuple(refs), next((entry.message for entry in reversed(bucket) if entry.message), "")
    )


def apply_results(entries: Sequence[Entry], answer: Answer) -> Answer:
    """Return an answer with a trial's function results that fit its kind, and the read documents that do."""
    last = next(
        (
            entry
            for entry in reversed(entries)
            if entry.bucket == FRAUD and (entry.refs or entry.message)
        ),
        None,
    )
    entries = [entry for entry in entries if entry.bucket != FRAUD or entry is last]
    for name, rule in _BUCKETS.items():
        bucket = bucket_of(entries, name)
        if not (bucket.refs or bucket.message) or (
            rule.task_types and answer.task_type not in rule.task_types
        ):
            continue
        records = answer.records
        if bucket.message and rule.message is not None and rule.message.search(answer.text):
            records = tuple(
                path for path in records if "#row=" not in path
            )  # Rows and total belong together.
            answer = replace(answer, message=bucket.message)
        computed = {record_kind(path) for path in bucket.refs}.intersection(rule.replaces)
        kept = (path for path in records if record_kind(path) not in computed)
        answer = replace(answer, records=tuple(dict.fromkeys((*kept, *bucket.refs))))
    fitting = policy_documents(bucket_of(entries, DOCUMENTS).refs, answer.task_type, answer.rules)
    return replace(answer, documents=tuple(dict.fromkeys((*answer.documents, *fitting))))


@on_harness
def order_references(
    layout: ShopLayout, answer: Mapping[str, Any], request: str, findings: str, in_order: bool
) -> FunctionResult[dict[str, str]]:
    """Return the message of an answer with its references: with the trial's function results, and `in_order` if asked.

    `answer` has `outcome`, `message`, `task_type`, `documents`, `records` and `protected`; `function_results` is a JSON
    list. Raises `CannotRead` if the asker or the names of the records' fields are not certain.
    """
    noted = json.loads(findings)
    reasons = {
        reference["path"]: reference["reason"]
        for result in noted
        for reference in result.get("refs", ())
    }
    given = Answer(
        str(answer["outcome"]),
        str(answer["message"]),
        str(answer["task_type"]),
        tuple(answer["documents"]),
        tuple(answer["records"]),
        bool(answer["protected"]),
        request,
        layout.rules,
    )
    made = apply_results([_entry(bucket) for bucket in noted], given) if noted else given
    paths = [*made.documents, *made.records]
    if in_order:
        paths = final_references(
            made,
            layout.records,
            layout.asker,
            lambda path: str(layout.kind_of(path) or record_kind(path)),
        )
    refs = [Reference(path, reasons.get(path) or _reason(layout, path, request)) for path in paths]
    return FunctionResult({"message": made.message}, tuple(refs))


_BUCKET_OF: Final = {"stock_at": "stock_lookup", "settle_receipt": "receipt", "fraud_rows": FRAUD}
"""The bucket of a function's results; those of other functions change no answer."""


def _entry(noted: Mapping[str, Any]) -> Entry:
    """Return an entry of the evidence store; the opened files are its documents."""
    if "opened" in noted:
        return Entry(DOCUMENTS, tuple(filter(_is_document, noted["opened"])))
    refs = tuple(reference["path"] for reference in noted["refs"])
    return Entry(_BUCKET_OF.get(noted["function"], ""), refs, noted["texts"].get("total", ""))


def _reason(layout: ShopLayout, path: str, request: str) -> str:
    """Return the reason for citing a file, from its text; empty for a missing file."""
    base = path.partition("#")[0]
    if base not in layout.paths:
        return ""
    record = layout.records.at(base)
    if record is not None:
        return reference_to(record, layout.kind_of(base)).reason
    words = "|".join(set(re.findall(r"\w{4,}", request.casefold())))
    return telling_sentence(layout.reader.read_all([base])[0], rf"\b(?:{words or 'cite'})\b")


# References ----------------------------------------------------------------------------------------------------------


_COUNTS: Final = "count"
_OF_PRODUCTS: Final = frozenset({"stock_count", "stock_lookup", "receipt_price", "checkout"})
_OTHERS: Final = re.compile(
    r"\b(?:another|other|different|someone|somebody)\s+(?:else'?s?\s+)?(?:customer|user|account)"
)
_UNITS: Final = re.compile(r"\b(?:units?|stock|on hand|available)\b", re.IGNORECASE)
_MADE_READMES: Final = re.compile(r"^/(?:proc|run)/(?:.*/)?readme\.md$", re.IGNORECASE)


def final_references(
    answer: Answer, workspace: WorkspaceRecords, asker: Identity, kind_at: KindOf
) -> list[str]:
    """Return documents first, then records; without files that do not exist or that the asker may not see."""
    every = dict.fromkeys(answer.documents + answer.records)
    documents = [path for path in every if _is_document(path) and not _MADE_READMES.match(path)]
    if any(map(_is_document, workspace.all_paths)):  # Else the listing does not show any.
        documents = repaired_paths(workspace, documents)
    given = [path for path in every if not _is_document(path)]
    if answer.is_protected or _is_kept_back(answer, given, workspace, asker, kind_at):
        return documents
    if answer.task_type != _COUNTS:
        given += named_records(workspace, asker, answer.text)
    ruled_out = excluded_codes(answer.text)
    paths = (workspace.path_of(code) for code in _codes_of(answer) if code not in ruled_out)
    given += filter(None, paths)
    records = _without_others(answer, [*dict.fromkeys(given)], workspace, kind_at)
    if answer.task_type == "refund":
        records += linked_paths(workspace, records, key="payment_id")
    if (
        answer.task_type == "discount"
        and asker.is_staff
        and (issuer := workspace.path_of(asker.user))
    ):
        records.append(issuer)
    return [
        *documents,
        *shielded(workspace, asker, repaired_paths(workspace, [*dict.fromkeys(records)])),
    ]


def _is_kept_back(
    answer: Answer, given: list[str], workspace: WorkspaceRecords, asker: Identity, kind_at: KindOf
) -> bool:
    """Say whether a refusal protects its subject."""
    if answer.outcome != DENIED:
        return False
    records = workspace.read(repaired_paths(workspace, given))
    is_foreign = any(not asker.may_cite(record.owner) for record in records)
    is_guest = asker.is_outside and not asker.is_customer
    is_owned = any(kind_at(path) in OWNED for path in given)
    return is_foreign or bool(_OTHERS.search(answer.message)) or (is_guest and is_owned)


def _codes_of(answer: Answer) -> list[str]:
    """Return the codes of products that an answer is about: in its message, and in requests about stock."""
    is_count = answer.task_type == _COUNTS
    is_listed = answer.task_type in _OF_PRODUCTS or (is_count and _UNITS.search(answer.text))
    return [
        *(product_codes(answer.text) if is_listed else ()),
        *product_codes("" if is_count else answer.message),
    ]


def _without_others(
    answer: Answer, records: list[str], workspace: WorkspaceRecords, kind_at: KindOf
) -> list[str]:
    """Return the records without products and baskets that an answer is not about."""
    products = [path for path in records if kind_at(path) == "product"]
    asked = set(product_codes(answer.message)) if answer.outcome == CLARIFICATION else set()
    dropped = {path for path in products if asked and record_id(path) not in asked}
    ruled_out = excluded_codes(answer.text)
    if answer.task_type != "stock_count" or any(
        record_id(path) not in ruled_out for path in products if path not in dropped
    ):
        dropped |= {path for path in records if record_id(path) in ruled_out}
    if (
        answer.task_type == "product"
        and answer.outcome == OK
        and says_no(answer.message, answer.rules)
    ):
        dropped |= {*products}
    baskets = [path for path in records if kind_at(path) == "basket"]
    said = set(named_records(workspace, ANYBODY, answer.message))
    said |= {
        path
        for path in baskets
        if re.search(rf"(?<![\w-]){re.escape(record_id(path))}(?![\w-])", answer.message)
    }
    if len(said.intersection(baskets)) == 1:
        dropped |= {*baskets} - said
    return [path for path in records if path not in dropped]


def says_no(message: str, rules: str) -> bool:
    """Say whether a message is a no, in the words of the rules document or in English."""
    words = yes_no_words(rules)
    if message.strip() in words:
        return words.index(message.strip()) > 0
    return bool({"no", "false"} & set(normal_words(message).split()[:1]))


def _is_document(path: str) -> bool:
    return path.casefold().endswith(".md")


# The message ---------------------------------------------------------------------------------------------------------


_OUTCOME_NAME: Final = re.compile(r"^\s*OUTCOME_[A-Z_]+\s*[:.\u2013\u2014-]*\s*")


def without_outcome_name(message: str) -> str:
    """Return a message without the name of an outcome at its beginning."""
    return _OUTCOME_NAME.sub("", message, count=1)


_FIGURE: Final = re.compile(r"\d+(?:[.,]\d+)*")
_NAME: Final = re.compile(r"(?<![\w-])[A-Za-z]+[_-][\w-]*\d[\w-]*")
_YES: Final = frozenset({"yes", "true", "ja", "oui"})
_NO: Final = frozenset({"no", "not", "false", "nein", "nee", "non", "none", "cannot"})


def formatted_message(
    outcome: str, message: str, rules: str, ask: Callable[[], str], request: str = ""
) -> str:
    """Return a message in its final form. `ask` gets a formatter's proposal, for answers whose form is not certain.

    Refusals stay; a question loses the name of an outcome at its beginning. A message in the form that request or rules
    ask for needs no proposal. A proposal that is empty, or that changes a number, an id or a yes, is rejected. If `ask`
    raises `OSError` or `ValueError`, the message stays as it is.
    """
    if outcome != OK:
        return without_outcome_name(message) if outcome == CLARIFICATION else message
    words = yes_no_words(rules)
    if message.strip() in words or has_form(message.strip(), request):
        return message
    form = answer_form(message, request, rules)
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
    if _sorted(_NAME, proposed) != _sorted(_NAME, message) and not _shortens(
        _NAME, proposed, message
    ):
        return False
    if not _shortens(_FIGURE, proposed, message) or (
        _FIGURE.search(message) and not _FIGURE.search(proposed)
    ):
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
    return {_digits(part) for part in pattern.findall(proposed)} <= {
        _digits(part) for part in pattern.findall(message)
    }


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


_YES_NO_ASKED: Final = re.compile(
    r"\byes\s*(?:/|or)\s*no\b|^(?:is|are|do|does|did|can|could|will|would|has|have|was|were)\b",
    re.IGNORECASE,
)
_VALUE_ONLY: Final = re.compile(
    r"\b(?:exact )?value\b[^?!\n]*\bonly\b|\bonly the (?:exact )?value\b", re.IGNORECASE
)
_STATED: Final = re.compile(r"\b(?:is|equals|reads|:)\s*[`\"“']?([^`\"”'\s]+?)[`\"”']?\s*\.?\s*$")


def answer_form(message: str, text: str, rules: str) -> str:
    """Return a message in the form that request and rules ask for, unchanged if that form is not certain."""
    if _VALUE_ONLY.search(text):
        match = _STATED.search(message)
        return match[1] if match else message
    words = yes_no_words(rules)
    is_yes = polarity(" ".join(message.split()[:1]))
    if (
        len(words) != 2
        or message in words
        or is_yes is None
        or not _YES_NO_ASKED.search(text.strip())
    ):
        return message
    return words[0 if is_yes else 1]


_INSTANT: Final = r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)"
_INSTANTS: Final = re.compile(_INSTANT)
_RETRY_KEY: Final = re.compile(
    r"retry|again|locked_until|blocked_until|next_attempt|available_at", re.IGNORECASE
)
_ID: Final = re.compile(r"(?<![\w-])([a-z]{2,12}[_-]\d{2,8})(?![\w-])", re.IGNORECASE)


def retry_time(
    ids: Sequence[str], document: str = "", record: Mapping[str, Any] | None = None
) -> str:
    """Return the instant from which records with these ids may be tried again; empty if it is not stated.

    The record is the first source. In a document that names ids, an instant belongs to the id before it.
    """
    if instant_of_record := next(_instants(record or {}), ""):
        return instant_of_record
    wanted = {folded_id(record_id) for record_id in ids}
    kind = {re.split(r"[_-]", record_id)[0].casefold() for record_id in ids}
    marks = [
        match
        for match in _ID.finditer(document)
        if re.split(r"[_-]", match[1])[0].casefold() in kind
    ]
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


def reviewed(answer: Completion, review: Mapping[str, Any], *, until: str = "") -> Completion:
    """Return the answer after a review: whether the payment is `paid` or `blocked`, `until` when, and its `message`.

    The outcome for a paid or blocked payment is unsupported, not a question. The message for a blocked one gives the
    end time: the review's, else `until`, the instant in the payment's record or the cited policy.
    """
    is_blocked = review.get("blocked") is True
    if answer.outcome == OK or not (review.get("paid") is True or is_blocked):
        tells_end = _CLOSED.search(answer.message) and not (
            answer.outcome == OK and _DONE.search(answer.message)
        )
        return answer.model_copy(update={"outcome": UNSUPPORTED}) if tells_end else answer
    message = without_outcome_name(str(review.get("message", "")).strip() or answer.message)
    if is_blocked:
        message = with_retry_time(message, str(review.get("until") or until))
    return answer.model_copy(update={"outcome": UNSUPPORTED, "message": message})


def with_cap(answer: Completion) -> Completion:
    """Add the largest discount in the notes to a bare refusal of a discount; return other answers as they are."""
    said = without_outcome_name(answer.message).strip()
    if answer.outcome != UNSUPPORTED or "%" in said:
        return answer
    cap_text = next(
        (cap[0].strip() for note in answer.notes.splitlines() if (cap := _CAP.search(note))), ""
    )
    return (
        answer.model_copy(update={"message": f"{said} {cap_text}".strip()}) if cap_text else answer
    )


def needs_review(task_type: str, outcome: str) -> bool:
    """Say whether a reviewer is asked: only for refusals and questions about verifications."""
    return task_type == "verification" and outcome in (CLARIFICATION, UNSUPPORTED)


REVIEW_SCHEMA: Final[Mapping[str, object]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["paid", "blocked", "until"],
    "properties": {
        "paid": {"type": "boolean", "description": "true if the payment was paid already"},
        "blocked": {
            "type": "boolean",
            "description": "true if the payment is blocked, or its attempts are used up",
        },
        "until": {
            "type": "string",
            "description": "the instant from which it may be tried again, as the answer writes it, else empty",
        },
    },
}


def revised(answer: Completion, texts: Mapping[str, str], ask: AskDraftCheck) -> Completion:
    """Return an answer after the review of a payment in recovery: no question about a paid or blocked one.

    An instant comes from the answer itself, or else from the cited records and documents. A bare refusal of a discount
    gets the largest discount in the notes.
    """
    if answer.task_type == "discount":
        return with_cap(answer)
    if not needs_review(answer.task_type, answer.outcome):
        return answer
    text = f"{answer.message}\n{answer.notes}"
    said = ask(REVIEW_SCHEMA, text)
    until = said.get("until")
    instant = until if isinstance(until, str) and until in text else ""
    return reviewed(
        answer, {**said, "until": instant, "message": ""}, until=_known_instant(answer, texts)
    )


def _known_instant(answer: Completion, known: Mapping[str, str]) -> str:
    """Return when the cited records may be tried again, from a record or else a document; may be empty."""
    paths = [path.partition("#")[0] for path in answer.cited]
    texts = [known[path] for path in paths if path in known]
    ids = [record_id(path) for path in paths]
    records = {text: data for text in texts if (data := parsed_record(text)) is not None}
    instants = [retry_time(ids, record=record) for record in records.values()]
    instants += [retry_time(ids, text) for text in texts if text not in records]
    return next(filter(None, instants), "")
