"""Checks a call that changes something against the shop's pages and records, before it is sent.

A call such as `/bin/checkout basket-2` is stopped if the basket belongs to somebody else, or if
the branch has too few units. The model gets a notice with these reasons (faults), and may make
the call again. The modules of `faults` find them. The check looks only at the call, not at the
request, and does nothing if it is not certain which page and record are meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from controlplane.benchmarks.shop.branches import (
    BranchStock,
    branch_called,
    is_open,
    stock_of,
)
from controlplane.benchmarks.shop.faults import (
    COLUMNS,
    FIRST_COLUMN,
    Command,
    CrossListWords,
    JudgedTable,
    Table,
    ToolCommand,
    checkout_faults,
    command_for,
    differences,
    discount_faults,
    judge_export,
    page_on_cross_lists,
    role_faults,
    table_of,
)
from controlplane.benchmarks.shop.products import Product, catalogue_of, products_named
from controlplane.benchmarks.shop.texts import (
    entries_of,
    marked_words,
    normal_words,
    require,
    value_or_raise,
)
from controlplane.benchmarks.shop.workspace.fields import (
    Data,
    check_fields,
    line_fields,
)
from controlplane.benchmarks.shop.workspace.kinds import OWNED, Kind
from controlplane.benchmarks.shop.workspace.records import WorkspaceRecord
from controlplane.benchmarks.shop.workspace.staff import reference_to
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.sandbox.functions import CannotRead, FunctionResult, Reference
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json

# The judgement on a call that would change something: the reasons against it, and the notice.
#
# The agent is about to run `/bin/checkout basket-2`, but the basket belongs to another customer.
# So the call is not sent, and the model reads: "`/bin/checkout basket-2` was not sent. the basket
# basket-2 does not belong to whoever is signed in (see /proc/carts/basket-2.json). ..."


@dataclass(frozen=True, slots=True)
class _CallJudgement:
    """The objections of pages and records to a call."""

    call_text: str
    """The call, as a notice names it: `/bin/checkout basket-2`."""
    references: tuple[Reference, ...]
    """The files from which the faults follow: a record, and a page of the shop."""
    faults: list[str]
    """One text for each objection; empty if there is none."""

    @property
    def notice(self) -> str:
        """The text for the model."""
        text = f"`{self.call_text}` was not sent. {'; '.join(self.faults)}"
        if self.references:
            files = " and ".join(reference.path for reference in self.references)
            text += f" (see {files})"
        return f"{text}. If the call is right, make the same call again."


def cited_files(record: WorkspaceRecord, page: str) -> tuple[Reference, ...]:
    """Return references to a record and, if it is known, to the page about such calls."""
    references = [reference_to(record, None)]
    if page:
        references.append(Reference(page, "the page on such calls"))
    return tuple(references)


def _fault_of_ownership(layout: ShopLayout, record: WorkspaceRecord) -> str:
    """Return the fault of a call that changes another person's record.

    `basket_2` -> `the basket basket_2 does not belong to whoever is signed in`
    """
    kind = layout.kinds.of(record.path)
    return f"the {kind} {record.id} does not belong to whoever is signed in"


def _is_foreign(layout: ShopLayout, record: WorkspaceRecord) -> bool:
    """Return True if a customer or a guest asks, and the record belongs to somebody else."""
    asker = layout.asker
    return asker.is_outside and not asker.may_see(record.owner)


# Reads the items of a scanned request, each about a product of a competitor.
#
# The line ` 1   20  HX-4711  Lea tarp specs: colour=sand` asks for 20 units of the shop's Lea tarp in
# place of the competitor's HX-4711, if it has the colour sand. The answer to such a request is a table
# that says so for each item, a cross list.


@dataclass(frozen=True, slots=True)
class _RequestedItem:
    """One item of a scanned request."""

    code: str
    """The competitor's code."""
    description: str
    """The name of the shop's product that may replace it."""
    specs: Mapping[str, str]
    """The required values by property, both in normal words: `{"colour": "sand"}`."""
    count: int
    """The number of units that the customer wants."""

    def fits(self, product: Product) -> bool:
        """Return True if a product has every required value."""
        properties = {}
        for key, value in product.property_texts.items():
            properties[normal_words(key)] = normal_words(value)
        return all(properties.get(key) == value for key, value in self.specs.items())


