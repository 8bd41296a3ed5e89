"""Checks a call that would change something, before it is sent, against the shop's
pages and records.

The check looks only at the arguments of the call, not at the request. It objects only
if the page, the record and the field are certain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from controlplane.benchmarks.shop.amounts import amount_text, money_in_text
from controlplane.benchmarks.shop.catalogue import catalogue_of
from controlplane.benchmarks.shop.cross_lists import judge_table
from controlplane.benchmarks.shop.documents import entries_of, marked_words
from controlplane.benchmarks.shop.field_names import check_fields, line_fields
from controlplane.benchmarks.shop.field_shapes import Shape, rows_of, shape_of
from controlplane.benchmarks.shop.kinds import OWNED, Kind
from controlplane.benchmarks.shop.page_commands import Command, command_for
from controlplane.benchmarks.shop.policies import lacked_roles
from controlplane.benchmarks.shop.record_functions import reference_to
from controlplane.benchmarks.shop.record_ids import is_same_id
from controlplane.benchmarks.shop.records import Record
from controlplane.benchmarks.shop.stock_functions import check_basket_by_records
from controlplane.benchmarks.shop.text import sure
from controlplane.benchmarks.shop.workspace import ShopLayout, on_harness
from controlplane.sandbox.functions import CannotRead, FunctionResult, Reference

# The check
# --------------------------------------------------------------------------------------

# A call that would change something is a run (of a tool, with a record's id as an
# argument) or an edit (a file is written or deleted). A fault is a text with one reason
# against the call. It may come from a page, a record or the asker's rights. A page
# marks a word by putting it in backticks, and an entry of a page is a paragraph or list
# entry.

_NO_OBJECTION: Final = FunctionResult("")
_TABLE_START: Final = re.compile(r"line_no\tcompetitor_code\t|SKU,\d{4}-")
"""The start of a cross list, or of an export of stock by day."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The objections of pages and records to a call."""

    references: tuple[Reference, ...]
    faults: list[str]
    """One text for each objection; empty if there is none."""


@on_harness
def pre_call_check(
    layout: ShopLayout, operation: str, arguments: Mapping[str, Any]
) -> FunctionResult[str]:
    """Return the objections of pages and records to a call, as one text.

    The text is empty if there is no objection, or if the facts are not certain.
    """
    path = layout.spelled(str(arguments.get("path", "")))  # as the workspace spells it
    content = arguments.get("content")
    try:
        if operation == "exec":
            subject = " ".join((path, *arguments["args"]))
            judgement = _judge_run(layout, path, arguments["args"])
        elif operation in ("write", "delete"):
            subject = f"{operation} {path}"
            if _TABLE_START.match(str(content or "")):
                judged_table = judge_table(layout, str(content))
                judgement = Judgement(judged_table.references, judged_table.faults)
            else:
                judgement = _judge_edit(layout, path, content)
        else:
            return _NO_OBJECTION
    except CannotRead as error:
        return FunctionResult("", notes=(str(error),))
    if not judgement.faults:
        return _NO_OBJECTION
    notice = f"`{subject}` was not sent. {'; '.join(judgement.faults)}"
    if judgement.references:
        files = " and ".join(reference.path for reference in judgement.references)
        notice += f" (see {files})"
    notice += ". If the call is right, make the same call again."
    return FunctionResult(notice, judgement.references)


def _references(record: Record, page: str) -> tuple[Reference, ...]:
    """Return references to a record and, if it is known, to the page about such
    calls."""
    references = [reference_to(record, None)]
    if page:
        references.append(Reference(page, "the page on such calls"))
    return tuple(references)


# Runs of tools
# ----------------------------------------------------------------------------------


def _judge_run(layout: ShopLayout, tool: str, words: Sequence[str]) -> Judgement:
    """Judge a run of a tool on a basket, payment or return.

    Raises `CannotRead` if the command or the record is not certain.
    """
    command = command_for(layout, tool, words)
    record = _record_named_by(layout, words)
    kind = sure(
        layout.kind_of(record.path), record.path
    )  # the refusal names only the path
    asker = layout.asker
    if asker.is_outside and not asker.may_cite(record.owner):
        faults = [f"the {kind} {record.id} does not belong to whoever is signed in"]
    elif kind is Kind.RETURN:
        faults = list(_return_faults(layout, record, command))
    elif kind is Kind.PAYMENT:
        faults = list(_verification_faults(layout, record, command))
    elif (
        len(words) > 1
    ):  # A discount has more arguments than the id, such as a percentage.
        faults = list(_discount_faults(layout, record, command))
    else:
        faults = list(_checkout_faults(layout, record))
    return Judgement(_references(record, command.page), faults)


