"""Judges a call that would change something by its own arguments, before it is sent: by the shop's pages and records.

It reads no request. It finds against a call only where page, record and field are certain, and is silent elsewhere.
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
from controlplane.benchmarks.shop.preflight import lacked_roles
from controlplane.benchmarks.shop.record_functions import reference_to
from controlplane.benchmarks.shop.record_ids import is_same_id
from controlplane.benchmarks.shop.records import Record
from controlplane.benchmarks.shop.stock_functions import checked_by_records
from controlplane.benchmarks.shop.text import sure
from controlplane.benchmarks.shop.workspace import ShopLayout, on_harness
from controlplane.sandbox.functions import CannotRead, FunctionResult, Reference

_PERCENT: Final = re.compile(r"(?<![\w.,])(\d{1,3}) ?(?:%|percent\b)")
_MONEY: Final = re.compile(r"(?:EUR|€)\s*\d[\d.,]*\d|\d[\d.,]*\s*(?:EUR|€)")
_TODAY: Final = re.compile(
    r"\b(?:available|checked out|bought|sold|sell|in stock)\b[^.]*\btoday\b|\btoday\b[^.]*\bstock\b"
)
_STATE: Final = re.compile(r"(?=.*[a-z])[a-z0-9]+(?:[-_][a-z0-9]+)*")
_BY_HAND: Final = re.compile(r"\b(?:by hand|never|not|nor|neither|alone|only)\b", re.IGNORECASE)
_HEADER: Final = re.compile(r"line_no\tcompetitor_code\t|SKU,\d{4}-")
"""The beginning of a cross list, or of an export of stock by day."""


@dataclass(frozen=True, slots=True)
class Command:
    """A call of a tool as a page writes it."""

    page: str
    text: str
    """The page's text."""
    entry: str
    """The paragraph or list entry with the command."""
    before: tuple[str, ...]
    """The entries between the command before, or the last heading, and this one."""
    named: Mapping[str, str]
    """The call's words by their placeholders, such as `basket_id`."""


@on_harness
def pre_call_check(
    layout: ShopLayout, operation: str, arguments: Mapping[str, Any]
) -> FunctionResult[str]:
    """Return what pages and records say against a call, as one text; empty if nothing does, or nothing is certain."""
    try:
        path = layout.spelled(str(arguments.get("path", "")))
        if operation == "exec":
            subject = " ".join((path, *arguments["args"]))
            record, page, faults = _judge_run(layout, path, arguments["args"])
            refs = _references(record, page)
        elif operation in ("write", "delete"):
            subject, content = f"{operation} {path}", str(arguments.get("content", ""))
            if _HEADER.match(content):
                judged = judge_table(layout, content)
                refs, faults = judged.references, judged.faults
            else:
                record, page, faults = _judge_edit(layout, path, arguments.get("content"))
                refs = _references(record, page)
        else:
            return FunctionResult("")
    except CannotRead as error:
        return FunctionResult("", notes=(str(error),))
    if not faults:
        return FunctionResult("")
    where = f" (see {' and '.join(reference.path for reference in refs)})" if refs else ""
    notice = f"`{subject}` was not sent. {'; '.join(faults)}{where}. If the call is right, make the same call again."
    return FunctionResult(notice, refs)


def _references(record: Record, page: str) -> tuple[Reference, ...]:
    return (
        reference_to(record, None),
        *([Reference(page, "the page on such calls")] if page else ()),
    )


def _judge_run(
    layout: ShopLayout, tool: str, words: Sequence[str]
) -> tuple[Record, str, list[str]]:
    """Return the record and the page of a tool's run, and what they say against it. Raises `CannotRead`."""
    command = _command(layout, tool, words)
    if layout.asker.is_staff:
        layout.is_amended(command.page)  # Its search is made beside the reads of links.
    paths = {
        path
        for word in words
        if (path := layout.unnamed.path_of(word)) and layout.kind_of(path) in OWNED
    }
    found = layout.records.at(paths.pop()) if len(paths) == 1 else None
    record = sure(found, "the call names no single basket, payment or return")
    kind = sure(layout.kind_of(record.path), record.path)
    asker = layout.asker
    if asker.is_outside and not asker.may_cite(record.owner):
        return (
            record,
            command.page,
            [f"the {kind} {record.id} does not belong to whoever is signed in"],
        )
    of_basket = _discount_faults if len(words) > 1 else _basket_faults
    judge = {Kind.RETURN: _return_faults, Kind.PAYMENT: _verification_faults}.get(kind, of_basket)
    return record, command.page, list(judge(layout, record, command))


def _command(layout: ShopLayout, tool: str, words: Sequence[str]) -> Command:
    """Return the one command of the documents that a call follows. Raises `CannotRead` for none or several pages."""
    commands = _commands_in(layout.documents, tool, words)
    if not commands:  # The rules may name only some of the pages.
        paths = {
            path
            for path, _ in layout.reader.search(re.escape(tool), "/")
            if path.casefold().endswith(".md")
        }
        others = sorted(paths - layout.documents.keys())
        commands = _commands_in(
            dict(zip(others, layout.reader.read_all(others), strict=True)), tool, words
        )
    sure(
        len(commands) == 1, f"{len(commands)} pages tell how to run {tool} with {len(words)} words"
    )
    return commands.popitem()[1]


