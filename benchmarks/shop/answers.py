"""The check `order_references`: corrects the draft of an answer before it is submitted.

A model drafts "EUR 12.00" and cites `/uploads/r.txt`. In the trial, the function `settle_receipt` has
computed `EUR 12.50` from the product AB-1. The corrected answer is "EUR 12.50", and cites both files,
each with a reason: "the receipt", "the product AB-1, Lea tarp".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from controlplane.benchmarks.shop.answering import says_no
from controlplane.benchmarks.shop.texts import quoted_sentence
from controlplane.benchmarks.shop.workspace.kinds import (
    OWNED,
    excluded_codes,
    is_document,
    kind_of,
)
from controlplane.benchmarks.shop.workspace.reading import ANY_STAFF, Identity
from controlplane.benchmarks.shop.workspace.records import (
    RecordFiles,
    WorkspaceRecords,
    linked_paths,
    named_records,
)
from controlplane.benchmarks.shop.workspace.staff import (
    reference_to,
    with_branches_for_people,
)
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.gates.paths import record_id
from controlplane.sandbox.functions import FunctionResult, Reference
from controlplane.sandbox.interface.outcomes import CLARIFICATION, DENIED, OK

# The draft of an answer: its outcome, its message, and the files that it cites.
#
#     Draft("OUTCOME_OK", "basket_12 is open.", records=("/proc/carts/basket_12.json",), ...)
#
# A solver makes the draft. Results of the shop's functions change it (`findings`), and its
# references are completed and checked (`final_references`).


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer before it is submitted, with the request that it answers."""

    outcome: str
    message: str = ""
    task_type: str = "other"
    """What the request is about, such as `refund`, `stock_lookup` or `count`."""
    documents: tuple[str, ...] = ()
    """The paths of cited documents: `/docs/returns.md`."""
    records: tuple[str, ...] = ()
    """The paths of cited records, and of rows in a file: `/payments.tsv#row=7`."""
    is_protected: bool = False
    """True if it may cite no records, because they are not for the asker's eyes."""
    request: str = ""
    """The text of the request."""
    rules: str = ""
    """The text of the workspace's rules document, which says how to answer."""


def record_kind(path: str) -> str:
    """Return the kind of the record at a path, or an empty text for any other path."""
    return str(kind_of(path) or "")


# Finds the codes of products in a text by their form, if the codes of the shop are not known.
#
# A code is at least ten capitals, digits and dashes: `VH-TRP-LEA-3X3-GRN`. Other words look like this,
# too, and are left out:
#
# | a date, or the form of one | a standard | an emphasis | words |
# |---|---|---|---|
# | `12-MAR-2027`, `YYYY-MM-DD` | `DIN-EN-12345` | `NUMBER-ONLY` | `READ-CAREFULLY` |

_TEN_CHARACTERS_HERE: Final = r"(?=[A-Z0-9-]{10,}(?![\w-]))"
_CODE: Final = re.compile(
    rf"(?<![\w-]){_TEN_CHARACTERS_HERE}[A-Z0-9]+(?:-[A-Z0-9]+)+(?![\w-])"
)
"""Capitals and digits in parts joined by dashes, at least ten characters: `VH-TRP-LEA-3X3-GRN`."""
_MONTH: Final = "JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC"
_DATE_PART: Final = (
    rf"ISO-?8601|MON|MONTH|{_MONTH}|\d{{1,4}}"
    r"|YYYY|YY|M{2,4}|D{2,3}"  # year, month, day
    r"|A{4}|J{2,4}|TT?"  # the same in French and German: AAAA, JJ, TT
    r"|WW?\d*|QQ?\d?|HH|SS"  # week, quarter, hour, second
)
"""A part of a date, or of the form of one."""
_DATE: Final = rf"(?:(?:{_DATE_PART})-?)+"
"""`12-MAR-2027`, `YYYY-MM-DD`"""
_STANDARD: Final = r"(?:OUTCOME|UTF|ISO|DIN|EN|SHA|TLS|RFC|GMT|UTC|EUR|COVID)-.+"
"""`DIN-EN-12345`, and other names that begin with a known word."""
_EMPHASIS: Final = r"(?:.+-)?(?:ONLY|NOT|AND|OR|PER)(?:-.+)?"
"""`NUMBER-ONLY`"""
_WORDS: Final = r"[A-Z]{4,}(?:-[A-Z]+)+"
"""`READ-CAREFULLY`. Codes begin with fewer letters: `VH-TRP`."""
_NOT_A_PRODUCT_CODE: Final = re.compile(f"{_DATE}|{_STANDARD}|{_EMPHASIS}|{_WORDS}")