_ITEM: Final = re.compile(
    r"^ *\d{1,3} +(?P<count>\d{1,5}) +(?P<code>[A-Z]+-\w+) +(?P<name_and_specs>\S.*)$"
)
"""` 1   20  HX-4711  Lea tarp specs: colour=sand`"""
_CONTINUATION: Final = re.compile(r"^ {6,}(?!note:)(\S.*)$", re.IGNORECASE)
"""A further line of an item. It is indented more than any number, and is not a note."""
_SPECS: Final = re.compile(r"\bspecs:", re.IGNORECASE)
BRANCH: Final = re.compile(r"\bbranch: *(\S.*)$", re.IGNORECASE | re.MULTILINE)
"""`branch: Graz Centre`"""


def _requested_items(text: str) -> list[_RequestedItem]:
    """Return the items of a scanned request. Long items go on in indented lines:

        branch: Graz Centre
         1   20  HX-4711  Lea tarp specs: colour=sand;
                          waterproof_mm=3000

    -> `RequestedItem("HX-4711", "Lea tarp", {"colour": "sand", "waterproof mm": "3000"}, 20)`
    """
    items = []
    for line in _whole_lines(text):
        match = _ITEM.match(line)
        if match is None:
            continue
        description, *specs_texts = _SPECS.split(match["name_and_specs"])
        specs = _specs_of(" ".join(specs_texts))
        count = int(match["count"])
        items.append(_RequestedItem(match["code"], description.strip(), specs, count))
    return items


def _whole_lines(text: str) -> list[str]:
    """Return the line of each item, with the lines in which the item goes on joined to it."""
    whole_lines: list[str] = []
    for line in text.splitlines():
        continuation = _CONTINUATION.match(line)
        if _ITEM.match(line):
            whole_lines.append(line)
        elif continuation is not None and whole_lines:
            whole_lines[-1] += f" {continuation[1]}"
    return whole_lines


def _specs_of(text: str) -> dict[str, str]:
    """Return the values by property in `colour=sand; waterproof_mm=3000`, in normal words."""
    specs = {}
    for pair in text.split(";"):
        key, equals_sign, value = pair.partition("=")
        if equals_sign:
            specs[normal_words(key)] = normal_words(value)
    return specs


# The cells of a cross list that say if the shop's product can replace a competitor's.
#
# A customer wants 20 tarps in sand, at least as good as the competitor's. If the shop's tarp is
# green, the item is a mismatch. If it fits and the branch has 12, then 12 can be sold, and 8 are
# short. The shop's page says in which words.


def _match_cells(
    item: _RequestedItem,
    product: Product,
    stock: BranchStock,
    words: CrossListWords,
    *,
    is_branch_open: bool,
) -> dict[str, object]:
    """Return the cells that say if a product fits an item, and how many units a branch can sell.

    For 20 tarps, of which an open branch has 12: `{"match_status": "exact", "matched_sku":
    "VH-TRP-3", ..., "available_today": 12, "fulfillable_qty": 12, "short_qty": 8, ...}`
    """
    if not item.fits(product):
        return {
            "match_status": words.status_of_mismatch,
            "matched_sku": "",
            "matched_product_name": "",
            "available_today": 0,
            "fulfillable_qty": 0,
            "short_qty": item.count,
            "reason": words.reason_mismatch,
        }

    available = stock.units(product.code).available
    if not is_branch_open:
        fulfillable = 0
        reason = words.reason_closed
    elif available >= item.count:
        fulfillable = item.count
        reason = words.reason_enough
    else:
        fulfillable = available
        reason = words.reason_short
    return {
        "match_status": words.status_of_match,
        "matched_sku": product.code,
        "matched_product_name": product.name,
        "available_today": available,
        "fulfillable_qty": fulfillable,
        "short_qty": item.count - fulfillable,
        "reason": reason,
    }