def _record_named_by(layout: ShopLayout, words: Sequence[str]) -> Record:
    """Return the one basket, payment or return that a call names. Raises `CannotRead`
    if there is none or several."""
    paths = set()
    for word in words:
        path = layout.unkeyed_records.path_of(word)
        if path is not None and layout.kind_of(path) in OWNED:
            paths.add(path)
    record = layout.records.at(paths.pop()) if len(paths) == 1 else None
    return sure(record, "the call names no single basket, payment or return")


# Checkouts


def _checkout_faults(layout: ShopLayout, basket: Record) -> Iterator[str]:
    """Yield the reasons why a basket cannot be bought."""
    if not is_same_id(basket.owner, layout.asker.user):
        yield f"the basket {basket.id} does not belong to whoever is signed in"
    yield from _state_and_stock_faults(layout, basket)


def _state_and_stock_faults(layout: ShopLayout, basket: Record) -> Iterator[str]:
    """Yield a fault if a basket is not open, else one for each line that the branch
    cannot supply."""
    if basket.state != layout.open_state:
        yield f"{basket.id} is `{basket.state}`, and not `{layout.open_state}`"
        return
    checked = _checked_basket(layout, basket.path)
    short_codes = checked.value["short"]  # codes of products with too few units
    if short_codes and layout.stock_notes:
        # There are notes if a page that the rules do not name may correct the stock in
        # the records. Then nothing is certain about it.
        return
    for number, line in enumerate(checked.value["lines"], 1):
        code = line["sku"]
        if code in short_codes and _is_surely_short(layout, line, checked.notes):
            yield (
                f"line {number} of {basket.id} asks for {line['quantity']} of {code}, and "
                f"{checked.value['branch']} has {line['available']} available today"
            )


def _is_surely_short(
    layout: ShopLayout, line: Mapping[str, Any], notes: Sequence[str]
) -> bool:
    """Return True unless something explains why a line only looks short.

    `line` is one of the lines of `check_basket`, such as `{"sku": "AB-1", "quantity":
    4, "available": 0}`.
    """
    # A note about a product begins with its code (see `check_basket_by_records`). It
    # says that another product may replace it, or that its units may count differently.
    if any(note.startswith(line["sku"]) for note in notes):
        return False
    # Downloads have 0 units. If no policy says which products are downloads, this may
    # be one.
    marks_downloads = catalogue_of(layout).stockless_mark is not None
    return marks_downloads or line["available"] != 0


@lru_cache(maxsize=1)
def _checked_basket(layout: ShopLayout, path: str) -> FunctionResult[dict[str, Any]]:
    """Return the result of `check_basket`: state, branch, subtotal, `lines`, and
    `short` codes.

    The last result is kept, because several checks of one call ask for it.
    """
    return check_basket_by_records(layout, path)


# Discounts

_TODAYS_STOCK: Final = re.compile(
    r"\b(?:available|checked out|bought|sold|sell|in stock)\b[^.]*\btoday\b|\btoday\b[^.]*\bstock\b"
)
"""Words of a page which say that a basket must be in stock today to get a discount."""
_PERCENT: Final = re.compile(r"(?<![\w.,])(\d{1,3}) ?(?:%|percent\b)")
"""`5 %`"""
_MONEY: Final = re.compile(r"(?:EUR|€)\s*\d[\d.,]*\d|\d[\d.,]*\s*(?:EUR|€)")
"""`EUR 100.00`, `100 €`"""