def product_codes(text: str, codes: Collection[str] = ()) -> list[str]:
    """Return the product codes in a text, in order, each once.

    "Are VH-TRP-LEA-3X3 and VH-TRP-REA-2X2 in stock on 12-MAR-2027?" -> the first two words with
    dashes. If `codes` are given, only these count, whatever their form.
    """
    if codes:
        return _known_codes(text, codes)
    found = []
    for code in _CODE.findall(text):
        if not _NOT_A_PRODUCT_CODE.fullmatch(code):
            found.append(code)
    return list(dict.fromkeys(found))


def _known_codes(text: str, codes: Collection[str]) -> list[str]:
    """Return those of the given codes that occur in a text, in the order of the text."""
    positions = []
    for code in codes:
        for match in re.finditer(rf"(?<![\w-]){re.escape(code)}(?![\w-])", text):
            positions.append((match.start(), code))
    positions.sort()
    return list(dict.fromkeys(code for _, code in positions))


# Finds the products that an answer has to cite, by the codes in the request and in the message.
#
# "How many units of AB-1 do you have?" is about AB-1, so its record is cited. "How many lamps do you
# sell?" names no product. Which text counts depends on the type of the task (`_codes_of`).

# A solver sorts requests into types of tasks, such as `refund` or `stock_lookup`.
COUNT: Final = "count"
"""The type of tasks that count products: "How many lamps do you sell?" """
_ABOUT_NAMED_PRODUCTS: Final = frozenset(
    {"stock_count", "stock_lookup", "receipt_price", "checkout"}
)
"""The types of tasks that are about the products in the request."""
_UNITS: Final = re.compile(r"\b(?:units?|stock|on hand|available)\b", re.IGNORECASE)
"""Words of a request that counts units: `how many units of AB-1`."""


def _named_products(draft: Draft, workspace: WorkspaceRecords) -> list[str]:
    """Return the paths of the products that the draft of an answer is about.

    Products that the request excludes are left out: "any lamp but AB-1".
    """
    excluded = excluded_codes(draft.request)
    paths = []
    for code in _codes_of(draft):
        path = workspace.files.path_of(code)
        if path is not None and code not in excluded:
            paths.append(path)
    return paths


def _codes_of(draft: Draft) -> list[str]:
    """Return the codes of the products that a draft is about.

    | type of task | example | the codes in |
    |---|---|---|
    | `count` | "How many units of AB-1 are there?" | the request |
    | `count`, but not of units | "How many lamps like AB-1 do you sell?" | no text |
    | `checkout`, `stock_lookup`, ... | "Buy AB-1." -> "AB-1 is sold out." | both texts |
    | any other | "Which lamp is the cheapest?" -> "AB-1." | the message |
    """
    if draft.task_type == COUNT:
        counts_units = _UNITS.search(draft.request) is not None
        return product_codes(draft.request) if counts_units else []
    if draft.task_type in _ABOUT_NAMED_PRODUCTS:
        return [*product_codes(draft.request), *product_codes(draft.message)]
    return product_codes(draft.message)


# Finds the files that misspelled paths refer to.
#
# Models often write a path from memory: `/Proc/carts/Basket_1` for `/proc/carts/basket_1.json`, or
# `/baskets/basket_1.json` with a folder that does not exist.


def repaired_paths(files: RecordFiles, paths: list[str]) -> list[str]:
    """Return the existing files that possibly misspelled paths refer to, each once.

    `["/Proc/carts/Basket_1#lines"]` -> `["/proc/carts/basket_1.json#lines"]`. A path may have
    another case, lack its extension, or only end with the right id. A path that matches no file,
    or several, is left out.
    """
    existing = set(files.paths)
    path_by_folded = {path.casefold(): path for path in files.paths}
    repaired = []
    for path in paths:
        file_path, mark, fragment = path.partition("#")
        # The whole path is tried, too, because a file may have a `#` in its name.
        if path in existing or file_path in existing:
            repaired.append(path)
            continue
        repaired_path = _file_for(files, path_by_folded, file_path)
        if repaired_path:
            repaired.append(f"{repaired_path}{mark}{fragment}")
    return list(dict.fromkeys(repaired))


