"""The control plane as an agent in Inspect: `controlplane.inspect_agent` (the extra `inspect`)."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from controlplane.agent.endpoint import chat_message
from controlplane.agent.loop import LeftOpen
from controlplane.agent.model import Model, ModelRequest, Reply, ToolCall
from controlplane.errors import ControlPlaneError, extra_module, fault_text
from controlplane.tool_benchmark.environments import TaskEnvironment
from controlplane.tool_benchmark.tool_benchmark import Task, TaskList
from controlplane.tools.function_tool import Tool

if TYPE_CHECKING:
    from inspect_ai.agent import Agent

_RunInLoop: TypeAlias = Callable[[Coroutine[Any, Any, Any]], Any]
"""A function that runs a coroutine in Inspect's event loop, and returns its result.

The control plane plays a trial in a thread of its own. Inspect's model and tools are
coroutines, which only work in the event loop's thread.
"""
_Play: TypeAlias = Callable[..., Any]
"""`controlplane.run`: a function that runs tasks with settings, and returns a `RunReport`."""
_TOOL_TIMEOUT_S = 600.0
"""The seconds that a tool of Inspect may take. It may start a program in a container."""


class _InspectModel(Model):
    """Inspect's active model, asked in Inspect's event loop from the thread that plays a trial."""

    def __init__(self, run_in_loop: _RunInLoop) -> None:
        from inspect_ai.model import get_model

        self._model = get_model()
        self.name = str(self._model)
        self._run_in_loop = run_in_loop

    def reply_to(self, request: ModelRequest) -> Reply:
        reply: Reply = self._run_in_loop(self._reply_in_loop(request))
        return reply

    async def _reply_in_loop(self, request: ModelRequest) -> Reply:
        """Ask Inspect's model, with messages and tools in the form of Inspect."""
        from inspect_ai.model import messages_from_openai
        from inspect_ai.tool import ToolInfo

        # Messages get the form of OpenAI's API first, from which Inspect converts them.
        chat_messages: list[Any] = [
            chat_message(message) for message in request.messages
        ]
        messages = await messages_from_openai(chat_messages)
        tools = [ToolInfo.model_validate(tool.model_dump()) for tool in request.tools]
        output = await self._model.generate(messages, tools=tools)

        calls = []
        for call in output.message.tool_calls or ():
            arguments = json.dumps(call.arguments)
            calls.append(ToolCall(name=call.function, arguments=arguments, id=call.id))
        return Reply(
            text=output.completion,
            tool_calls=tuple(calls),
            finish_reason=output.stop_reason or "stop",
        )


def agent_that_runs(play: _Play, tools: list[Any], settings: dict[str, Any]) -> Agent:
    """Return an agent of Inspect that answers each sample with `play`, which is `controlplane.run`.

    Raises `UsageError` if the extra `inspect` is not installed.
    """
    extra_module("inspect_ai", "inspect_agent()", "inspect")
    from inspect_ai.agent import agent
    from inspect_ai.model import ChatMessageAssistant

    def controlplane_agent() -> Any:
        # `Any`, because Inspect evaluates annotations where its own names are not known.
        async def execute(state: Any) -> Any:
            """Answer by scripts in the sandbox of the control plane."""
            instruction = "\n\n".join(message.text for message in state.messages)
            answer = await _answer(play, instruction, tools, settings)
            state.messages.append(
                ChatMessageAssistant(content=answer, source="generate")
            )
            state.output.completion = answer
            return state

        return execute

    # Inspect's decorator registers a function that makes agents.
    make_agent = agent(name="controlplane")(controlplane_agent)
    made_agent: Agent = make_agent()
    return made_agent


async def _answer(
    play: _Play, instruction: str, tools: list[Any], settings: dict[str, Any]
) -> str:
    """Play one trial in a thread of its own, and return its answer.

    The trial's model and tools work in this event loop.
    """
    import anyio.to_thread
    from inspect_ai.tool import ToolDef

    loop = asyncio.get_running_loop()
    # Inspect keeps the current sample and its limits in context variables. The thread
    # of the trial has none of them, so each coroutine runs in a copy of this context.
    context = copy_context()

    def run_in_loop(coroutine: Coroutine[Any, Any, Any]) -> Any:
        future = context.copy().run(asyncio.run_coroutine_threadsafe, coroutine, loop)
        return future.result()

    own_tools = [tool_of_inspect(ToolDef(tool), run_in_loop) for tool in tools]
    task = Task("sample", instruction, environment=lambda: TaskEnvironment(own_tools))
    # A list of tasks can have a player, which plays if no setting names a model. Here it
    # is Inspect's model.
    tasks = TaskList([task], citations="none", player=_InspectModel(run_in_loop))
    with tempfile.TemporaryDirectory() as folder:
        settings = {"runs_dir": folder, **settings}
        play_task = partial(play, tasks, **settings)
        report = await anyio.to_thread.run_sync(play_task, abandon_on_cancel=True)
    if report.error:
        raise ControlPlaneError(report.error)
    answer: str = report.trials[0].answer
    return answer


def tool_of_inspect(tool: Any, run_in_loop: _RunInLoop) -> Tool:
    """Return a tool of Inspect (a `ToolDef`) as a tool of scripts.

    Inspect's tools are coroutines, and belong to its event loop: `run_in_loop` runs one there, and
    waits for the result in the thread of the trial.
    """
    # Inspect has no public functions for these two: how it converts the arguments of a
    # tool, and which errors it tells the model.
    from inspect_ai.model._call_tools import tool_call_error, tool_params

    def call(**arguments: Any) -> Any:
        """Call Inspect's tool, and return its texts: one text, or a list if there are several."""
        try:
            result = run_in_loop(tool.tool(**tool_params(arguments, tool.tool)))
        except LeftOpen:  # The run is being stopped, and the trial stays open.
            raise
        except Exception as error:
            # By `ValueError` a tool refuses a call; `TypeError` means that the tool is broken.
            refusal = tool_call_error(error, tool.name)
            if refusal is not None:
                raise ValueError(refusal.error.message) from error
            msg = f"the tool {tool.name} broke: {fault_text(error)}"
            raise TypeError(msg) from error
        parts = result if isinstance(result, list) else [result]
        texts = [getattr(part, "text", part) for part in parts]
        if len(texts) == 1:
            return texts[0]
        return texts

    return Tool(
        call,
        effect="acts",
        name=tool.name,
        description=tool.description,
        schema=tool.parameters.model_dump(exclude_none=True),
        longest_s=_TOOL_TIMEOUT_S,
        is_undeclared=True,  # Inspect's tools declare no effect, so `acts` is only a precaution.
    )