# Computes a cross list from a customer's request and the shop's records.
#
# A customer uploads a scanned request: "20 HX-4711 Lea tarp, specs: colour=sand" asks for 20 tarps
# in sand, like the competitor's HX-4711. The cross list answers it, with a row for each item:
#
#     line_no  competitor_code  ...  match_status  matched_sku  ...  short_qty  reason
#     1        HX-4711          ...  exact         VH-TRP-3     ...  8          insufficient stock
#
# The list that a model writes is compared with the one computed here.


def _cross_list(layout: ShopLayout, upload: str) -> FunctionResult[str]:
    """Return the cross list for the request in an uploaded file, in the words of the shop's page.

    The result cites the page and the upload. Raises `CannotRead` if the page, the branch or
    a product is not certain.
    """
    # 1. Read the request, the page, the products and the branch.
    page = page_on_cross_lists(layout)
    request = layout.files.text_of(upload)
    items = _requested_items(request)
    branch_names = BRANCH.findall(request)
    if page is None or len(branch_names) != 1 or not items:
        msg = f"there is no single page on cross lists, or {upload} has no items for a single branch"
        raise CannotRead(msg)
    names = [item.description for item in items]
    products = products_named(catalogue_of(layout), names)
    words = page.result_words()
    branch = branch_called(layout, branch_names[0])
    stock = stock_of(layout, branch)
    is_branch_open = is_open(layout, branch)

    # 2. Write a row for each item.
    lines = ["\t".join(COLUMNS)]
    for number, (item, product) in enumerate(zip(items, products, strict=True), 1):
        row = {
            "line_no": number,
            "competitor_code": item.code,
            "requested_description": product.name,
            "requested_qty": item.count,
            "branch_id": branch.id,
            "branch_open": "true" if is_branch_open else "false",
        }
        row |= _match_cells(item, product, stock, words, is_branch_open=is_branch_open)
        lines.append("\t".join(str(row[column]) for column in COLUMNS))
    table = "\n".join(lines) + "\n"
    references = (
        Reference(upload, f"the request for {branch.name}"),
        Reference(page.path, f"the columns and reasons, such as {words.reason_closed}"),
    )
    return FunctionResult(table, references)


# Reasons against writing a record's file instead of running the tool that changes such records.
#
# For example, a page may say that payments are changed "only by `/bin/payments`". Baskets may be
# edited by hand: then only their lines may change, and the products must exist.

_RESTRICTING: Final = re.compile(
    r"\b(?:by hand|never|not|nor|neither|alone|only)\b", re.IGNORECASE
)
"""Words with which a page may forbid editing a record: `only by its tool`, `never by hand`."""


def _edit_faults(kind: Kind, page_text: str) -> Iterator[str]:
    """Yield a fault if a page may forbid editing records of a kind.

    One restricting word anywhere in the page is enough. A fault is only a warning, shown
    to the model once: it may make the same edit again.
    """
    # Each entry (a paragraph or an item of a list) is on one line, so `by hand` is found even
    # if the page breaks the line in it.
    if any(_RESTRICTING.search(entry) for entry in entries_of(page_text)):
        yield f"records of the kind {kind} are changed by their tool, and not by hand"


def _basket_edit_faults(
    layout: ShopLayout, basket: WorkspaceRecord, content: str
) -> Iterator[str]:
    """Yield what is wrong with an edit of a basket. `content` is the new text of its file.

    | edit | fault |
    |---|---|
    | any, of a basket that is paid | "basket_1 is `paid`, and not `open`" |
    | another owner | "the edit changes `owner` as well as `lines`" |
    | a new line with the code `AB-9` | "no product is called AB-9" |
    """
    if basket.state != layout.open_state:
        yield f"{basket.id} is `{basket.state}`, and not `{layout.open_state}`"
    try:
        new_data = read_json(content)
    except Unreadable:
        yield "the new text is not JSON"
        return

    # Shops choose the names of fields, so they are learned from baskets. If they are not
    # certain, nothing is checked, because only certain faults count.
    fields = line_fields([basket.data, *layout.kinds.samples(Kind.BASKET)])
    if fields is None or not isinstance(new_data, dict):
        return
    changed = [
        f"`{key}`"
        for key in _changed_fields(basket.data, new_data)
        if key != fields.lines  # the field that lists the lines
    ]
    if changed:
        yield f"the edit changes {', '.join(changed)} as well as `{fields.lines}`"

    old_lines = fields.lines_of(basket.data)
    known_codes = catalogue_of(layout).codes
    unknown_codes = []
    for line in fields.lines_of(new_data):
        code = line.get(fields.code)
        if line not in old_lines and code not in known_codes:
            unknown_codes.append(str(code))
    if unknown_codes:
        yield f"no product is called {', '.join(unknown_codes)}"


