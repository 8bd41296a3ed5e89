"""Completes the draft of an answer with what the shop's functions found in the trial.

A draft has an outcome, a message, and the documents and records that it cites. A
finding is the result of one function, and may replace some of them. The final
references leave out files that do not exist and files that the asker may not see.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from controlplane.benchmarks.shop.answer_forms import says_no
from controlplane.benchmarks.shop.products.product_descriptions import product_codes
from controlplane.benchmarks.shop.record_functions import reference_to
from controlplane.benchmarks.shop.texts.documents import quoted_sentence
from controlplane.benchmarks.shop.workspace.identity import ANY_STAFF, Identity
from controlplane.benchmarks.shop.workspace.kinds import OWNED, excluded_codes, kind_of
from controlplane.benchmarks.shop.workspace.records.path_repair import repaired_paths
from controlplane.benchmarks.shop.workspace.records.record_searches import (
    linked_paths,
    named_records,
)
from controlplane.benchmarks.shop.workspace.records.workspace_records import (
    WorkspaceRecords,
)
from controlplane.benchmarks.shop.workspace.staff import with_branches_for_people
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout, on_harness
from controlplane.gates.paths import record_id
from controlplane.gates.submission import CLARIFICATION, DENIED, OK
from controlplane.sandbox.functions import FunctionResult, Reference


@dataclass(frozen=True, slots=True)
class Answer:
    """A draft of an answer, before its references are checked and sorted."""

    outcome: str
    message: str = ""
    task_type: str = "other"
    documents: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    is_protected: bool = False
    """True if the answer may cite documents, but no records."""
    request: str = ""
    rules: str = ""
    """The workspace's rules document."""


KindOf = Callable[[str], str]
"""A function that returns the kind of the record at a path, or an empty text if it is unknown."""


def record_kind(path: str) -> str:
    """Return the kind of the record at a path, or an empty text for any other path."""
    return str(kind_of(path) or "")


@on_harness
def order_references(
    layout: ShopLayout,
    answer: Mapping[str, Any],
    request: str,
    findings: str,
    in_order: bool,
) -> FunctionResult[dict[str, str]]:
    """Return an answer's message and references, after the findings of the trial have been applied.

    `answer` has the fields of `Answer` that a solver knows. Its `protected` is true if it
    is about records that the asker may not see. `findings` is a JSON list of what
    functions found and which files were opened in the trial (see `_finding_of`). With
    `in_order`, `final_references` checks, completes and sorts the references. Raises
    `CannotRead` if it is uncertain who asks or what the fields of records are called.
    """
    notes = json.loads(findings)
    draft = Answer(
        outcome=str(answer["outcome"]),
        message=str(answer["message"]),
        task_type=str(answer["task_type"]),
        documents=tuple(answer["documents"]),
        records=tuple(answer["records"]),
        is_protected=bool(answer["protected"]),
        request=request,
        rules=layout.documents.rules,
    )
    if notes:
        draft = apply_findings([_finding_of(note) for note in notes], draft)
    paths = [*draft.documents, *draft.records]
    if in_order:
        paths = final_references(
            draft, layout.records, layout.asker, partial(_kind_at, layout)
        )

    reasons = _reasons_of_functions(notes)
    references = []
    for path in paths:
        # A file that no function gave a reason for gets one from its content.
        reason = reasons.get(path) or _reason_in_file(layout, path, request)
        references.append(Reference(path, reason))
    return FunctionResult({"message": draft.message}, tuple(references))


def _kind_at(layout: ShopLayout, path: str) -> str:
    """Return the kind of a record by the workspace's folders, or else by its path alone."""
    return str(layout.kinds.of(path) or record_kind(path))


