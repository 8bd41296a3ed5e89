"""This product as an agent inside Inspect (the extra `inspect`): its model, its tools, our loop and sandbox."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from agent.endpoint import chat_message
from agent.model import Model, ModelRequest, Reply, ToolCall
from controlplane.errors import ControlPlaneError, extra_module
from controlplane.library import run
from controlplane.tasks import Task, TaskEnvironment, TaskList, Tool

if TYPE_CHECKING:
    from inspect_ai.agent import Agent

Submit: TypeAlias = Callable[[Coroutine[Any, Any, Any]], Any]
"""Returns what a coroutine of Inspect returns."""


class _InspectModel(Model):
    """Inspect's active model, asked from the thread that plays a trial, in the loop of Inspect."""

    def __init__(self, submit: Submit) -> None:
        from inspect_ai.model import get_model

        self._model = get_model()
        self.name = str(self._model)
        self._submit = submit

    def reply_to(self, request: ModelRequest) -> Reply:
        reply: Reply = self._submit(self._reply_to(request))
        return reply

    async def _reply_to(self, request: ModelRequest) -> Reply:
        from inspect_ai.model import messages_from_openai
        from inspect_ai.tool import ToolInfo

        messages: list[Any] = [chat_message(one) for one in request.messages]
        tools = [ToolInfo.model_validate(one.model_dump()) for one in request.tools]
        output = await self._model.generate(await messages_from_openai(messages), tools=tools)
        calls = tuple(
            ToolCall(name=call.function, arguments=json.dumps(call.arguments), id=call.id)
            for call in output.message.tool_calls or ()
        )
        return Reply(text=output.completion, tool_calls=calls, finish_reason=output.stop_reason or "stop")


def inspect_agent(tools: list[Any] | None = None, **settings: Any) -> Agent:
    """Return the cited loop as an agent of Inspect: `Task(solver=as_solver(inspect_agent(tools=[...])))`.

    It answers the sample's messages by scripts in our sandbox, which call these tools of Inspect, and asks Inspect's
    active model, whose tokens and limits Inspect counts. `settings` are those of `controlplane.run`; without `runs_dir`
    no journal is kept. Raises `UsageError` if the extra `inspect` is not installed.
    """
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

            async def within(work: Coroutine[Any, Any, Any]) -> Any:
                return await asyncio.create_task(work, context=context)

            def submit(work: Coroutine[Any, Any, Any]) -> Any:
                return asyncio.run_coroutine_threadsafe(within(work), loop).result()

            asked = "\n\n".join(message.text for message in state.messages)
            offered = [call_of(ToolDef(one), submit) for one in tools or ()]
            task = Task("sample", asked, environment=lambda: TaskEnvironment(offered))
            tasks = TaskList([task], citations="none", player=_InspectModel(submit))
            with tempfile.TemporaryDirectory() as folder:
                play = partial(run, tasks, **{"runs_dir": folder, **settings})
                played = await anyio.to_thread.run_sync(play, abandon_on_cancel=True)
            if played.error:
                raise ControlPlaneError(played.error)
            answer = played.trials[0].answer
            state.messages.append(ChatMessageAssistant(content=answer, source="generate"))
            state.output.completion = answer
            return state

        return execute

    made: Agent = controlplane_agent()
    return made


def call_of(tool: Any, submit: Submit) -> Tool:
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