def _changed_fields(old: Data, new: Data) -> list[str]:
    """Return the fields whose values differ: first those of the old data, then added ones."""
    keys = list(old)
    for key in new:
        if key not in old:
            keys.append(key)
    return [key for key in keys if new.get(key) != old.get(key)]


# Judges two kinds of tables that a model writes: cross lists, and exports of stock.
#
# | table | a row says |
# |---|---|
# | cross list | that the shop's `AB-1` can replace the competitor's `HX-4711` |
# | export of stock | how many units of `AB-1` a branch has on each day |
#
# A cross list answers a request that a customer has uploaded: a list of the competitor's codes.

_TABLE_START: Final = re.compile(r"line_no\tcompetitor_code\t|SKU,\d{4}-")
"""The start of a cross list, or of an export of stock: `SKU,2027-`."""


def _is_table(text: str) -> bool:
    """Return True if a written text begins like one of these tables."""
    return _TABLE_START.match(text) is not None


def _judge_table(layout: ShopLayout, text: str) -> JudgedTable:
    """Compare a written table (`_is_table`) with the one that follows from the records.

    Raises `CannotRead` if the uploaded request or the branch is not certain.
    """
    if text.startswith(FIRST_COLUMN):
        return _judge_cross_list(layout, table_of(text, "\t"))
    # An export has stock, and the documents name the fields of records that count stock.
    require(
        layout.documents.texts,
        "without documents, too little is known of the shop to judge an export",
    )
    return judge_export(layout, table_of(text, ","))


_COMPETITOR_CODE: Final = COLUMNS.index("competitor_code")
"""The column of a cross list with the codes of the competitor's products."""


def _judge_cross_list(layout: ShopLayout, written: Table) -> JudgedTable:
    """Compare a cross list with the one that the uploaded request and the records give.

    A cross list does not name the request that it answers. It is the only uploaded file that
    has the competitor's code of the list's first row. Raises `CannotRead` for none or several.
    """
    requests = _requests_with(layout, _first_competitor_code(written))
    require(len(requests) == 1, "no single upload holds the first code of the table")
    right_list = _cross_list(layout, requests[0])
    right_table = table_of(right_list.value, "\t")
    return JudgedTable(
        right_list.refs, differences(written, right_table, _COMPETITOR_CODE)
    )


def _first_competitor_code(cross_list_rows: Table) -> str:
    """Return the first code of a competitor's product in a cross list; empty if it has none.

    `[["line_no", "competitor_code", ...], ["1", "HX-4711", ...]]` -> `HX-4711`
    """
    for row in cross_list_rows[1:]:
        if len(row) > _COMPETITOR_CODE and row[_COMPETITOR_CODE]:
            return row[_COMPETITOR_CODE]
    return ""


_EXTENSIONS_OF_OTHER_FILES: Final = (".json", ".md", ".tsv", ".csv")
"""The extensions of records, pages and tables. An uploaded request has none of them."""


def _requests_with(layout: ShopLayout, competitor_code: str) -> list[str]:
    """Return the paths of uploaded requests that contain a competitor's code.

    Other files may contain the code, too: a written cross list, or a page about one. They
    are told apart by their extensions, because shops keep uploads in different folders.
    """
    if not competitor_code:
        return []
    paths = {path for path, _ in layout.reader.search(re.escape(competitor_code), "/")}
    requests = []
    for path in paths:
        if not path.casefold().endswith(_EXTENSIONS_OF_OTHER_FILES):
            requests.append(path)
    return requests


# Judges a file that would be written or deleted: a table, or a record of the shop.
#
# | call | judged by |
# |---|---|
# | write `/exports/stock.csv`, an export of stock | the right export, computed from the records |
# | write `/proc/carts/basket_1.json` | the page that says how baskets are changed |
# | delete `/proc/carts/basket_1.json` | nothing, it is a fault: no page says that records may be deleted |