def _file_for(
    files: RecordFiles, path_by_folded: dict[str, str], misspelled: str
) -> str | None:
    """Return the file that a misspelled path refers to; None if there is none or several.

    `path_by_folded` has all paths by their form without case.
    """
    # 1. Only the case is wrong, or the extension is missing.
    folded = misspelled.casefold()
    for candidate in (folded, f"{folded}.json"):
        if candidate in path_by_folded:
            return path_by_folded[candidate]

    # 2. The path ends with the id of a record, whatever its folder. Documents have no ids.
    if is_document(misspelled):
        return None
    return files.path_of(record_id(misspelled))


# Decides whether a denial is about records that the asker may not see.
#
# "What is in basket_2?", asks a customer to whom it does not belong. The answer is "This is not your
# basket." If it cited the record of the basket, this would tell that the basket exists. So such a
# denial cites only documents, for example the shop's page on security.

_KindOf = Callable[[str], str]
"""A function that returns the kind of the record at a path: `basket`; empty if it is unknown."""

_OTHER_CUSTOMER: Final = re.compile(
    r"\b(?:another|other|different|someone|somebody)\s+(?:else'?s?\s+)?(?:customer|user|account)"
)
"""Words of a message that a record is somebody else's: `another customer`, `someone else's account`."""


def _is_about_hidden_records(
    message: str,
    records: list[str],
    asker: Identity,
    workspace: WorkspaceRecords,
    kind_at: _KindOf,
) -> bool:
    """Return True if a denial is about records that the asker may not see.

    `message` is its text, and `records` the paths of the records that it cites:
    "It is not yours.", `["/proc/carts/basket_2.json"]` -> True, if the basket has another owner.
    """
    # 1. It cites a record of another owner.
    for record in workspace.read(repaired_paths(workspace.files, records)):
        if not asker.may_see(record.owner):
            return True

    # 2. Its message says so.
    if _OTHER_CUSTOMER.search(message):
        return True

    # 3. It cites a basket, payment or return, and the asker is a guest, who owns none. The kind
    #    follows from the path, so this is known even if the record cannot be read.
    return asker.is_guest and any(kind_at(path) in OWNED for path in records)


# Finds the products and baskets that an answer cites but is not about.
#
# | request | answer | not to be cited |
# |---|---|---|
# | "Is the lamp in stock?" | "Do you mean AB-2 or AB-3?" | other products |
# | "Is any lamp but AB-1 in stock?" | "AB-2 is." | AB-1 |
# | "Is there a blue lamp?" | "No." | all products |
# | "Which basket is open?" | "basket_2." | other baskets |


def _unrelated_records(
    draft: Draft,
    records: list[str],
    workspace: WorkspaceRecords,
    kind_at: Callable[[str], str],
) -> set[str]:
    """Return those products and baskets among the records that the answer is not about.

    `kind_at` returns the kind of the record at a path, such as `basket`.
    """
    products = [path for path in records if kind_at(path) == "product"]
    baskets = [path for path in records if kind_at(path) == "basket"]

    not_in_question = _products_not_in_question(draft, products)
    possible_products = [path for path in products if path not in not_in_question]
    excluded = _excluded_records(draft, records, possible_products)
    missing = set(products) if _says_that_there_is_none(draft) else set()
    other_baskets = _baskets_not_in_message(draft, baskets, workspace)
    return not_in_question | excluded | missing | other_baskets


def _products_not_in_question(draft: Draft, products: list[str]) -> set[str]:
    """Return the products that are not choices in the question "AB-2 or AB-3?".

    The result is empty if the answer is not a question, or names no product.
    """
    asked_codes = product_codes(draft.message)
    if draft.outcome != CLARIFICATION or not asked_codes:
        return set()
    return {path for path in products if record_id(path) not in asked_codes}