def _discount_faults(
    layout: ShopLayout, basket: Record, command: Command
) -> Iterator[str]:
    """Yield the reasons why the asker cannot give this discount on a basket."""
    if not layout.asker.is_staff:
        yield f"{layout.asker.user or 'a guest'} is not a member of staff"
        return
    page_text = " ".join(command.text.split())
    yield from _issuer_faults(layout, basket, command, page_text)
    yield from _basket_and_reason_faults(basket, command, page_text)
    # Every discount needs an open basket. Some pages also require stock for all its
    # lines today.
    is_open = basket.state == layout.open_state
    needs_stock_today = _TODAYS_STOCK.search(page_text) is not None
    if needs_stock_today or not is_open:
        yield from _state_and_stock_faults(layout, basket)
    # Another document may change the limits of an amended page, so they are not
    # checked.
    percent = command.argument_for("percent")
    if percent.isdecimal() and not layout.is_amended(command.page):
        yield from _limit_faults(layout, basket, int(percent), page_text)


def _issuer_faults(
    layout: ShopLayout, basket: Record, command: Command, page_text: str
) -> Iterator[str]:
    """Yield the reasons why a member of staff cannot give discounts on a basket."""
    asker = layout.asker
    issuer = command.argument_for("issuer")
    if issuer and not is_same_id(issuer, asker.user):
        yield f"{issuer} is named as the issuer, and {asker.user} is signed in"
    # Another document may change the roles on an amended page, so they are not checked.
    if not layout.is_amended(command.page):
        roles = lacked_roles(layout, page_text)
        if roles:
            yield f"{asker.user} has none of the roles {', '.join(sorted(roles))}"
    if _are_at_different_branches(layout, basket):
        yield f"{basket.id} and {asker.user} are of different branches"


def _basket_and_reason_faults(
    basket: Record, command: Command, page_text: str
) -> Iterator[str]:
    """Yield a fault if a basket already has a discount, and one if the page does not
    list the reason."""
    words_in_backticks = set(marked_words(page_text))
    # A basket with a discount has it in a field whose value is a mapping, and the page
    # puts the name of this field in backticks: `{"discount": {"percent": 5}}`.
    for key, value in basket.data.items():
        if key in words_in_backticks and shape_of(value) is Shape.MAPPING:
            yield f"{basket.id} has a `{key}` already"
            break
    # A page that lists reasons, such as `damaged`, has single words in backticks.
    # Without such words, it only names fields and commands, and any reason may be
    # right.
    page_lists_reasons = any(
        shape_of(word) is Shape.WORD for word in words_in_backticks
    )
    reason = command.argument_for("reason")
    if reason and page_lists_reasons and reason not in words_in_backticks:
        yield f"`{reason}` is not among the reasons of the page"


def _are_at_different_branches(layout: ShopLayout, basket: Record) -> bool:
    """Return True if a basket and the asker are linked to one branch each, and the
    branches differ."""
    staff = layout.records.record(layout.asker.user)
    if staff is None:
        return False
    branches_of_basket = _linked_branches(layout, basket)
    branches_of_staff = _linked_branches(layout, staff)
    if len(branches_of_basket) != 1 or len(branches_of_staff) != 1:
        return False
    return branches_of_basket != branches_of_staff


def _linked_branches(layout: ShopLayout, record: Record) -> set[str]:
    """Return the paths of the branches that a record names."""
    branches = set()
    for link in record.links():
        path = layout.records.path_of(link)
        if path is not None and layout.kind_of(path) is Kind.BRANCH:
            branches.add(path)
    return branches


def _limit_faults(
    layout: ShopLayout, basket: Record, percent: int, page_text: str
) -> Iterator[str]:
    """Yield a fault if a discount is higher than a page allows.

    A page with two percentages and one amount is read as "up to 5 %, and up to 10 %
    from EUR 100".
    """
    limits = {int(amount) for amount in _PERCENT.findall(page_text)}
    limits -= {1}  # A step, and not a limit: "discounts in 1 percent steps".
    if not limits:
        return
    lowest = min(limits)
    highest = max(limits)
    if percent > highest:
        yield f"the page knows no more than {highest} percent"
        return
    amounts = {money_in_text(amount) for amount in _MONEY.findall(page_text)}
    has_threshold = len(limits) == 2 and len(amounts) == 1
    if has_threshold and percent > lowest:
        threshold = amounts.pop() or 0
        subtotal = _checked_basket(layout, basket.path).value["subtotal_cents"]
        if subtotal < threshold:
            yield (
                f"the lines come to {amount_text(subtotal)}, which is below "
                f"{amount_text(threshold)}: {lowest} percent is the most"
            )


# Returns

