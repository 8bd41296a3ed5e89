"""A call before it is made, as scripts, functions of the benchmark and the initial prompt ask for it.

    planned_call("read", {"path": "/a.md"})
        -> CallRecord(operation="read", arguments={"path": "/a.md"}, state="under_way")

The record has no outcome yet. Everything that happens to a call later is added to a copy: its
number in the step (`NumberedCall`), and its result or its error.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.events import CallRecord
from controlplane.sandbox.interface import Plain


def planned_call(
    operation: str,
    arguments: Mapping[str, Plain],
    *,
    in_verify: bool = False,
    outer: int | None = None,
    origins: Mapping[str, str] | None = None,
) -> CallRecord:
    """Return the record of a call that is about to be made.

    - `in_verify` is true if a script's `verify` makes the call, its own check of its answer.
    - `outer` is the number of the call within which this one is made. If call 3 of a step is
      `books_by("Ann Miller")`, which is code of the benchmark and reads files, each of these
      reads has the `outer` 3.
    - `origins` says where each argument of a changing call comes from: `{"amount": "asked"}`
      if the amount is in the user's request.
    """
    return CallRecord(
        operation=operation,
        arguments=dict(arguments),
        in_verify=in_verify,
        outer=outer,
        origins=dict(origins or {}),
        state="under_way",
    )
