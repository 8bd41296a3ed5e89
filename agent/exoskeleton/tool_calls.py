"""The calls in a model's reply: native ones, or a list in JSON; and what the model is told of each."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from agent.events.model_events import ModelReplied
from agent.loop.trial_session import TrialSession
from agent.model.model_protocol import ToolCall
from agent.reply.plain_object import object_of
from sandbox.interface import CallError, ExecutableKind, Operation, Plain, Tree, bound_arguments

OnResult: TypeAlias = Callable[[str, Mapping[str, Plain], Mapping[str, Plain]], None]
"""Is told operation, arguments and result of a call that succeeded."""
TakeApart: TypeAlias = Callable[[str, Mapping[str, Plain]], Mapping[str, Plain] | None]
"""Returns other arguments with which a call is tried first; None for its own alone."""
LONGEST_RESULT: Final = 12_000
"""Characters of one result that a model is shown."""
MOST_CALLS: Final = 32
"""Calls of one reply that are made."""
_ARGUMENTS: Final = ("arguments", "parameters", "args", "input")
"""Where a written call holds its arguments."""
TAKEN_APART: Final = "(called with) "
"""Stands before the arguments into which a call's text was taken apart."""
NO_CHANGES: Final = "not run: the request asks for no such change, so nothing that changes something is run for it"


@dataclass(frozen=True, slots=True)
class BadArguments(Exception):
    """The arguments of a call are no JSON object."""

    reason: str

    def __str__(self) -> str:
        return self.reason


def calls_of(replied: ModelReplied) -> Sequence[ToolCall]:
    """Return the calls of a reply in their order; none of one that was cut off by its length."""
    if replied.finish_reason == "length":
        return ()
    if replied.tool_calls:
        return replied.tool_calls
    found = object_of(replied.reply) or {}
    listed = found.get("calls", [found])
    calls = [_written_call(each) for each in listed] if isinstance(listed, list) else []
    return [each for each in calls if each is not None]


def _written_call(value: object) -> ToolCall | None:
    """Return a call that was written as JSON, in the spellings that models have for it."""
    if not isinstance(value, dict):
        return None
    inner = value.get("function")
    value = inner if isinstance(inner, dict) else value
    name = value.get("name") or value.get("tool")
    given = next((value[each] for each in _ARGUMENTS if each in value), None)
    if not isinstance(name, str) or not name or given is None:
        return None
    return ToolCall(name=name, arguments=given if isinstance(given, str) else json.dumps(given))


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of a call by name. Raises `BadArguments`."""
    try:
        value = json.loads(call.arguments or "{}", strict=False)
    except (ValueError, RecursionError) as error:
        value = object_of(call.arguments)
        if value is None:
            msg = f"its arguments are no JSON: {error}"
            raise BadArguments(msg) from None
    if not isinstance(value, dict):
        msg = f"its arguments are no JSON object: {call.arguments[:80]}"
        raise BadArguments(msg)
    return value


def call_result(
    session: TrialSession,
    call: ToolCall,
    offered: frozenset[str],
    *,
    may_run_changes: bool,
    on_result: OnResult,
    take_apart: TakeApart = lambda operation, arguments: None,
) -> str:
    """Make a call and return what the model is told of it; a fault of the call is told too."""
    declared = session.surface.operation(call.name) if call.name in offered else None
    if declared is None:
        return f"error: there is no tool {call.name!r}; there are {', '.join(sorted(offered))}"
    try:
        arguments = bound_arguments(declared, (), arguments_of(call))
        if not may_run_changes and _changes(session, declared, arguments):
            return NO_CHANGES
        parsed = take_apart(call.name, arguments)
        if parsed is not None:
            with suppress(CallError):
                shown = shown_result(declared, _made(session, call.name, parsed, on_result))
                return f"{TAKEN_APART}{json.dumps(dict(parsed), ensure_ascii=False)}\n{shown}"
        return shown_result(declared, _made(session, call.name, arguments, on_result))
    except (TypeError, BadArguments, CallError) as error:
        return f"error: {error}"


def _made(
    session: TrialSession, operation: str, arguments: Mapping[str, Plain], on_result: OnResult
) -> dict[str, Plain]:
    result = session.call(operation, arguments)
    on_result(operation, arguments, result)
    return result


def _changes(session: TrialSession, declared: Operation, arguments: Mapping[str, Plain]) -> bool:
    surface = session.surface
    kind = surface.executable_kind(str(arguments.get(declared.subject)))
    return kind is ExecutableKind.CHANGES and surface.may_change(declared.name, arguments)


def shown_result(operation: Operation, result: Mapping[str, Plain]) -> str:
    """Return a result as a model reads it: short fields as JSON, long texts below as they are."""
    if operation.drawn_as_tree:
        return _cut(str(Tree(result)))
    texts = {name: each for name, each in result.items() if isinstance(each, str) and "\n" in each}
    rest = {name: each for name, each in result.items() if name not in texts}
    parts = [json.dumps(rest, ensure_ascii=False)] if rest else []
    parts += [each if len(texts) == 1 else f"{name}:\n{each}" for name, each in texts.items()]
    return _cut("\n".join(parts))


def _cut(text: str) -> str:
    """Return a text without its middle if it is too long."""
    if len(text) <= LONGEST_RESULT:
        return text
    half = LONGEST_RESULT // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n[... {left_out} characters are left out; ask for less at once ...]\n{text[-half:]}"
