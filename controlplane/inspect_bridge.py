"""This product as an agent inside Inspect (the extra `inspect`): its model, its tools, our loop and sandbox."""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any

from agent.model import Model, ModelRequest, Reply
from agent.model import Tool as OfferedTool
from agent.model import ToolCall as MadeCall
from controlplane.library import run
from controlplane.tasks import Task, TaskEnvironment, TaskList, Tool

if TYPE_CHECKING:
    from inspect_ai.agent import Agent


class _InspectModel(Model):
    """Inspect's active model, asked from the thread that plays a trial, in the loop of Inspect."""

    def __init__(self, submit: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        from inspect_ai.model import get_model

        self._model = get_model()
        self.name = str(self._model)
        self._submit = submit

    def reply_to(self, request: ModelRequest) -> Reply:
        from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageTool, ChatMessageUser

        kinds: dict[str, Any] = {"system": ChatMessageSystem, "user": ChatMessageUser}
        said: list[Any] = []
        for message in request.messages:
            content = message["content"]
            if message["role"] == "assistant":
                calls = [_inspect_call(call) for call in message.get("tool_calls", ())]
                said.append(ChatMessageAssistant(content=content, tool_calls=calls or None))
            elif message["role"] == "tool":
                said.append(ChatMessageTool(content=content, tool_call_id=message.get("tool_call_id")))
            else:
                said.append(kinds[message["role"]](content=content))
        output = self._submit(self._model.generate(said, tools=list(map(_inspect_tool, request.tools))))
        calls = [
            MadeCall(name=call.function, arguments=json.dumps(call.arguments), id=call.id)
            for call in output.message.tool_calls or ()
        ]
        return Reply(text=output.completion, tool_calls=tuple(calls), finish_reason=output.stop_reason or "stop")


def _inspect_call(call: MadeCall) -> Any:
    from inspect_ai.tool import ToolCall

    return ToolCall(id=call.id or call.name, function=call.name, arguments=json.loads(call.arguments or "{}"))


def _inspect_tool(tool: OfferedTool) -> Any:
    from inspect_ai.tool import ToolInfo, ToolParams

    parameters = ToolParams.model_validate(tool.parameters)
    return ToolInfo(name=tool.name, description=tool.description, parameters=parameters)


def inspect_agent(tools: list[Any] | None = None, **settings: Any) -> Agent:
    """Return the cited loop as an agent of Inspect: `Task(solver=as_solver(inspect_agent(tools=[...])))`.

    It answers the sample's messages by scripts in our sandbox, which call these tools of Inspect, and asks Inspect's
    active model, whose tokens and limits Inspect counts. `settings` are those of `controlplane.run`; without `runs_dir`
    no journal is kept. Raises `UsageError` if the extra `inspect` is not installed.
    """
    from controlplane.errors import extra_module

    extra_module("inspect_ai", "inspect_agent()", "inspect")
    import anyio.to_thread
    from inspect_ai.agent import agent
    from inspect_ai.model import ChatMessageAssistant
    from inspect_ai.tool import ToolDef

    @agent(name="controlplane")
    def controlplane_agent() -> Any:  # Inspect evaluates annotations where its names are not known
        async def execute(state: Any) -> Any:
            """Answer by scripts in the sandbox of the control plane."""
            loop, context = asyncio.get_running_loop(), copy_context()

            def submit(work: Coroutine[Any, Any, Any]) -> Any:
                done: Any = asyncio.run_coroutine_threadsafe(_within(work), loop)
                return done.result()

            async def _within(work: Coroutine[Any, Any, Any]) -> Any:
                return await asyncio.create_task(work, context=context)

            asked = "\n\n".join(message.text for message in state.messages)
            offered = [call_of(ToolDef(one), submit) for one in tools or ()]
            task = Task("sample", asked, environment=lambda: TaskEnvironment(offered))
            with contextlib.ExitStack() as held:
                own = dict(settings)
                if "runs_dir" not in own:
                    own["runs_dir"] = held.enter_context(tempfile.TemporaryDirectory())
                play = partial(run, TaskList([task], citations="none", player=_InspectModel(submit)), **own)
                played = await anyio.to_thread.run_sync(play, abandon_on_cancel=True)
            answer = played.trials[0].answer if played.trials else ""
            state.messages.append(ChatMessageAssistant(content=answer, source="generate"))
            state.output.completion = answer
            return state

        return execute

    made: Agent = controlplane_agent()
    return made


def call_of(tool: Any, submit: Callable[[Coroutine[Any, Any, Any]], Any]) -> Tool:
    """Return a tool of Inspect, a `ToolDef`, as a call of scripts, whose work `submit` does."""
    from inspect_ai.model._call_tools import tool_params
    from inspect_ai.tool import ToolError

    def call(**arguments: Any) -> Any:
        try:
            result = submit(tool.tool(**tool_params(arguments, tool.tool)))
        except ToolError as error:
            raise ValueError(error.message) from error
        texts = [getattr(part, "text", part) for part in (result if isinstance(result, list) else [result])]
        return texts[0] if len(texts) == 1 else texts

    schema = tool.parameters.model_dump(exclude_none=True)
    # Seconds that a tool of Inspect may take.
    return Tool(call, "acts", tool.name, tool.description, schema, 600.0)  # what it does is not declared