_STATE: Final = re.compile(r"(?=.*[a-z])[a-z0-9]+(?:[-_][a-z0-9]+)*")
"""A word that may be a state: `awaiting_refund`. It has a letter, unlike a date."""
LEAST_STEPS: Final = 4
"""The fewest states in a list of all steps of a return: requested, received, approved,
paid. A paragraph with fewer states only tells from which state to which a command
leads."""


def _marked_states(text: str) -> list[str]:
    """Return the words in backticks that may be states, each once."""
    words = dict.fromkeys(marked_words(text))
    return [word for word in words if _STATE.fullmatch(word)]


def _return_faults(
    layout: ShopLayout, returned: Record, command: Command
) -> Iterator[str]:
    """Yield the reasons why a step of a return cannot be taken.

    Staff may lack the required role, or the return may be in another state than the
    page requires.
    """
    asker = layout.asker
    if asker.is_staff and not layout.is_amended(command.page):
        roles = lacked_roles(layout, command.entry)
        if roles:
            yield f"{asker.user} has none of the roles {', '.join(sorted(roles))}"
    steps = _steps_of_returns(command.text)
    required_state = _required_state(layout, returned, command, steps)
    is_known_state = returned.state in steps or returned.state in _marked_states(
        command.text
    )
    if required_state and is_known_state and returned.state != required_state:
        yield f"{returned.id} is `{returned.state}`, and the page asks for `{required_state}`"


def _steps_of_returns(page_text: str) -> list[str]:
    """Return the states of a return in order, from the paragraph with the most states
    in backticks.

    A paragraph with a path, such as `/bin/refund`, describes a command and not the
    order.
    """
    steps: list[str] = []
    for entry in entries_of(page_text):
        describes_command = "/" in entry
        states = _marked_states(entry)
        if len(states) > len(steps) and not describes_command:
            steps = states
    return steps


def _required_state(
    layout: ShopLayout, returned: Record, command: Command, steps: Sequence[str]
) -> str:
    """Return the state that a return must have for a command; empty if it is not
    certain.

    A command's paragraph names the state before the command and the state after it:
    "`/bin/accept` leads from `requested` to `approved`". If the page lists all steps
    (`steps`), the earlier of the two is required. Otherwise the page must name the
    required state further up.
    """
    page_lists_all_steps = len(steps) >= LEAST_STEPS
    if not page_lists_all_steps:
        return _only_state_above(layout, returned, command)
    states_in_entry = _marked_states(command.entry)
    for step in steps:
        if step in states_in_entry:
            return step
    return ""


def _only_state_above(layout: ShopLayout, returned: Record, command: Command) -> str:
    """Return the only state that the entries above a command's entry mark; empty for
    none or several.

    The command's own entry may name the state after it, so words in that entry do not
    count.
    """
    # Other marked words are the asker's roles, and states of linked records: a refund
    # may need a `paid` payment.
    not_states_of_returns = set(layout.asker.roles)
    for link in returned.links():
        linked = layout.records.record(link)
        if linked is not None:
            not_states_of_returns.add(linked.state)
    states = []
    for state in _marked_states(" ".join(command.entries_before)):
        if state not in not_states_of_returns and state not in command.entry:
            states.append(state)
    return states[0] if len(states) == 1 else ""


# Verifications of payments


def _verification_faults(
    layout: ShopLayout, payment: Record, command: Command
) -> Iterator[str]:
    """Yield the reasons why the bank's check of a payment cannot be restarted."""
    if payment.state not in _marked_states(command.text):
        yield f"{payment.id} is `{payment.state}`, of which the page says nothing"
    fields = check_fields([payment.data, *layout.samples(Kind.PAYMENT)])
    if fields is None:
        return
    check = payment.data.get(fields.check)
    if not isinstance(check, dict):
        return
    attempts = check.get(fields.attempts)
    limit = check.get(fields.max_attempts)
    if isinstance(attempts, int) and isinstance(limit, int) and attempts >= limit:
        yield f"{payment.id} has had {attempts} of {limit} attempts"

    # In some states, a restart has to wait for the time in the field `retry_at`.
    state = str(check.get(fields.state, ""))
    retry_at = str(check.get(fields.retry_at, ""))
    field_names = {*check, *payment.data}
    waiting_states = _waiting_states(command.text, fields.retry_at, field_names)
    if (
        state in waiting_states and retry_at > layout.clock
    ):  # ISO times compare as texts.
        yield f"its check is `{state}` until {retry_at}, and it is {layout.clock}"