def _commands_in(pages: Mapping[str, str], tool: str, words: Sequence[str]) -> dict[str, Command]:
    """Return the first command of each page that a call follows."""
    commands: dict[str, Command] = {}
    for page, text in pages.items():
        if tool not in text:
            continue
        before: list[str] = []
        for entry in entries_of(text):
            marks = [mark.split() for mark in marked_words(entry) if mark.split()[0] == tool]
            for _, *parts in marks:
                pairs = list(zip(parts, words, strict=False))
                if len(parts) == len(words) and all(
                    part[0] == "<" or part == word for part, word in pairs
                ):
                    named = {part.strip("<>"): word for part, word in pairs if part[0] == "<"}
                    commands.setdefault(page, Command(page, text, entry, tuple(before), named))
            before = [] if marks or entry.startswith("#") else [*before, entry]
    return commands


def _basket_faults(layout: ShopLayout, basket: Record, command: Command) -> Iterator[str]:
    if not is_same_id(basket.owner, layout.asker.user):
        yield f"the basket {basket.id} does not belong to whoever is signed in"
    yield from _state_and_stock_faults(layout, basket)


@lru_cache(maxsize=1)
def _checked(layout: ShopLayout, path: str) -> FunctionResult[dict[str, Any]]:
    return checked_by_records(layout, path)


def _state_and_stock_faults(layout: ShopLayout, basket: Record) -> Iterator[str]:
    if basket.state != layout.open_state:
        yield f"{basket.id} is `{basket.state}`, and not `{layout.open_state}`"
        return
    checked = _checked(layout, basket.path)
    state = checked.value
    if state["short"] and layout.stock_notes:
        return
    for number, line in enumerate(state["lines"], 1):
        is_certain = not any(note.startswith(line["sku"]) for note in checked.notes)
        if (
            line["sku"] in state["short"]
            and is_certain
            and (line["available"] or catalogue_of(layout).stockless_mark)
        ):
            yield (
                f"line {number} of {basket.id} asks for {line['quantity']} of {line['sku']}, and {state['branch']} has "
                f"{line['available']} available today"
            )


def _discount_faults(layout: ShopLayout, basket: Record, command: Command) -> Iterator[str]:
    named, asker, text = command.named, layout.asker, " ".join(command.text.split())
    issuer = next((word for part, word in named.items() if "issuer" in part), "")
    percent = next((word for part, word in named.items() if "percent" in part), "")
    reason = next((word for part, word in named.items() if "reason" in part), "")
    if not asker.is_staff:
        yield f"{asker.user or 'a guest'} is not a member of staff"
        return
    if issuer and not is_same_id(issuer, asker.user):
        yield f"{issuer} is named as the issuer, and {asker.user} is signed in"
    may_differ = layout.is_amended(command.page)
    if not may_differ and (roles := lacked_roles(layout, text)):
        yield f"{asker.user} has none of the roles {', '.join(sorted(roles))}"
    yield from _branch_faults(layout, basket)
    marks = set(marked_words(text))
    given = [
        key for key in basket.data if key in marks and shape_of(basket.data[key]) is Shape.MAPPING
    ]
    if given:
        yield f"{basket.id} has a `{given[0]}` already"
    if reason and reason not in marks and any(shape_of(mark) is Shape.WORD for mark in marks):
        yield f"`{reason}` is not among the reasons of the page"
    if _TODAY.search(text) or basket.state != layout.open_state:
        yield from _state_and_stock_faults(layout, basket)
    if percent.isdecimal() and not may_differ:
        yield from _limit_faults(layout, basket, int(percent), text)


def _branch_faults(layout: ShopLayout, basket: Record) -> Iterator[str]:
    staff = layout.records.record(layout.asker.user)
    places = [
        {
            path
            for link in record.links()
            if (path := layout.records.path_of(link)) and layout.kind_of(path) is Kind.BRANCH
        }
        for record in (basket, *([staff] if staff else ()))
    ]
    if len(places) == 2 and all(len(paths) == 1 for paths in places) and places[0] != places[1]:
        yield f"{basket.id} and {layout.asker.user} are of different branches"


def _limit_faults(layout: ShopLayout, basket: Record, percent: int, text: str) -> Iterator[str]:
    limits = sorted({int(amount) for amount in _PERCENT.findall(text)} - {1})
    steps = {money_in_text(amount) for amount in _MONEY.findall(text)}
    if limits and percent > limits[-1]:
        yield f"the page knows no more than {limits[-1]} percent"
    elif len(limits) == 2 and len(steps) == 1 and percent > limits[0]:
        step, subtotal = steps.pop() or 0, _checked(layout, basket.path).value["subtotal_cents"]
        if subtotal < step:
            notice = (
                f"the lines come to {amount_text(subtotal)}, which is below {amount_text(step)}"
            )
            yield f"{notice}: {limits[0]} percent is the most"


