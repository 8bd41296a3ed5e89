"""Judges a run of a tool that would change a basket, payment or return: `/bin/checkout basket-2`.

The run names a record, whose kind says what can be wrong: a checkout needs enough stock, a
refund the right state of the return, a restart of a bank check attempts that are left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from controlplane.benchmarks.shop.certain_values import value_or_raise
from controlplane.benchmarks.shop.faults.call_judgement import (
    CallJudgement,
    cited_files,
    fault_of_ownership,
    is_foreign,
)
from controlplane.benchmarks.shop.faults.checkout_faults import checkout_faults
from controlplane.benchmarks.shop.faults.discount_faults import discount_faults
from controlplane.benchmarks.shop.faults.page_commands import command_for
from controlplane.benchmarks.shop.faults.return_faults import return_faults
from controlplane.benchmarks.shop.faults.tool_commands import Command, ToolRun
from controlplane.benchmarks.shop.faults.verification_faults import verification_faults
from controlplane.benchmarks.shop.workspace.kinds import OWNED, Kind
from controlplane.benchmarks.shop.workspace.records.record import Record
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
)


def judge_run(layout: ShopLayout, run: ToolRun) -> CallJudgement:
    """Judge a run of a tool on a basket, payment or return: `/bin/checkout basket-2`.

    A page describes such runs by a command: `/bin/checkout <basket_id>`. Raises
    `CannotRead` if the command or the record is not certain.
    """
    command = command_for(layout, run)
    record = _record_named_in(layout, run.arguments)
    if is_foreign(layout, record):
        faults = [fault_of_ownership(layout, record)]
    else:
        faults = list(_run_faults(layout, record, command, run))
    return CallJudgement(run.text, cited_files(record, command.page), faults)


def _run_faults(
    layout: ShopLayout, record: Record, command: Command, run: ToolRun
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
        return return_faults(layout, record, command)
    if kind is Kind.PAYMENT:
        return verification_faults(layout, record, command)
    # The run is about a basket. Only a discount has more arguments than its id.
    is_discount = len(run.arguments) > 1
    if is_discount:
        return discount_faults(layout, record, command)
    return checkout_faults(layout, record)


def _record_named_in(layout: ShopLayout, arguments: Sequence[str]) -> Record:
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