def _excluded_records(
    draft: Draft, records: list[str], possible_products: list[str]
) -> set[str]:
    """Return the records of products that the request excludes: "any lamp but AB-1".

    A count of stock that has no other product is about just these, so they stay.
    """
    excluded = excluded_codes(draft.request)
    has_other_product = any(
        record_id(path) not in excluded for path in possible_products
    )
    if draft.task_type == "stock_count" and not has_other_product:
        return set()
    return {path for path in records if record_id(path) in excluded}


def _says_that_there_is_none(draft: Draft) -> bool:
    """Return True if the answer to "Is there such a product?" is a no."""
    is_about_existence = draft.task_type == "product" and draft.outcome == OK
    return is_about_existence and says_no(draft.message, draft.rules)


def _baskets_not_in_message(
    draft: Draft, baskets: list[str], workspace: WorkspaceRecords
) -> set[str]:
    """Return the baskets other than the only one that the message names.

    The result is empty if the message names no basket, or several.
    """
    # `ANY_STAFF`, because it does not matter here if the asker may see the named basket.
    named = set(named_records(workspace, ANY_STAFF, draft.message))
    for path in baskets:
        if re.search(
            rf"(?<![\w-]){re.escape(record_id(path))}(?![\w-])", draft.message
        ):
            named.add(path)
    if len(named.intersection(baskets)) != 1:
        return set()
    return {path for path in baskets if path not in named}


# Completes and checks the references of an answer: the files that it cites.
#
# The draft of an answer to "Refund pay_12" cites `/docs/returns.md`, and `/docs/money.md`, which does
# not exist. The final references are `/docs/returns.md` and the record of pay_12, unless the asker
# may not see this payment.

_GENERATED_README: Final = re.compile(
    r"^/(?:proc|run)/(?:.*/)?readme\.md$", re.IGNORECASE
)
"""A document that the environment generates for a folder of records. It is not a policy."""


def final_references(
    draft: Draft, workspace: WorkspaceRecords, asker: Identity, kind_at: _KindOf
) -> list[str]:
    """Return the paths of all files that an answer has to cite: documents first, then records.

    `kind_at` returns the kind of the record at a path: `payment`.
    """
    # 1. Documents. If the asker may not see one of the records, only documents are cited, because
    #    the path of a record would tell that it exists. The draft may say so (`is_protected`).
    documents = _cited_documents(draft, workspace)
    cited_paths = dict.fromkeys(draft.documents + draft.records)
    records = [path for path in cited_paths if not is_document(path)]
    if draft.is_protected:
        return documents
    if draft.outcome == DENIED and _is_about_hidden_records(
        draft.message, records, asker, workspace, kind_at
    ):
        return documents

    # 2. Records that the draft, the request or the message names, if the answer is about them.
    #    An answer that counts products cites only these products.
    if draft.task_type != COUNT:
        records += named_records(workspace, asker, draft.request)
    records += _named_products(draft, workspace)
    records = list(dict.fromkeys(records))
    unrelated = _unrelated_records(draft, records, workspace, kind_at)
    records = [path for path in records if path not in unrelated]

    # 3. Linked records: the payment of a return, and the member of staff who gives a discount.
    if draft.task_type == "refund":
        records += linked_paths(workspace, records, key="payment_id")
    if draft.task_type == "discount" and asker.is_staff:
        issuer = workspace.files.path_of(asker.user)
        if issuer:
            records.append(issuer)

    # 4. Of all these, only records that exist. In place of an employee whose record the asker may
    #    not see, the branch is cited in which this person works.
    existing = repaired_paths(workspace.files, list(dict.fromkeys(records)))
    return [*documents, *with_branches_for_people(workspace, asker, existing)]


def _cited_documents(draft: Draft, workspace: WorkspaceRecords) -> list[str]:
    """Return the paths of the existing documents that a draft cites: `/docs/returns.md`.

    If the workspace lists no documents at all, their paths cannot be checked, and all are returned.
    """
    documents = []
    for path in dict.fromkeys(draft.documents + draft.records):
        if is_document(path) and not _GENERATED_README.match(path):
            documents.append(path)
    lists_documents = any(is_document(path) for path in workspace.files.paths)
    if lists_documents:
        return repaired_paths(workspace.files, documents)
    return documents


