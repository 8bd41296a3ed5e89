r"""Runs one trial in the test's process, with a model whose replies are a list.

    replies = [step_reply("print(harness.lookup('ada').number)"), step_reply(ANSWERING_SCRIPT)]
    trial = solve_trial(Phonebook(delay_s=0.0), "ada-0", replies, fork_server)
    assert trial.reason == ""  # The trial has an answer.
    assert trial.steps[0].output == "17\n"

The trial `ada-0` asks for Ada's phone number. Each reply has a script, which the agent runs in a
sandbox; the script's output goes back to the model.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from typing import Any

from controlplane import Benchmark
from controlplane.agent.events import StepDone, TrialEvent
from controlplane.agent.evidence import Environment, Recorder, Tape, new_recorder
from controlplane.agent.limits.trial_limits import DEFAULT_LIMITS, TrialLimits
from controlplane.agent.loop import (
    CitedLoop,
    LoopSettings,
    TrialContext,
    TrialSession,
)
from controlplane.agent.model import Message, Model, ModelError, ModelRequest, Reply
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.sandbox import ForkServer, Limits
from controlplane.sandbox.child.step.harness import function_harness
from controlplane.sandbox.functions import Call, Outcome, run_function
from controlplane.sandbox.interface import CallError, Plain, ToolSchema, plain_result
from tests.support.run_budgets import ample_budget

# Computes a function of a benchmark, such as `stock_at`, in the process of the test.
#
# A function is written in Python and reads the environment by an object, the `harness`:
#
#     def length(harness, path):
#         (result,) = harness.side_by_side([("read", {"path": path})])
#         return FunctionResult(len(result["content"]))
#
# `compute("my_functions:length", {"path": "/a.md"}, ...)` returns its result.


def compute(
    function: str,
    arguments: Mapping[str, Plain],
    tool_schema: ToolSchema,
    call_all: Callable[[Sequence[Call]], list[Outcome]],
    calls_before: Sequence[Any] = (),
) -> dict[str, Any]:
    """Return the result of a function: `{"value": 7, "refs": [], "notes": []}`.

    `function` is its module and name. `call_all` makes a list of calls, and returns a result or a
    `CallError` for each. `calls_before` are calls that the trial made before, with their results.
    The function gets these results without a new call: `[("read", {"path": "/a.md"}, {"content":
    "a"})]`. Raises `CallError` if the function declines.
    """

    def call_and_copy(calls: Sequence[Call]) -> list[Outcome]:
        # In a run, the function is in another process, and so gets a copy of each result, which
        # it may change. Here it gets copies, too.
        outcomes: list[Outcome] = []
        for outcome in call_all(calls):
            if isinstance(outcome, CallError):
                outcomes.append(outcome)
            else:
                outcomes.append(dict(outcome))
        return outcomes

    summaries = {tool.path: tool.summary for tool in tool_schema.executables}
    harness = function_harness(
        operations=tool_schema.operations,
        call=_refuse_single_call,
        call_all=call_and_copy,
        executables=summaries,
        known=calls_before,
    )
    module_name, _, _ = function.partition(":")
    imported_modules = {module_name: import_module(module_name)}
    return run_function(imported_modules, function, harness, arguments)


def _refuse_single_call(
    operation: str, positional: list[Any], named: dict[str, Any]
) -> Any:
    msg = f"a function makes its calls by `side_by_side`, never {operation} alone"
    raise AssertionError(msg)


# Computes functions of a benchmark in the process of the test.
#
# A function, such as `stock_at`, is written in Python and reads the environment by an object, the
# `harness`:
#
#     def length(harness, path):
#         (result,) = harness.side_by_side([("read", {"path": path})])
#         return FunctionResult(len(result["content"]))
#
# In a run, a child process computes it, and its calls go to the parent process, which has the
# environment. Here both are the same process, and the calls are made directly.


class InProcessFunctions:
    """Computes the functions that a trial's scripts call, in place of the child process.

    The trial's recorder makes and records the calls of the functions, as in a run.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def compute(
        self, function: str, arguments: Mapping[str, Plain], known: Sequence[Any] = ()
    ) -> dict[str, Any]:
        """Return the result of a function: `{"value": 7, "refs": [], "notes": []}`.

        `known` are calls that the trial has already made, with their results. The function need
        not make them again.
        """
        make_inner_calls = self._recorder.calls.make_all
        return compute(
            function,
            arguments,
            tool_schema=self._recorder.tool_schema,
            call_all=make_inner_calls,
            calls_before=known,
        )


def with_functions_in_process(recorder: Recorder) -> Recorder:
    """Let a trial's recorder compute functions in this process. Return this recorder."""
    recorder.calls.function_runner = InProcessFunctions(
        recorder
    )  # In a run: a sandbox.
    return recorder


# A model whose replies are a list.
#
#     model = ModelWithReplies(["first", "second"])
#     model.reply_to(request).text     # "first"
#
# It notes the requests, and fails when there are no more replies.