def _return_faults(layout: ShopLayout, returned: Record, command: Command) -> Iterator[str]:
    """Yield why a step of a return is not due: the role of staff, and the state that the page asks for."""
    asker, entry = layout.asker, command.entry
    needed = " ".join((*command.before, entry))
    if (
        asker.is_staff
        and not layout.is_amended(command.page)
        and (roles := lacked_roles(layout, entry))
    ):
        yield f"{asker.user} has none of the roles {', '.join(sorted(roles))}"
    steps = max(
        (_words(part) for part in entries_of(command.text) if "/" not in part), key=len, default=[]
    )
    linked = {other.state for link in returned.links() if (other := layout.records.record(link))}
    # States that a sentence on the steps of a return marks at least.
    if len(steps) >= 4:
        states = [state for state in steps if state in _words(entry)][:1]
    else:
        states = [
            word
            for word in _words(needed)
            if word not in asker.roles | linked and word not in entry
        ]
    if (
        len(states) == 1
        and returned.state != states[0]
        and returned.state in {*_words(command.text), *steps}
    ):
        yield f"{returned.id} is `{returned.state}`, and the page asks for `{states[0]}`"


def _words(text: str) -> list[str]:
    """Return the marked words of a text that may be states, each once."""
    return [word for word in dict.fromkeys(marked_words(text)) if _STATE.fullmatch(word)]


def _verification_faults(layout: ShopLayout, payment: Record, command: Command) -> Iterator[str]:
    """Yield why the bank's check of a payment cannot be restarted."""
    text = command.text
    fields = check_fields([payment.data, *layout.samples(Kind.PAYMENT)])
    check = payment.data.get(fields.check) if fields is not None else None
    marks = _words(text)
    if payment.state not in marks:
        yield f"{payment.id} is `{payment.state}`, of which the page says nothing"
    if not isinstance(check, dict) or fields is None:
        return
    made, most = check.get(fields.attempts), check.get(fields.max_attempts)
    if isinstance(made, int) and isinstance(most, int) and made >= most:
        yield f"{payment.id} has had {made} of {most} attempts"
    state, until = str(check.get(fields.state, "")), str(check.get(fields.retry_at, ""))
    waits = {
        _word_before(entry, fields.retry_at, {*check, *payment.data}) for entry in entries_of(text)
    }
    if state and state in waits and until > layout.clock:
        yield f"its check is `{state}` until {until}, and it is {layout.clock}"


def _word_before(entry: str, field: str, fields: set[str]) -> str:
    """Return the last marked word before a marked field that is not a field itself; empty without one."""
    before, mark, _ = entry.partition(f"`{field}`")
    return (
        next((word for word in reversed(_words(before)) if word not in fields), "") if mark else ""
    )


def _judge_edit(layout: ShopLayout, path: str, content: object) -> tuple[Record, str, list[str]]:
    """Return the record and the page of a file's change, and what they say against it. Raises `CannotRead`."""
    sure(path.endswith(".json") and path in layout.paths, f"{path} is not a record")
    policies = layout.policies
    kind = sure(layout.kind_of(path), f"{path} is a record of no known kind")
    record = sure(layout.records.at(path), f"{path} is not a record")
    subject = {Kind.BASKET: "checkout", Kind.PAYMENT: "verification", Kind.RETURN: "returns"}.get(
        kind, ""
    )
    page = policies.get(subject, "")
    if content is None:
        return record, page, [f"no page says that a {kind} record may be deleted"]
    if kind in OWNED and layout.asker.is_outside and not layout.asker.may_cite(record.owner):
        return record, page, [f"the {kind} {record.id} does not belong to whoever is signed in"]
    sure(page, f"no page tells how a {kind} record is changed")
    if kind is not Kind.BASKET:
        is_meant = any(_BY_HAND.search(entry) for entry in entries_of(layout.documents[page]))
        return record, page, [f"a {kind} record is changed by its tool, and not by hand"] * is_meant
    return record, page, list(_lines_faults(layout, record, str(content)))


def _lines_faults(layout: ShopLayout, basket: Record, content: str) -> Iterator[str]:
    """Yield what is wrong with the new text of a basket: its state, its other fields, its lines."""
    if basket.state != layout.open_state:
        yield f"{basket.id} is `{basket.state}`, and not `{layout.open_state}`"
    try:
        new = json.loads(content)
    except ValueError:
        yield "the new text is not JSON"
        return
    fields = line_fields([basket.data, *layout.samples(Kind.BASKET)])
    if fields is None or not isinstance(new, dict):
        return
    rows = fields.rows
    code = fields.code
    changed = [
        key
        for key in {**basket.data, **new}
        if key != rows and new.get(key) != basket.data.get(key)
    ]
    if changed:
        yield f"the edit changes `{'`, `'.join(changed)}` as well as `{rows}`"
    before, codes = rows_of(basket.data, rows), catalogue_of(layout).codes
    unknown = [
        str(row.get(code))
        for row in rows_of(new, rows)
        if row not in before and row.get(code) not in codes
    ]
    if unknown:
        yield f"no product is called {', '.join(unknown)}"