def _reasons_of_functions(notes: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the reasons that functions gave for their references, by path."""
    reasons = {}
    for note in notes:
        for reference in note.get("refs", ()):
            reasons[reference["path"]] = reference["reason"]
    return reasons


def _reason_in_file(layout: ShopLayout, path: str, request: str) -> str:
    """Return the reason for citing a file, or an empty text if the file does not exist.

    For a record, the reason says what the record is. For a document, it is the sentence
    that contains the most words of the request.
    """
    file_path = path.partition("#")[0]
    if file_path not in layout.files.paths:
        return ""
    record = layout.records.at(file_path)
    if record is not None:
        return reference_to(record, layout.kinds.of(file_path)).reason
    # Words of fewer than 4 letters (`is`, `the`) tell nothing about a request's
    # subject. If it has no longer ones, the sentence about citing is likely
    # to give the reason.
    words = set(re.findall(r"\w{4,}", request.casefold())) or {"cite"}
    return quoted_sentence(layout.reader.read(file_path), rf"\b(?:{'|'.join(words)})\b")


# Findings ---------------------------------------------------------------------------------------

DOCUMENTS: Final = "documents"
"""The topic of the documents that a trial opened."""
FRAUD: Final = "fraud"
"""The topic of the fraudulent rows in exports of payments."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one function in a trial, or the documents that the trial opened."""

    topic: str
    """A key of `_RULES`, such as `fraud`, or `DOCUMENTS`; empty if it does not change answers."""
    refs: tuple[str, ...] = ()
    """The paths that the function found."""
    message: str = ""
    """The text that the function gives for the answer, such as a total: `EUR 12.50`."""


_TOPIC_OF_FUNCTION: Final = {
    "stock_at": "stock_lookup",
    "settle_receipt": "receipt",
    "fraud_rows": FRAUD,
}


def _finding_of(note: Mapping[str, Any]) -> Finding:
    """Return the finding that a trial noted.

    The note is either a list of opened files, `{"opened": [PATH, ...]}`, or a
    function's result, `{"function": NAME, "refs": [{"path": ..., "reason": ...}],
    "texts": {"total": ...}}`.
    """
    if "opened" in note:
        documents = tuple(path for path in note["opened"] if _is_document(path))
        return Finding(DOCUMENTS, documents)
    return Finding(
        topic=_TOPIC_OF_FUNCTION.get(note["function"], ""),
        refs=tuple(reference["path"] for reference in note["refs"]),
        message=note["texts"].get("total", ""),
    )


@dataclass(frozen=True, slots=True)
class TopicRule:
    """How the findings on one topic change an answer. Their references are always added."""

    task_types: tuple[str, ...] = ()
    """The types of the tasks whose answers change; empty for all."""
    replaced_kinds: tuple[str, ...] = ()
    """Kinds of records that the findings replace.

    If the findings have records of such a kind, the answer's own ones are removed.
    """
    replaces_message: bool = False
    """True if the message of the findings replaces the answer's message."""
    message_asked_by: re.Pattern[str] | None = None
    """A pattern of requests for which the message is replaced; None for all requests."""


_TOTAL_ASKED: Final = re.compile(
    r"\b(?:totals?|sums?|amounts?|how much|add(?:s|ed)? up|altogether|damage|loss(?:es)?|worth|volume"
    r"|EUR|euros?)\b|€",
    re.IGNORECASE,
)
_RULES: Final = {
    "stock_count": TopicRule(("stock_count",), replaced_kinds=("product", "branch")),
    "note": TopicRule(("product",), replaced_kinds=("product",)),
    "lead": TopicRule(),
    FRAUD: TopicRule(("fraud",), replaces_message=True, message_asked_by=_TOTAL_ASKED),
    "receipt": TopicRule(
        ("receipt_price",), replaced_kinds=("product", "upload"), replaces_message=True
    ),
    "stock_lookup": TopicRule(("stock_lookup",)),
}
"""The rule of each topic, in the order in which the rules are applied.

The shop's functions have findings on `fraud`, `receipt` and `stock_lookup`
(`_TOPIC_OF_FUNCTION`). A caller of `apply_findings` may have its own: on the products
counted (`stock_count`), on the product that a note describes (`note`), and on records
that may matter (`lead`).
"""


def apply_findings(findings: Sequence[Finding], answer: Answer) -> Answer:
    """Return an answer with the findings and the opened documents that fit its task type."""
    findings = _with_last_fraud_only(findings)
    for topic, rule in _RULES.items():
        finding = joined_finding(findings, topic)
        applies = not rule.task_types or answer.task_type in rule.task_types
        if applies and (finding.refs or finding.message):
            answer = _with_finding(answer, finding, rule)
    opened = joined_finding(findings, DOCUMENTS).refs
    fitting = policy_documents(opened, answer.task_type, answer.rules)
    return replace(
        answer, documents=tuple(dict.fromkeys((*answer.documents, *fitting)))
    )


def _with_last_fraud_only(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings, with only the last of those on fraud.

    Such a finding has the rows of an export and their total. If several were joined,
    the rows of all would be cited beside the total of the last.
    """
    last_export = None
    for finding in findings:
        if finding.topic == FRAUD and (finding.refs or finding.message):
            last_export = finding
    return [
        finding
        for finding in findings
        if finding.topic != FRAUD or finding is last_export
    ]


def joined_finding(findings: Iterable[Finding], topic: str) -> Finding:
    """Return the findings on one topic as one, with all their references and the last message."""
    refs: dict[str, None] = {}
    message = ""
    for finding in findings:
        if finding.topic == topic:
            refs.update(dict.fromkeys(finding.refs))
            message = finding.message or message
    return Finding(topic, tuple(refs), message)


def _with_finding(answer: Answer, finding: Finding, rule: TopicRule) -> Answer:
    """Return an answer with the message and the records of a finding, as its rule says."""
    records = answer.records
    asked_by = rule.message_asked_by
    is_message_asked = asked_by is None or asked_by.search(answer.request) is not None
    if finding.message and rule.replaces_message and is_message_asked:
        answer = replace(answer, message=finding.message)
        # The message is the total of rows of an export, cited as `/payments.tsv#row=7`.
        # The rows in the draft belong to the draft's total.
        records = tuple(path for path in records if "#row=" not in path)

    found_kinds = {record_kind(path) for path in finding.refs}
    replaced_kinds = found_kinds.intersection(rule.replaced_kinds)
    remaining = [path for path in records if record_kind(path) not in replaced_kinds]
    return replace(answer, records=tuple(dict.fromkeys((*remaining, *finding.refs))))


# Policies for a task type -----------------------------------------------------------------------

_POLICY_WORDS: Final[dict[str, tuple[str, ...]]] = {
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
"""For each task type, parts of words in the paths or subjects of its policies.

`verif` is in `verification` and `verify`. Answers about fraud cite no policies.
"""
_PATH: Final = re.compile(r"`(/[^`\s]+)`|(/docs/[\w./-]+\.md)", re.IGNORECASE)
"""`/docs/returns.md`, or any path in backticks."""
_TWO_LETTERS: Final = re.compile(r"[^\W\d_]{2}")
"""Occurs in every text with a word, but not in the mark of a list item: `- `, `1. `."""
_CLAUSE_END: Final = re.compile(r"[,;.]\s+|\n(?=\S)")
"""The end of a clause about one document.

A line may hold several clauses, and a clause may span lines.
"""


def policy_documents(
    opened: Sequence[str], task_type: str, rules: str = ""
) -> list[str]:
    """Return the opened documents that fit a task type.

    A document fits by its path, or by the subject
    that the workspace's rules give for it.
    """
    words = _POLICY_WORDS.get(task_type, ())
    named_by_rules: set[str] = set()
    for clause in _CLAUSE_END.split(rules):
        named_by_rules.update(_paths_about(clause, words))
    fitting = []
    for path in opened:
        has_word = any(word in path.casefold() for word in words)
        if has_word or path in named_by_rules:
            fitting.append(path)
    return fitting


def _paths_about(clause: str, words: Sequence[str]) -> list[str]:
    """Return the paths in a clause whose subject contains one of these words.

    The subject is the text before a path: `refunds: /docs/returns.md`. If the clause
    begins with a path, it is the text after it: `/docs/returns.md is about refunds`.
    """
    matches = list(_PATH.finditer(clause))
    if not matches:
        return []
    text_before_first_path = clause[: matches[0].start()]
    begins_with_path = not _TWO_LETTERS.search(text_before_first_path)
    paths = []
    for number, match in enumerate(matches):
        if begins_with_path:
            is_last = number == len(matches) - 1
            end = len(clause) if is_last else matches[number + 1].start()
            subject = clause[match.end() : end].casefold()
        else:
            start = 0 if number == 0 else matches[number - 1].end()
            subject = clause[start : match.start()].casefold()
        if any(word in subject for word in words):
            paths.append(match[1] or match[2])
    return paths


# References -------------------------------------------------------------------------------------

_COUNT: Final = "count"
"""The type of tasks that count products.

Their answers cite only what they count, not other records that the request names.
"""
_ABOUT_PRODUCTS: Final = frozenset(
    {"stock_count", "stock_lookup", "receipt_price", "checkout"}
)
"""The types of tasks whose answers cite each product that the request names by its code."""
_OTHER_CUSTOMER: Final = re.compile(
    r"\b(?:another|other|different|someone|somebody)\s+(?:else'?s?\s+)?(?:customer|user|account)"
)
"""`another customer`, `somebody else's account`"""
_UNITS: Final = re.compile(r"\b(?:units?|stock|on hand|available)\b", re.IGNORECASE)
_GENERATED_README: Final = re.compile(
    r"^/(?:proc|run)/(?:.*/)?readme\.md$", re.IGNORECASE
)
"""A document that the environment generates for a folder of records. It is not a policy."""


def final_references(
    answer: Answer, workspace: WorkspaceRecords, asker: Identity, kind_at: KindOf
) -> list[str]:
    """Return the paths that an answer cites: documents first, then records.

    Adds the records that the request and the message name. Leaves out files that do not
    exist and files that the asker may not see.
    """
    # 1. Separate the cited documents from the cited records.
    documents = []
    records = []
    for path in dict.fromkeys(answer.documents + answer.records):
        if not _is_document(path):
            records.append(path)
        elif not _GENERATED_README.match(path):
            documents.append(path)
    lists_documents = any(_is_document(path) for path in workspace.files.paths)
    if lists_documents:  # Otherwise the documents' paths cannot be checked.
        documents = repaired_paths(workspace.files, documents)
    # A protected answer is about records that the asker may not see: it cites only documents.
    if answer.is_protected or _denies_protected(
        answer, records, workspace, asker, kind_at
    ):
        return documents

    # 2. Add the records that the request and the message name, and remove unrelated ones.
    if answer.task_type != _COUNT:
        records += named_records(workspace, asker, answer.request)
    records += _named_products(answer, workspace)
    records = list(dict.fromkeys(records))
    unrelated = _unrelated_records(answer, records, workspace, kind_at)
    records = [path for path in records if path not in unrelated]

    # 3. Add linked records: the payment of a return, and the person who gives a discount.
    if answer.task_type == "refund":
        records += linked_paths(workspace, records, key="payment_id")
    if answer.task_type == "discount" and asker.is_staff:
        issuer = workspace.files.path_of(asker.user)
        if issuer:
            records.append(issuer)

    # 4. Keep only files that exist, with their paths as listed. The asker may not see the records
    #    of some employees: cite the branch in which such a person works instead.
    existing = repaired_paths(workspace.files, list(dict.fromkeys(records)))
    return [*documents, *with_branches_for_people(workspace, asker, existing)]


def _named_products(answer: Answer, workspace: WorkspaceRecords) -> list[str]:
    """Return the products whose codes an answer is about, without those that the request excludes.

    A request may say "any lamp but AB-1".
    """
    excluded = excluded_codes(answer.request)
    paths = []
    for code in _codes_of(answer):
        path = workspace.files.path_of(code)
        if path is not None and code not in excluded:
            paths.append(path)
    return paths


def _denies_protected(
    answer: Answer,
    cited: list[str],
    workspace: WorkspaceRecords,
    asker: Identity,
    kind_at: KindOf,
) -> bool:
    """Return True if an answer denies records that the asker may not see.

    Such an answer must not cite the records.
    """
    if answer.outcome != DENIED:
        return False

    for record in workspace.read(repaired_paths(workspace.files, cited)):
        if not asker.may_cite(record.owner):
            return True
    if _OTHER_CUSTOMER.search(answer.message):
        return True

    # A guest owns nothing, so a basket, payment or return belongs to somebody else,
    # even if its file cannot be read.
    is_guest = asker.is_outside and not asker.is_customer
    return is_guest and any(kind_at(path) in OWNED for path in cited)


def _codes_of(answer: Answer) -> list[str]:
    """Return the codes of the products that an answer is about.

    Codes in the message count, except in a count of products. Codes in the request
    count only if it is about products or stock.
    """
    codes: list[str] = []
    if answer.task_type == _COUNT:
        if _UNITS.search(answer.request):
            codes += product_codes(answer.request)
        return codes
    if answer.task_type in _ABOUT_PRODUCTS:
        codes += product_codes(answer.request)
    return codes + product_codes(answer.message)


def _unrelated_records(
    answer: Answer, records: list[str], workspace: WorkspaceRecords, kind_at: KindOf
) -> set[str]:
    """Return those products and baskets among the records that the answer is not about."""
    products = [path for path in records if kind_at(path) == "product"]
    baskets = [path for path in records if kind_at(path) == "basket"]

    not_in_question = _products_not_in_question(answer, products)
    possible_products = [path for path in products if path not in not_in_question]
    unrelated = not_in_question | _excluded_records(answer, records, possible_products)
    if answer.task_type == "product" and answer.outcome == OK:
        if says_no(answer.message, answer.rules):
            unrelated.update(products)  # No product fits.
    return unrelated | _baskets_not_in_message(answer, baskets, workspace)


def _products_not_in_question(answer: Answer, products: list[str]) -> set[str]:
    """Return the products that are not choices in the agent's question "AB-1 or AB-2?"."""
    asked_codes = product_codes(answer.message)
    if answer.outcome != CLARIFICATION or not asked_codes:
        return set()
    return {path for path in products if record_id(path) not in asked_codes}


def _excluded_records(
    answer: Answer, records: list[str], possible_products: list[str]
) -> set[str]:
    """Return the records of products that the request excludes: "any lamp but AB-1".

    If a count of stock has no other product, it counts just these, so they stay.
    """
    excluded = excluded_codes(answer.request)
    has_other_product = any(
        record_id(path) not in excluded for path in possible_products
    )
    if answer.task_type == "stock_count" and not has_other_product:
        return set()
    return {path for path in records if record_id(path) in excluded}


def _baskets_not_in_message(
    answer: Answer, baskets: list[str], workspace: WorkspaceRecords
) -> set[str]:
    """Return the baskets other than the only one that the message names.

    The result is empty if the message names no basket, or several.
    """
    # `ANY_STAFF`, because it does not matter here if the asker may see the named basket.
    named = set(named_records(workspace, ANY_STAFF, answer.message))
    for path in baskets:
        if re.search(
            rf"(?<![\w-]){re.escape(record_id(path))}(?![\w-])", answer.message
        ):
            named.add(path)
    if len(named.intersection(baskets)) != 1:
        return set()
    return {path for path in baskets if path not in named}


def _is_document(path: str) -> bool:
    return path.casefold().endswith(".md")