@dataclass
class ModelWithReplies(Model):
    """A model that gives its replies in order, and fails when there are no more.

    A text is the reply's text, JSON or not; a `ModelError` is raised.
    """

    replies: Sequence[str | Reply | ModelError]
    name: str = "list"
    requests: list[list[Message]] = field(default_factory=list)
    """The messages of each request, with role and content only."""
    temperatures: list[float | None] = field(default_factory=list)
    """The `min_temperature` of each request: the temperature must be at least so high."""

    def reply_to(self, request: ModelRequest) -> Reply:
        turn = len(self.requests)
        self.temperatures.append(request.min_temperature)
        messages: list[Message] = []
        for message in request.messages:
            messages.append(Message(role=message["role"], content=message["content"]))
        self.requests.append(messages)

        if turn >= len(self.replies):
            raise ModelError("no more replies", retryable=False)
        reply = self.replies[turn]
        if isinstance(reply, ModelError):
            raise reply
        if isinstance(reply, str):
            return Reply(text=reply)
        return reply


# Results of functions that an environment declares, such as `staff_with_role` of a shop.
#
#     function_result(shop, "staff_with_role", role="clerk")
#     # {"value": 3, "refs": [{"path": "/proc/staff/emp-4.json", ...}, ...], "notes": []}
#
# In a run, a child process computes a function, and its parent makes the calls by which the function
# reads the environment. Here both are the process of the test.


def function_result(
    environment: Environment, function: str, **arguments: Plain
) -> dict[str, Any]:
    """Return the result of a function. Raises `CallError` if the function declines.

    `function_result(shop, "staff_with_role", role="clerk")` -> `{"value": 3, "refs": [...], ...}`
    """
    return counted_function_result(environment, function, **arguments).result


@dataclass
class CountedResult:
    """The result of a function, and how many calls of the environment it made."""

    result: dict[str, Any]
    call_count: int


def counted_function_result(
    environment: Environment, function: str, **arguments: Plain
) -> CountedResult:
    """Return the result of a function and the number of its calls, such as `read`.

    `counted_function_result(shop, "staff_with_role", role="clerk").call_count` -> 4. Raises
    `CallError` if the function declines.
    """
    declaration = environment.tool_schema.operation(function)
    assert declaration is not None
    calls_made: list[Call] = []

    def make_calls(calls: Sequence[Call]) -> list[Outcome]:
        calls_made.extend(calls)
        return [outcome_of(environment, call) for call in calls]

    result = compute(
        declaration.finds, arguments, environment.tool_schema, call_all=make_calls
    )
    return CountedResult(result, len(calls_made))


def outcome_of(environment: Environment, call: Call) -> Outcome:
    """Make a call, and return its result, or the error with which it failed.

    `outcome_of(shop, ("read", {"path": "/a.md"}))` -> `{"path": "/a.md", "content": "a", ...}`
    """
    operation, arguments = call
    try:
        return plain_result(
            operation, partial(environment.call, operation, dict(arguments))
        )
    except CallError as error:
        return error


FIXED_NOW = datetime(2031, 5, 4, 9, 30, tzinfo=UTC)
"""The time of trials whose environment has no clock."""


def step_reply(code: str, state: str = "working") -> str:
    """Return the text of a reply that asks the agent to run the script `code`.

    `state` is the model's note on how far it is. An empty `plan` and `done` of False say that it
    has no plan, and expects a further step.
    """
    return json.dumps({"state": state, "plan": [], "done": False, "code": code})


@dataclass
class SolvedTrial:
    """How a trial ended, and what happened in it."""

    reason: str
    """Why the trial has no answer; empty if it has one."""
    events: list[TrialEvent]
    model: ModelWithReplies
    session: TrialSession

    @property
    def steps(self) -> list[StepDone]:
        """Return the steps: each is a reply of the model, and what its script did."""
        return [event for event in self.events if isinstance(event, StepDone)]


def solve_trial(
    benchmark: Benchmark,
    trial_id: str,
    replies: Sequence[str | Reply | ModelError],
    server: ForkServer,
    *,
    trial_limits: TrialLimits = DEFAULT_LIMITS,
    limits: Limits | None = None,
    record: TrialRecord | None = None,
    events: list[TrialEvent] | None = None,
) -> SolvedTrial:
    """Start a trial of `benchmark`, and solve it with a model that gives these replies.

    `server` forks the sandboxes, and `limits` are those of a script. `record` has the calls of an
    earlier, stopped attempt at the trial: they are not made again, and have the recorded results.
    The events of the trial are added to `events`, also if the trial raises an error.
    """
    trial = benchmark.start_trial(trial_id)
    if events is None:
        events = []
    model = ModelWithReplies(replies)
    settings = LoopSettings(limits=limits or Limits())
    context = TrialContext(
        trial_id,
        trial.task_id,
        trial.instruction,
        trial.environment.now() or FIXED_NOW,
        limits=trial_limits,
    )
    tape = Tape(record or TrialRecord())
    recorder = new_recorder(trial_id, trial.environment, events.append, tape=tape)
    session = TrialSession(
        context, with_functions_in_process(recorder), ample_budget(patience_s=2.0)
    )

    reason = CitedLoop(model, server, settings).solve(session)

    return SolvedTrial(reason, events, model, session)
