"""Checks a call that changes something against the shop's pages and records, before it is sent.

A call such as `/bin/checkout basket-2` is stopped if the basket belongs to somebody else, or if
the branch has too few units. The model gets a notice with these reasons (faults), and may make
the call again. Modules such as `checkout_faults` find them. The check looks only at the call,
not at the request, and does nothing if it is not certain which page and record are meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from controlplane.benchmarks.shop.faults.checkout_faults import checkout_faults
from controlplane.benchmarks.shop.faults.discount_faults import discount_faults
from controlplane.benchmarks.shop.faults.edit_faults import (
    basket_edit_faults,
    edit_faults,
)
from controlplane.benchmarks.shop.faults.page_commands import (
    Command,
    ToolRun,
    command_for,
)
from controlplane.benchmarks.shop.faults.return_faults import return_faults
from controlplane.benchmarks.shop.faults.verification_faults import verification_faults
from controlplane.benchmarks.shop.faults.written_tables import judge_table
from controlplane.benchmarks.shop.texts.text import require, value_or_raise
from controlplane.benchmarks.shop.workspace.kinds import OWNED, Kind
from controlplane.benchmarks.shop.workspace.named_records import reference_to
from controlplane.benchmarks.shop.workspace.records.record import Record
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.sandbox.functions import CannotRead, FunctionResult, Reference

_NO_OBJECTION: Final = FunctionResult("")


@dataclass(frozen=True, slots=True)
class Judgement:
    """The objections of pages and records to a call."""

    call_text: str
    """The call, as a notice names it: `/bin/checkout basket-2`."""
    references: tuple[Reference, ...]
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


@layout_from_harness
def pre_call_check(
    layout: ShopLayout, operation: str, arguments: Mapping[str, Any]
) -> FunctionResult[str]:
    """Return the objections of pages and records to a call, as one text.

    The text is empty if there is no objection, or if the facts are not certain.
    """
    path = layout.files.spelled(str(arguments.get("path", "")))
    try:
        if operation == "exec":
            judgement = _judge_run(layout, ToolRun(path, arguments["args"]))
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


def _references(record: Record, page: str) -> tuple[Reference, ...]:
    """Return references to a record and, if it is known, to the page about such calls."""
    references = [reference_to(record, None)]
    if page:
        references.append(Reference(page, "the page on such calls"))
    return tuple(references)


def _not_own(layout: ShopLayout, record: Record) -> str:
    """Return the fault of a call that changes another person's record."""
    kind = layout.kinds.of(record.path)
    return f"the {kind} {record.id} does not belong to whoever is signed in"


# Runs of tools ----------------------------------------------------------------------------------


def _judge_run(layout: ShopLayout, run: ToolRun) -> Judgement:
    """Judge a run of a tool on a basket, payment or return: `/bin/checkout basket-2`.

    A page describes such runs by a command: `/bin/checkout <basket_id>`. Raises
    `CannotRead` if the command or the record is not certain.
    """
    command = command_for(layout, run)
    record = _record_named_in(layout, run.arguments)
    if _is_foreign(layout, record):
        faults = [_not_own(layout, record)]
    else:
        faults = list(_run_faults(layout, record, command, run))
    return Judgement(run.text, _references(record, command.page), faults)


def _run_faults(
    layout: ShopLayout, record: Record, command: Command, run: ToolRun
) -> Iterable[str]:
    """Return the faults of a run, by the kind of its record. `command` describes the run."""
    match layout.kinds.of(record.path):
        case Kind.RETURN:
            return return_faults(layout, record, command)
        case Kind.PAYMENT:
            return verification_faults(layout, record, command)
    # Two tools are about baskets. A discount has more arguments than the id of the
    # basket, such as the percentage. A checkout has only the id.
    is_discount = len(run.arguments) > 1
    if is_discount:
        return discount_faults(layout, record, command)
    return checkout_faults(layout, record)


def _record_named_in(layout: ShopLayout, arguments: Sequence[str]) -> Record:
    """Return the one basket, payment or return that the arguments of a run name.

    Raises `CannotRead` if there is none or several.
    """
    paths = set()
    for argument in arguments:
        path = layout.record_files.path_of(argument)
        if path is not None and layout.kinds.of(path) in OWNED:
            paths.add(path)
    record = layout.records.at(paths.pop()) if len(paths) == 1 else None
    return value_or_raise(record, "the call names no single basket, payment or return")


def _is_foreign(layout: ShopLayout, record: Record) -> bool:
    """Return True if a record has another owner than the asker, who is not a member of staff."""
    asker = layout.asker
    return asker.is_outside and not asker.may_see(record.owner)


# Changes of files -------------------------------------------------------------------------------

_TABLE_START: Final = re.compile(r"line_no\tcompetitor_code\t|SKU,\d{4}-")
"""The start of a table: of a list of products for a competitor's customer, or of an export of stock."""
_POLICY_OF_KIND: Final = {
    Kind.BASKET: "checkout",
    Kind.PAYMENT: "verification",
    Kind.RETURN: "returns",
}
"""The subject of the policy that says how records of a kind are changed."""


def _judge_change(
    layout: ShopLayout, operation: str, path: str, content: object
) -> Judgement:
    """Judge a written or deleted file. `content` is None for a deletion.

    Raises `CannotRead` if the file is neither a table nor a record, or if no page tells how
    such a record is changed.
    """
    call_text = f"{operation} {path}"

    # 1. A written table is compared with the table that follows from the records.
    text = "" if content is None else str(content)
    if _TABLE_START.match(text):
        table = judge_table(layout, text)
        return Judgement(call_text, table.references, table.faults)

    # 2. Any other file must be a record.
    require(
        path.endswith(".json") and path in layout.files.paths, f"{path} is not a record"
    )
    kind = value_or_raise(layout.kinds.of(path), f"{path} is a record of no known kind")
    record = value_or_raise(layout.records.at(path), f"{path} is not a record")

    # 3. The page on such records must allow the change.
    policy_subject = _POLICY_OF_KIND.get(kind, "")
    page = layout.policies.by_subject.get(policy_subject, "")
    if content is None:
        faults = [f"no page says that a {kind} record may be deleted"]
    elif kind in OWNED and _is_foreign(layout, record):
        faults = [_not_own(layout, record)]
    else:
        require(page, f"no page tells how a {kind} record is changed")
        if kind is Kind.BASKET:
            faults = list(basket_edit_faults(layout, record, text))
        else:
            # Other records are changed by tools. The page may forbid any edit by hand, whatever
            # is written.
            faults = list(edit_faults(kind, layout.documents.texts[page]))
    return Judgement(call_text, _references(record, page), faults)
