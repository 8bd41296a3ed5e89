"""Checks a call that changes something against the shop's pages and records, before it is sent.

A call such as `/bin/checkout basket-2` is stopped if the basket belongs to somebody else, or if
the branch has too few units. The model gets a notice with these reasons (faults), and may make
the call again. The modules of `faults` find them. The check looks only at the call, not at the
request, and does nothing if it is not certain which page and record are meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from controlplane.benchmarks.shop.faults.file_change_faults import judge_change
from controlplane.benchmarks.shop.faults.tool_commands import ToolRun
from controlplane.benchmarks.shop.faults.tool_run_faults import judge_run
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.sandbox.functions import CannotRead, FunctionResult

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
            judgement = judge_run(layout, ToolRun(path, arguments["args"]))
        elif operation in ("write", "delete"):
            content = arguments.get("content")
            judgement = judge_change(layout, operation, path, content)
        else:
            return _NO_OBJECTION
    except CannotRead as error:
        return FunctionResult("", notes=(str(error),))
    if not judgement.faults:
        return _NO_OBJECTION
    return FunctionResult(judgement.notice, judgement.references)
