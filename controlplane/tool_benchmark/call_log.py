"""Calls the tools and the user of a trial, and records the calls for the grader.

A benchmark's grader may judge what a trial did, such as whether it cancelled the right
order. So every call is kept with copies of its arguments and its result, as they were.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from controlplane.sandbox.interface import CallError, Plain
from controlplane.tool_benchmark.conversation import SAY, User
from controlplane.tool_benchmark.environment_calls import (
    EnvironmentCall,
    copied,
    recorded_refusals,
)
from controlplane.tools.declared_tool import DeclaredTool


@dataclass(frozen=True, slots=True)
class CallLog:
    """Makes calls, and adds each to `calls`, whether it succeeds or fails."""

    calls: list[EnvironmentCall]

    def tell_user(self, user: User, text: str, turn: int) -> str | None:
        """Send a text to the user in a turn, and return the reply. Raises `CallError`."""
        call = EnvironmentCall(SAY.name, {"text": text}, turn=turn)
        with recorded_refusals(self.calls, call):  # Records the call if it fails.
            reply = user(text)
        self.calls.append(replace(call, result=reply))
        return reply

    def call_tool(
        self, declared: DeclaredTool, script_arguments: Mapping[str, Any], turn: int
    ) -> dict[str, Plain]:
        """Call a tool's function, and return the fields of its result. Raises `CallError`."""
        tool = declared.tool
        arguments = declared.arguments(script_arguments)
        # The function may change its arguments, so the record gets another copy.
        recorded = declared.arguments(script_arguments)
        call = EnvironmentCall(tool.name, recorded, turn=turn)
        with recorded_refusals(self.calls, call):  # Records the call if it fails.
            value = tool.function(**arguments)
        try:
            result = declared.result(recorded, value)
        except CallError as error:
            self.calls.append(replace(call, error=error.message))
            raise

        # Later calls may change the value if it is part of the tool's own data. So a copy
        # is recorded or, if it cannot be copied, what the script sees.
        as_json = str(result["value"])
        recorded_value = copied(value, if_impossible=as_json)
        self.calls.append(replace(call, result=recorded_value))
        return result