# A finding: the part of a function's result that may correct the draft of an answer.
#
# The function `settle_receipt` has computed the total `EUR 12.50` from the products AB-1 and AB-2:
#
#     Finding("receipt", refs=("/proc/products/AB-1.json", ...), message="EUR 12.50")
#
# The draft, which a model has written, gets this total and cites these products.

_DOCUMENTS: Final = "documents"
"""The topic of the documents that a trial opened."""
_FRAUD: Final = "fraud"
"""The topic of the fraudulent rows in exports of payments."""


@dataclass(frozen=True, slots=True)
class AnswerFinding:
    """The result of one function in a trial, or the documents that the trial opened."""

    topic: str
    """What the finding is about, such as `fraud`; empty if it changes no answer.

    `topic_rules.RULES` says for each topic how drafts are changed.
    """
    refs: tuple[str, ...] = ()
    """The paths of the files that support the result: `/uploads/receipt.txt`."""
    message: str = ""
    """The text that the function gives for the answer, such as a total: `EUR 12.50`."""


_TOPIC_OF_FUNCTION: Final = {
    "stock_at": "stock_lookup",
    "settle_receipt": "receipt",
    "fraud_rows": _FRAUD,
}
"""The functions whose results change answers, each with the topic of its findings."""


def _finding_of(entry: Mapping[str, Any]) -> AnswerFinding:
    """Return the finding of an entry in a trial's JSON list of results.

    An entry is a function's result, with the texts in its value, or the list of all files
    that the trial opened:

        {"function": "settle_receipt",
         "refs": [{"path": "/uploads/r.txt", "reason": "the receipt"}],
         "texts": {"total": "EUR 12.50"}}
        {"opened": ["/docs/returns.md"]}
    """
    if "opened" in entry:
        documents = tuple(path for path in entry["opened"] if is_document(path))
        return AnswerFinding(_DOCUMENTS, documents)
    return AnswerFinding(
        topic=_TOPIC_OF_FUNCTION.get(entry["function"], ""),
        refs=tuple(reference["path"] for reference in entry["refs"]),
        # Of the texts, only a total answers a request.
        message=entry["texts"].get("total", ""),
    )


def joined_finding(findings: Iterable[AnswerFinding], topic: str) -> AnswerFinding:
    """Return the findings on one topic as one, with all their references and the last message."""
    refs: dict[str, None] = {}
    message = ""
    for finding in findings:
        if finding.topic == topic:
            refs.update(dict.fromkeys(finding.refs))
            message = finding.message or message
    return AnswerFinding(topic, tuple(refs), message)


# Chooses, of the documents that a trial has opened, the policies for its type of task.
#
# An answer about a refund has to cite the policy on refunds. This may be `/docs/refunds.md`, by its
# path, or `/docs/money-back.md`, if the workspace's rules say "refunds: /docs/money-back.md".

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
"""Parts of words by which a document is a policy for a type of task.

`verif` is in `verification` and `verify`. Answers about fraud cite no policies.
"""
_CLAUSE_END: Final = re.compile(r"[,;.]\s+|\n(?=\S)")
"""The end of a clause about one document: a comma, a point, or a line break.

A line that begins with a blank continues the clause of the line above.
"""


def policy_documents(
    opened: Sequence[str], task_type: str, rules: str = ""
) -> list[str]:
    """Return the opened documents that are policies for a task type.

    `["/docs/returns.md", "/docs/stock.md"]`, `refund` -> `["/docs/returns.md"]`. `rules` is the
    text of the workspace's rules document.
    """
    words = _POLICY_WORDS.get(task_type, ())
    paths_in_rules: set[str] = set()
    for clause in _CLAUSE_END.split(rules):
        paths_in_rules.update(_paths_about(clause, words))
    policies = []
    for path in opened:
        has_word = any(word in path.casefold() for word in words)
        if has_word or path in paths_in_rules:
            policies.append(path)
    return policies


_PATH: Final = re.compile(r"`(/[^`\s]+)`|(/docs/[\w./-]+\.md)", re.IGNORECASE)
"""`/docs/returns.md`, or any path in backticks."""
_TWO_LETTERS: Final = re.compile(r"[^\W\d_]{2}")
"""Occurs in every text with a word, but not in the mark of a list item: `- `, `1. `."""


