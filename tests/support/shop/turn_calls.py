"""The calls of one turn of a stand-in for a model: of functions, or of the tool that reads files.

In its first turn the model calls the functions that serve the task. Between the first and the last
it reads the files that their results cite, three in each turn.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.agent.model import Message, Tool, ToolCall
from tests.support.shop.calls.true_calls import TrueCall
from tests.support.shop.model_messages import paths_in


def function_calls(
    calls: Sequence[TrueCall], tools: Sequence[Tool]
) -> tuple[ToolCall, ...]:
    """Return those of the task's right calls whose functions the solver offers as tools."""
    offered_names = {tool.name for tool in tools}
    tool_calls: list[ToolCall] = []
    for call in calls:
        if call.function in offered_names:
            arguments = json.dumps(call.arguments)
            call_id = f"{len(tool_calls)}"
            tool_calls.append(
                ToolCall(name=call.function, arguments=arguments, id=call_id)
            )
    return tuple(tool_calls)


READS_PER_TURN = 3
"""How many files the model reads in each turn between its first and its last."""


def reading_calls(
    results: Sequence[Mapping[str, Any]], turn: int, messages: Sequence[Message]
) -> tuple[ToolCall, ...]:
    """Return the calls of a turn that read files, at most `READS_PER_TURN`.

    The files are those that results of functions cite, then those whose paths are in a message to
    the model. Turn 1 reads the first three of them, turn 2 the next three.
    """
    if turn == 0:
        return ()
    cited_paths: list[str] = []
    for result in results:
        for ref in result["refs"]:
            file_path = ref["path"].partition("#")[0]  # `/a.csv` of `/a.csv#row=4`
            cited_paths.append(file_path)
    paths = list(dict.fromkeys([*cited_paths, *paths_in(messages)]))
    start = (turn - 1) * READS_PER_TURN
    tool_calls: list[ToolCall] = []
    for number, path in enumerate(paths[start : start + READS_PER_TURN]):
        arguments = json.dumps({"path": path})
        tool_calls.append(
            ToolCall(name="read", arguments=arguments, id=f"read_{turn}_{number}")
        )
    return tuple(tool_calls)