_POLICY_OF_KIND: Final = {
    Kind.BASKET: "checkout",
    Kind.PAYMENT: "verification",
    Kind.RETURN: "returns",
}
"""The subject of the policy that says how records of a kind are changed."""


def _judge_change(
    layout: ShopLayout, operation: str, path: str, content: object
) -> _CallJudgement:
    """Judge a written or deleted file: `write`, `/proc/carts/basket_1.json`, its new text.

    `content` is None for a deletion. Raises `CannotRead` if the file is neither a table nor a
    record, or if no page tells how such a record is changed.
    """
    call_text = f"{operation} {path}"

    # 1. A written table is compared with the table that follows from the records.
    text = "" if content is None else str(content)
    if _is_table(text):
        table = _judge_table(layout, text)
        return _CallJudgement(call_text, table.references, table.faults)

    # 2. Any other file must be a record.
    require(
        path.endswith(".json") and path in layout.files.paths, f"{path} is not a record"
    )
    kind = value_or_raise(layout.kinds.of(path), f"{path} is a record of no known kind")
    record = value_or_raise(layout.records.at(path), f"{path} is not a record")

    # 3. The page on such records must allow the change.
    policy_subject = _POLICY_OF_KIND.get(kind, "")
    page = layout.policies.by_subject.get(policy_subject, "")
    faults = _faults_of_change(layout, record, kind, page, content)
    return _CallJudgement(call_text, cited_files(record, page), faults)


def _faults_of_change(
    layout: ShopLayout, record: WorkspaceRecord, kind: Kind, page: str, content: object
) -> list[str]:
    """Return the reasons against a change of a record; empty if the page allows it.

    `page` is the page on changes of such records, and `content` the new text of the file.
    Raises `CannotRead` if there is no such page.
    """
    if content is None:
        return [f"no page says that a {kind} record may be deleted"]
    if kind in OWNED and _is_foreign(layout, record):
        return [_fault_of_ownership(layout, record)]
    require(page, f"no page tells how a {kind} record is changed")
    if kind is Kind.BASKET:
        return list(_basket_edit_faults(layout, record, str(content)))
    # Other records are changed by tools. The page may forbid any edit by hand, whatever
    # is written.
    return list(_edit_faults(kind, layout.documents.texts[page]))


# States that a page puts in backticks: "It becomes `approved` if it is `requested`."
#
# A return can be approved only in some states. The page on returns names them, and a check before
# the call compares the return's own state with them.

_STATE: Final = re.compile(r"(?=.*[a-z])[a-z0-9]+(?:[-_][a-z0-9]+)*")
"""A word that may be a state: `awaiting_refund`. It has a letter, unlike a date."""


def _marked_states(text: str) -> list[str]:
    """Return the words in backticks that may be states, each once."""
    words = dict.fromkeys(marked_words(text))
    return [word for word in words if _STATE.fullmatch(word)]


# Reasons against a step of a return, such as its approval.
#
# A return goes through states in a fixed order: `requested`, `received`, `approved`, `paid`. A
# page says with which command it gets from one to the next: "`/bin/refund approve <return_id>`
# leads from `received` to `approved`." The command is wrong for a return in another state.


def _return_faults(
    layout: ShopLayout, returned: WorkspaceRecord, command: Command
) -> Iterator[str]:
    """Yield the reasons why a step of a return cannot be taken.

    "ret_7 is `requested`, and the page asks for `received`". `command` is the command on a page
    that describes the call; its `text` is the page, and its `entry` the paragraph with it.
    """
    # 1. Staff may lack the required role. Another document may have changed the page's roles.
    if layout.asker.is_staff and not layout.policies.is_amended(command.page):
        yield from role_faults(layout, command.entry)

    # 2. The return may be in another state than the page requires. A state that the page does not
    #    mention is not judged.
    all_steps = _steps_of_returns(command.text)
    if len(all_steps) >= _LEAST_STEPS:
        required_state = _earlier_state(command.entry, all_steps)
    else:
        required_state = _only_state_above(layout, returned, command)
    known_states = {*all_steps, *_marked_states(command.text)}
    is_wrong = returned.state in known_states and returned.state != required_state
    if required_state and is_wrong:
        yield f"{returned.id} is `{returned.state}`, and the page asks for `{required_state}`"


