"""The first stage: the opening as calls that the model seems to have made, and the classifier beside it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, Final

from agent.events.call_records import CallRecord, SaidMessage
from agent.evidence.recorder import Recorder
from agent.exoskeleton.bindings import Permission, SolverBindings
from agent.exoskeleton.helper_model import HelperModel
from agent.exoskeleton.tool_definitions import call_reference, described_fields, properties_of, tools_of
from agent.loop.cited_loop import LoopSettings
from agent.loop.initial_prompt import InitialPrompt, shown_opening
from agent.loop.prompt_texts import Prompts
from agent.model.model_protocol import Message, ToolCall
from sandbox.interface import Surface

CLASSIFY: Final = "classify"
_KINDS: Final = {"boolean": bool, "string": str}


def build_exchange(
    instruction: str,
    recorder: Recorder,
    settings: LoopSettings,
    readers: Executor,
    bindings: SolverBindings,
    *,
    with_helpers: bool,
) -> InitialPrompt:
    """Make the opening calls and return them as pairs of a call and its result; the instruction stands last.

    Where functions find records, samples of them are left out.
    """
    finds = with_helpers and any(each.finds for each in recorder.surface.operations)
    limits = replace(settings.opening, samples=settings.opening.samples and not finds)
    queue = shown_opening(instruction, recorder, limits, readers)
    exchange: list[SaidMessage] = []
    notes = []
    for number, block in enumerate(queue.blocks, start=1):
        if block.call is None:
            notes += block.pieces
        else:
            exchange += _pair(f"opening_{number}", block.call, block.result)
    return InitialPrompt(
        system=system_prompt(recorder.surface, bindings, settings.prompts),
        pieces=[*notes, settings.prompts.filled("turn_one", instruction=instruction)],
        exchange=exchange,
        rules=queue.known.rules,
    )


def system_prompt(surface: Surface, bindings: SolverBindings, prompts: Prompts) -> str:
    """Return the system prompt for an environment: the same for every trial of one declaration."""
    tools = tools_of(surface, bindings.task_types, allowed=Permission(), with_helpers=True)
    text = prompts.filled(
        "exoskeleton",
        calls=call_reference(tools),
        executables="\n".join(f"- `{each.path}`: {each.summary} ({each.kind})" for each in surface.executables)
        or "(none declared)",
    )
    return prompts.with_hints(text)


def _pair(name: str, call: CallRecord, result: str) -> Sequence[SaidMessage]:
    given = ToolCall(id=name, name=call.operation, arguments=json.dumps(call.arguments))
    return (
        SaidMessage(role="assistant", content="", tool_calls=(given,)),
        SaidMessage(role="tool", content=result, tool_call_id=name),
    )


def begin_classifying(
    helper: HelperModel, instruction: str, schema: Mapping[str, object]
) -> Callable[[], dict[str, Any]]:
    """Ask what the request wants, and return what awaits the answer: the fields that were said, in their types.

    Whatever goes wrong leaves fields unsaid.
    """
    messages: list[Message] = [
        {"role": "system", "content": helper.prompts.filled("classify", fields=described_fields(schema))},
        {"role": "user", "content": helper.prompts.filled("classify_request", instruction=instruction)},
    ]
    await_object = helper.begin(messages, CLASSIFY, schema)
    return lambda: _said_fields(await_object(), properties_of(schema))


def _said_fields(said: Mapping[str, Any] | None, fields: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the known fields of what was said whose values are of the declared types."""
    return {
        name: value
        for name, value in (said or {}).items()
        if name in fields and isinstance(value, _KINDS.get(str(fields[name].get("type")), ()))
    }