def _paths_about(clause: str, words: Sequence[str]) -> list[str]:
    """Return the paths in a clause of the rules whose subject contains one of these words.

    | clause | path, and its subject |
    |---|---|
    | `refunds: /docs/money-back.md` | the path, and the text before it |
    | `- /docs/money-back.md is about refunds` | the path, and the text after it |
    """
    matches = list(_PATH.finditer(clause))
    if not matches:
        return []
    text_before_first_path = clause[: matches[0].start()]
    begins_with_path = not _TWO_LETTERS.search(text_before_first_path)

    # Where the subject of each path starts and ends.
    if begins_with_path:
        starts = [match.end() for match in matches]
        ends = [*(match.start() for match in matches[1:]), len(clause)]
    else:
        starts = [0, *(match.end() for match in matches[:-1])]
        ends = [match.start() for match in matches]
    paths = []
    for match, start, end in zip(matches, starts, ends, strict=True):
        subject = clause[start:end].casefold()
        if any(word in subject for word in words):
            paths.append(match[1] or match[2])
    return paths


# How the results of a shop's functions change the draft of an answer, by their topics.
#
# The draft about a receipt says "EUR 12.00" and cites the product AB-3. The function `settle_receipt`
# has computed `EUR 12.50` from AB-1 and AB-2: a finding on the topic `receipt`. By the rule of this
# topic, the draft then says "EUR 12.50", and cites AB-1 and AB-2 instead of AB-3.


@dataclass(frozen=True, slots=True)
class _TopicRule:
    """How the findings on one topic change a draft. The files of a finding are always cited."""

    task_type: str | None = None
    """Only drafts for this type of task, such as `refund`, are changed; None: all drafts."""
    replaced_kinds: frozenset[str] = frozenset()
    """The kinds of records of which only those of the finding are cited, if it has any."""
    message_asked_by: re.Pattern[str] | None = None
    """If the request matches, the draft gets the finding's message; None: never."""

    def applied(self, finding: AnswerFinding, draft: Draft) -> Draft:
        """Return a draft with the message and the records of a finding on the topic."""
        if self.task_type is not None and draft.task_type != self.task_type:
            return draft
        records = draft.records
        asked_by = self.message_asked_by
        if finding.message and asked_by is not None and asked_by.search(draft.request):
            draft = replace(draft, message=finding.message)
            # The message is the total of rows of an export, cited as `/payments.tsv#row=7`.
            # The rows in the draft belong to the draft's total.
            records = tuple(path for path in records if "#row=" not in path)

        found_kinds = {record_kind(path) for path in finding.refs}
        kept = []
        for path in records:
            kind = record_kind(path)
            is_replaced = kind in self.replaced_kinds and kind in found_kinds
            if not is_replaced:
                kept.append(path)
        return replace(draft, records=tuple(dict.fromkeys((*kept, *finding.refs))))


_ANY_REQUEST: Final = re.compile("")
_TOTAL_ASKED: Final = re.compile(
    r"\b(?:totals?|sums?|amounts?|how much|add(?:s|ed)? up|altogether|damage|loss(?:es)?|worth|volume"
    r"|EUR|euros?)\b|€",
    re.IGNORECASE,
)
"""A request for a sum: `how much is it?`, `the damage in EUR`."""

RULES: Final = {
    # "How many Lea tarps are in stock?", for programs that count by themselves.
    "stock_count": _TopicRule(
        "stock_count", replaced_kinds=frozenset({"product", "branch"})
    ),
    # "Is the support note true?", and the product that it describes.
    "note": _TopicRule("product", replaced_kinds=frozenset({"product"})),
    # Records that may matter to any request.
    "lead": _TopicRule(),
    # "Which payments are fraud?", and perhaps "what is the damage?"
    _FRAUD: _TopicRule("fraud", message_asked_by=_TOTAL_ASKED),
    # "What would this receipt cost today?"
    "receipt": _TopicRule(
        "receipt_price",
        replaced_kinds=frozenset({"product", "upload"}),
        message_asked_by=_ANY_REQUEST,
    ),
    # "How many AB-1 are in Graz?"
    "stock_lookup": _TopicRule("stock_lookup"),
}
"""The rule of each topic, with a request for which it is made, in the order of use."""