_LEAST_STEPS: Final = 4
"""The fewest states in a list of all steps of a return: requested, received, approved, paid.

A paragraph with fewer states only tells from which state to which a command leads.
"""


def _steps_of_returns(page_text: str) -> list[str]:
    """Return the states of a return in order, from the paragraph with the most states in backticks.

    "A return is `requested`, then `received`, `approved` and `paid`." A paragraph with a path,
    such as `/bin/refund`, describes a command and not the order.
    """
    steps: list[str] = []
    for paragraph in entries_of(page_text):
        describes_command = "/" in paragraph
        states = _marked_states(paragraph)
        if len(states) > len(steps) and not describes_command:
            steps = states
    return steps


def _earlier_state(entry: str, all_steps: Sequence[str]) -> str:
    """Return the state before a command, which a paragraph names beside the one after it.

    "It becomes `approved` if it is `received`." -> `received`, the earlier of the two in
    `all_steps`. The result is empty if the paragraph names no state of a return.
    """
    states = _marked_states(entry)
    for step in all_steps:
        if step in states:
            return step
    return ""


def _only_state_above(
    layout: ShopLayout, returned: WorkspaceRecord, command: Command
) -> str:
    """Return the only state in backticks above a command's own paragraph; empty if it has several.

    "For returns that are `received`:" above "- Run `/bin/refund <return_id>`." -> `received`
    """
    # Also in backticks are the asker's roles, and states of linked records: a refund may need
    # a `paid` payment.
    not_states_of_returns = set(layout.asker.roles)
    for linked in layout.records.read(layout.records.paths_named_by(returned)):
        not_states_of_returns.add(linked.state)
    states = []
    for state in _marked_states(" ".join(command.entries_before)):
        # The command's own paragraph may name the state after the command.
        if state not in not_states_of_returns and state not in command.entry:
            states.append(state)
    return states[0] if len(states) == 1 else ""


# Reasons against restarting the verification of a payment, in which its bank asks the customer.
#
# A payment's record has the bank's check: `{"check": {"state": "locked", "tries": 2, "max_tries": 3,
# "retry_at": "2027-03-01T10:00:00Z"}}`. It cannot be restarted after the last attempt, or, if the
# shop's page says so, before the time in `retry_at`. Shops choose the names of these fields.


def _verification_faults(
    layout: ShopLayout, payment: WorkspaceRecord, command: Command
) -> Iterator[str]:
    """Yield the reasons why a payment's verification cannot be restarted.

    `pay_7 has had 3 of 3 attempts`. `command` is the command on a page that describes the
    call; its `text` is the page.
    """
    if payment.state not in _marked_states(command.text):
        yield f"{payment.id} is `{payment.state}`, of which the page says nothing"
    fields = check_fields([payment.data, *layout.kinds.samples(Kind.PAYMENT)])
    if fields is None:
        return
    check = payment.data.get(fields.check)
    if not isinstance(check, dict):
        return

    # 1. Are attempts left?
    attempts = check.get(fields.attempts)
    limit = check.get(fields.max_attempts)
    if isinstance(attempts, int) and isinstance(limit, int) and attempts >= limit:
        yield f"{payment.id} has had {attempts} of {limit} attempts"
        return  # No time makes it right, so the clock, which may fail, is not read.

    # 2. Does the page say to wait, in the state of the check, for the time of the next attempt?
    state = str(check.get(fields.state, ""))
    retry_at = str(check.get(fields.retry_at, ""))
    field_names = {*check, *payment.data}
    if state not in _waiting_states(command.text, fields.retry_at, field_names):
        return
    # The clock is a tool that has to be run, so it is read last. ISO times compare as texts.
    if retry_at > layout.clock:
        yield f"its check is `{state}` until {retry_at}, and it is {layout.clock}"