def _waiting_states(
    page_text: str, retry_field: str, field_names: set[str]
) -> set[str]:
    """Return the states in which a page says to wait for the time in a field.

    "If it is `locked`, wait for `retry_at`", "retry_at" -> `locked`. The state is the
    last word in backticks before the field that is not a field's name. Each paragraph
    may name one.
    """
    states = set()
    for entry in entries_of(page_text):
        text_before, field, _ = entry.partition(f"`{retry_field}`")
        if not field:
            continue
        for word in reversed(_marked_states(text_before)):
            if word not in field_names:
                states.add(word)
                break
    return states


# Changes of files
# -------------------------------------------------------------------------------

_RESTRICTING: Final = re.compile(
    r"\b(?:by hand|never|not|nor|neither|alone|only)\b", re.IGNORECASE
)
"""Words with which a page may forbid editing a record's file: `only by its tool`,
`never by hand`. A single one on the page counts, because the objection is a warning:
the same call, made again, is sent."""
_POLICY_OF_KIND: Final = {
    Kind.BASKET: "checkout",
    Kind.PAYMENT: "verification",
    Kind.RETURN: "returns",
}
"""The subject of the policy for each kind of record."""


def _judge_edit(layout: ShopLayout, path: str, content: object) -> Judgement:
    """Judge a change of a record's file, or its deletion if `content` is None.

    Raises `CannotRead` if the path is not a record, or if no page covers it.
    """
    sure(path.endswith(".json") and path in layout.paths, f"{path} is not a record")
    kind = sure(layout.kind_of(path), f"{path} is a record of no known kind")
    record = sure(layout.records.at(path), f"{path} is not a record")
    page = layout.policies.get(_POLICY_OF_KIND.get(kind, ""), "")
    if content is None:
        faults = [f"no page says that a {kind} record may be deleted"]
    elif _belongs_to_another(layout, record, kind):
        faults = [f"the {kind} {record.id} does not belong to whoever is signed in"]
    else:
        sure(page, f"no page tells how a {kind} record is changed")
        if kind is Kind.BASKET:
            faults = list(_basket_edit_faults(layout, record, str(content)))
        else:
            faults = list(_edit_faults(kind, layout.documents[page]))
    return Judgement(_references(record, page), faults)


def _belongs_to_another(layout: ShopLayout, record: Record, kind: Kind) -> bool:
    """Return True if a record has another owner than the asker, who is not a member of
    staff."""
    asker = layout.asker
    return kind in OWNED and asker.is_outside and not asker.may_cite(record.owner)


def _edit_faults(kind: Kind, page_text: str) -> Iterator[str]:
    """Yield a fault if the page on a kind of record forbids editing it."""
    if any(_RESTRICTING.search(entry) for entry in entries_of(page_text)):
        yield f"a {kind} record is changed by its tool, and not by hand"


def _basket_edit_faults(
    layout: ShopLayout, basket: Record, content: str
) -> Iterator[str]:
    """Yield what is wrong with an edit of a basket: its state, other fields, unknown
    products."""
    if basket.state != layout.open_state:
        yield f"{basket.id} is `{basket.state}`, and not `{layout.open_state}`"
    try:
        new_data = json.loads(content)
    except ValueError:
        yield "the new text is not JSON"
        return
    fields = line_fields([basket.data, *layout.samples(Kind.BASKET)])
    if fields is None or not isinstance(new_data, dict):
        return
    changed_keys = []
    for key in {**basket.data, **new_data}:
        if key != fields.rows and new_data.get(key) != basket.data.get(key):
            changed_keys.append(f"`{key}`")
    if changed_keys:
        yield f"the edit changes {', '.join(changed_keys)} as well as `{fields.rows}`"
    old_rows = rows_of(basket.data, fields.rows)
    codes = catalogue_of(layout).codes
    unknown_codes = []
    for row in rows_of(new_data, fields.rows):
        code = row.get(fields.code)
        if row not in old_rows and code not in codes:
            unknown_codes.append(str(code))
    if unknown_codes:
        yield f"no product is called {', '.join(unknown_codes)}"