# Corrects the draft of an answer by the results of the shop's functions in the trial.
#
# A model drafts "EUR 12.00" for "What would this receipt cost today?" But the function
# `settle_receipt` has computed `EUR 12.50`. Its result, a finding, replaces the draft's message. The
# draft also gets the policies that were opened in the trial and that belong to such a request.


def apply_findings(findings: Sequence[AnswerFinding], draft: Draft) -> Draft:
    """Return a draft with the findings and the opened policies that fit its type of task."""
    # 1. Each topic has a rule by which all findings on it change the draft.
    findings = _without_earlier_exports(findings)
    for topic, rule in RULES.items():
        finding = joined_finding(findings, topic)
        if finding.refs or finding.message:
            draft = rule.applied(finding, draft)

    # 2. The opened documents are a finding, too. Of these, only policies are cited.
    opened = joined_finding(findings, _DOCUMENTS).refs
    policies = policy_documents(opened, draft.task_type, draft.rules)
    return replace(draft, documents=tuple(dict.fromkeys((*draft.documents, *policies))))


def _without_earlier_exports(findings: Sequence[AnswerFinding]) -> list[AnswerFinding]:
    """Return the findings, of those on fraud only the last one.

    Each is about one export of payments: its fraudulent rows, and their total. If several were
    joined, the rows of all exports would be cited beside the total of the last one.
    """
    last_on_fraud = None
    for finding in findings:
        if finding.topic == _FRAUD and (finding.refs or finding.message):
            last_on_fraud = finding
    kept = []
    for finding in findings:
        if finding.topic != _FRAUD or finding is last_on_fraud:
            kept.append(finding)
    return kept


@layout_from_harness
def order_references(
    layout: ShopLayout,
    answer: Mapping[str, Any],
    request: str,
    findings: str,
    in_order: bool,
) -> FunctionResult[dict[str, str]]:
    """Return an answer's message and references, corrected by the results of functions.

    `answer` is the draft of a solver, as a mapping: `{"outcome": "OUTCOME_OK", ...}`. `findings` is a JSON list of the
    results of functions, and of opened files; `_finding_of` shows its entries. With `in_order`,
    the references are also checked, completed and sorted. Raises `CannotRead` if it is uncertain
    who asks or what the fields of records are called.
    """
    results = json.loads(findings)
    draft = Draft(
        outcome=str(answer["outcome"]),
        message=str(answer["message"]),
        task_type=str(answer["task_type"]),
        documents=tuple(answer["documents"]),
        records=tuple(answer["records"]),
        is_protected=bool(answer["protected"]),
        request=request,
        rules=layout.documents.rules,
    )
    if results:
        draft = apply_findings([_finding_of(entry) for entry in results], draft)

    paths = [*draft.documents, *draft.records]
    if in_order:
        kind_at = partial(_kind_at, layout)
        paths = final_references(draft, layout.records, layout.asker, kind_at)

    # A function has given reasons for the files that it found. Other files get one by their content.
    reasons = {}
    for entry in results:
        for reference in entry.get(
            "refs", ()
        ):  # The entry of the opened files has none.
            reasons[reference["path"]] = reference["reason"]
    references = []
    for path in paths:
        reason = reasons.get(path) or _reason_in_file(layout, path, request)
        references.append(Reference(path, reason))
    return FunctionResult({"message": draft.message}, tuple(references))


def _kind_at(layout: ShopLayout, path: str) -> str:
    """Return the kind of the record at a path, such as `basket`.

    It follows from the folder, or else from the path alone; it is empty if neither is known.
    """
    return str(layout.kinds.of(path) or record_kind(path))


def _reason_in_file(layout: ShopLayout, path: str, request: str) -> str:
    """Return the reason for citing a file; empty if the file does not exist.

    For a record, it says what the record is: "the basket basket_12". For a document, it is
    the sentence with the most words of the request.
    """
    file_path = path.partition("#")[0]
    if file_path not in layout.files.paths:
        return ""
    record = layout.records.at(file_path)
    if record is not None:
        return reference_to(record, layout.kinds.of(file_path)).reason
    # Words of fewer than 4 letters (`is`, `the`) say nothing about a request's subject. A request
    # without longer words gets a sentence about citing.
    words = set(re.findall(r"\w{4,}", request.casefold())) or {"cite"}
    return quoted_sentence(layout.reader.read(file_path), rf"\b(?:{'|'.join(words)})\b")