def _waiting_states(
    page_text: str, retry_field: str, field_names: set[str]
) -> set[str]:
    """Return the states in which a page says to wait for the time in a field.

    "If its `state` is `locked`, wait for `retry_at`" -> `locked`, if `retry_at` is the field: the
    last word in backticks before the field that is not the name of a field itself. Each
    paragraph may name one state.
    """
    states = set()
    for paragraph in entries_of(page_text):
        text_before, field, _ = paragraph.partition(f"`{retry_field}`")
        if not field:
            continue
        for word in reversed(_marked_states(text_before)):
            if word not in field_names:
                states.add(word)
                break
    return states


# Judges a run of a tool that would change a basket, payment or return: `/bin/checkout basket-2`.
#
# The run names a record, whose kind says what can be wrong: a checkout needs enough stock, a
# refund the right state of the return, a restart of a bank check attempts that are left.


def _judge_run(layout: ShopLayout, run: ToolCommand) -> _CallJudgement:
    """Judge a run of a tool on a basket, payment or return: `/bin/checkout basket-2`.

    A page describes such runs by a command: `/bin/checkout <basket_id>`. Raises
    `CannotRead` if the command or the record is not certain.
    """
    command = command_for(layout, run)
    record = _record_named_in(layout, run.arguments)
    if _is_foreign(layout, record):
        faults = [_fault_of_ownership(layout, record)]
    else:
        faults = list(_run_faults(layout, record, command, run))
    return _CallJudgement(run.text, cited_files(record, command.page), faults)


def _run_faults(
    layout: ShopLayout, record: WorkspaceRecord, command: Command, run: ToolCommand
) -> Iterable[str]:
    """Return the faults of a run, by the kind of its record. `command` describes the run.

    | run, for example | judged by |
    |---|---|
    | `/bin/refund approve ret-2` | the state of the return |
    | `/bin/payments restart pay-2` | the attempts and times of the bank's check |
    | `/bin/discount basket-2 10` | the asker's role, and the limits for discounts |
    | `/bin/checkout basket-2` | the stock of each line |

    Raises `CannotRead` if the facts are not certain.
    """
    kind = layout.kinds.of(record.path)
    if kind is Kind.RETURN:
        return _return_faults(layout, record, command)
    if kind is Kind.PAYMENT:
        return _verification_faults(layout, record, command)
    # The run is about a basket. Only a discount has more arguments than its id.
    is_discount = len(run.arguments) > 1
    if is_discount:
        return discount_faults(layout, record, command)
    return checkout_faults(layout, record)


def _record_named_in(layout: ShopLayout, arguments: Sequence[str]) -> WorkspaceRecord:
    """Return the one basket, payment or return that the arguments of a run name.

    `["basket-2", "--percent", "10"]` -> the record of `basket-2`, because the others name no
    file. Raises `CannotRead` if there is none or several.
    """
    paths = set()
    for argument in arguments:
        path = layout.record_files.path_of(argument)
        if path is not None and layout.kinds.of(path) in OWNED:
            paths.add(path)
    record = layout.records.at(paths.pop()) if len(paths) == 1 else None
    return value_or_raise(record, "the call names no single basket, payment or return")


_NO_OBJECTION: Final = FunctionResult("")


@layout_from_harness
def pre_call_check(
    layout: ShopLayout, operation: str, arguments: Mapping[str, Any]
) -> FunctionResult[str]:
    """Return the objections of pages and records to a call, as one text.

    `exec`, `{"path": "/bin/checkout", "args": ["basket-2"]}` -> "`/bin/checkout basket-2` was
    not sent. ..." The text is empty if there is no objection, or if the facts are not
    certain; then a note says what is not.
    """
    path = layout.files.spelled(str(arguments.get("path", "")))
    try:
        if operation == "exec":
            judgement = _judge_run(layout, ToolCommand(path, arguments["args"]))
        elif operation in ("write", "delete"):
            content = arguments.get("content")
            judgement = _judge_change(layout, operation, path, content)
        else:
            return _NO_OBJECTION
    except CannotRead as error:
        return FunctionResult("", notes=(str(error),))
    if not judgement.faults:
        return _NO_OBJECTION
    return FunctionResult(judgement.notice, judgement.references)
