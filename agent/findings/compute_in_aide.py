"""Computes one finding at a time inside a trial's aide, by turns with the calls that its function asks for.

A function is called from its start whenever more is known: it is a pure function of its arguments and of what it read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from agent.findings.toolkit_reader import ReadCall, Unanswered, Unread, WorkspaceReader
from sandbox.interface import CallError, Plain, error_codes
from toolkit import CannotRead, Finding


class Computation:
    """One call of a function, and what it has been told so far."""

    def __init__(self, function: str, arguments: Mapping[str, Any], tools: Mapping[str, str]) -> None:
        """`function` is `module:name`; `tools` says by path what the declared tools do."""
        module, _, name = function.partition(":")
        self._function: Callable[..., Finding[Any]] = getattr(import_module(module), name)
        self._arguments = dict(arguments)
        self._tools = dict(tools)
        self._answers: dict[str, Mapping[str, Any] | Unread] = {}

    def turn(self, answers: list[Any]) -> list[Plain]:
        """Take the outcomes of the calls that were asked for; return the finding or further calls, and CPU seconds.

        The reply is `["found", finding, seconds]` or `["asks", [[operation, arguments], ...], seconds]`. Raises
        `CallError` `failed_precondition` if the function cannot read what it needs.
        """
        began = time.process_time()
        for operation, arguments, result, failure in answers:
            code, message = failure or ("", "")
            self._answers[ReadCall(operation, arguments).key] = Unread(message, code) if failure else result
        try:
            found = self._function(WorkspaceReader(self._answers, self._tools), **self._arguments)
        except Unanswered as asked:
            calls: list[Plain] = [[each.operation, dict(each.arguments)] for each in asked.calls]
            return ["asks", calls, time.process_time() - began]
        except CannotRead as error:
            raise CallError(error_codes.FAILED_PRECONDITION, str(error)) from None
        return ["found", finding_data(found), time.process_time() - began]


def finding_data(found: Finding[Any]) -> Plain:
    """Return a finding as the result of a call."""
    return {
        "value": found.value,
        "refs": [{"path": each.path, "reason": each.reason} for each in found.refs],
        "notes": list(found.notes),
    }


class _Current:
    computation: Computation | None = None


def begin(function: str, arguments: dict[str, Any], tools: dict[str, str]) -> list[Plain]:
    """Begin to compute a finding and take its first turn."""
    _Current.computation = Computation(function, arguments, tools)
    return _Current.computation.turn([])


def go_on(answers: list[Any]) -> list[Plain]:
    """Take the next turn of the finding that was begun."""
    if _Current.computation is None:
        raise CallError(error_codes.INTERNAL, "the process that computed the finding has ended")
    return _Current.computation.turn(answers)
