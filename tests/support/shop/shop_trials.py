"""Trials of the solver `exoskeleton` in the embedded shop, with a model that knows the right calls.

    task, _ = task_and_environment("stock-count", seed=3)
    trial = play_shop_trial("stock-count", task, key="t1")
    assert trial.score == 1.0

The model plays two roles: as classifier it tells what kind of request a task is, and as main model
it calls the functions that serve the task and completes the trial with what they returned.
"""

import contextlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.exoskeleton import Exoskeleton, Part
from controlplane.agent.loop import LoopSettings, TrialContext, TrialSession
from controlplane.agent.model import (
    Message,
    Model,
    ModelError,
    ModelRequest,
    ModelTool,
    Reply,
    ToolCall,
)
from controlplane.agent.trial_gates import GateSettings
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import WorldTask
from controlplane.benchmarks.ecom.world.world import workspace_of
from controlplane.benchmarks.shop.shop_schema import shop_bindings
from tests.support.run_budgets import ample_budget
from tests.support.shop.calls.family_calls import right_calls
from tests.support.shop.calls.true_calls import TrueCall
from tests.support.shop.model_faults import (
    PlayedTrial,
    closing_check,
    fault_of,
    formatter_reply,
    why_sent_back,
    with_fault,
)
from tests.support.shop.request_flags import reply_with_flags, right_flags
from tests.support.single_trial import with_functions_in_process

# Answers that follow from the results of functions.
#
# `answer_of([{"value": 4, "refs": []}])` is `("4", "OUTCOME_OK")`.


def answer_of(results: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return the message and the outcome that follow from the last function's result, by its value.

    - 3 -> "3"
    - `[{"sku": "LMP-1", ...}]` -> "LMP-1"; with a second item, the asker is asked which is meant
    - `{"answer": "yes", ...}` -> "yes"; `{"total": 4, ...}` -> "4"; otherwise all of it, as JSON

    Without a result the request is unsupported.
    """
    if not results:
        return "That is not possible here.", "OUTCOME_NONE_UNSUPPORTED"
    value = results[-1]["value"]
    if isinstance(value, list):
        names = [name_of(item) for item in value]
        if len(names) == 1:
            return names[0], "OUTCOME_OK"
        question = f"Which one do you mean: {' or '.join(names)}?"
        return question, "OUTCOME_NONE_CLARIFICATION"
    if isinstance(value, dict):
        for key in ("answer", "total"):
            if key in value:
                return str(value[key]), "OUTCOME_OK"
        return json.dumps(value), "OUTCOME_OK"
    return str(value), "OUTCOME_OK"


def name_of(item: Any) -> str:
    """Return the code, id or name of a record; for anything but a record, its text."""
    if not isinstance(item, dict):
        return str(item)
    for key in ("sku", "id", "name"):
        if key in item:
            return str(item[key])
    return ""


# What the messages of a request to a model hold: replies, results of functions, and paths.
#
# A message is a dictionary such as `{"role": "tool", "content": "{"value": 3, "refs": []}"}`.


def from_first_user_message(messages: Sequence[Message]) -> Sequence[Message]:
    """Return the trial's own messages: the instruction, and all that follows it.

    Before the instruction stand messages of the system, which may show examples.
    """
    for index, message in enumerate(messages):
        if message["role"] == "user":
            return messages[index:]
    msg = "the request has no message of the user"
    raise AssertionError(msg)


def count_of_replies(messages: Sequence[Message]) -> int:
    """Return how many messages are the model's. It is the number of its next turn, from 0."""
    count = 0
    for message in messages:
        if message["role"] == "assistant":
            count += 1
    return count


def function_results(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return the results of functions, such as `{"value": 3, "refs": [{"path": "/a.md"}]}`.

    The results of other tools, such as the texts of files, have no `refs`.
    """
    results: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] == "tool":
            result = parsed(message["content"])
            if "refs" in result:
                results.append(result)
    return results


def parsed(text: str) -> dict[str, Any]:
    """Return the JSON object that a text is; empty if it is anything else."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


DOCUMENT_OR_RECORD = re.compile(r"/(?:docs|proc)/[\w./-]+\.(?:md|json)")
"""Finds the path of a document or record, such as `/proc/carts/b-1.json`."""


def paths_in(messages: Sequence[Message]) -> list[str]:
    """Return the paths of documents and records that messages show, in their order."""
    paths: list[str] = []
    for message in messages:
        paths += DOCUMENT_OR_RECORD.findall(message["content"])
    return paths


def text_of(messages: Sequence[Message], tools: Sequence[ModelTool]) -> str:
    """Return what a request holds as one text, tools first."""
    parts: list[str] = []
    for tool in tools:
        parts.append(f"{tool.name} {tool.description} {json.dumps(tool.parameters)}")
    for message in messages:
        parts.append(message["role"])
        for call in message.get("tool_calls", ()):
            parts.append(f"{call.name} {call.arguments}")
        parts.append(message["content"])
    return "\n".join(parts)


# The call that ends a trial: an answer that follows from the results of functions.
#
# A result such as `{"value": 4, "refs": [{"path": "/proc/a/b.json"}]}` leads to the call
# `report_completion` with the message "4" and this record as its citation.

TASK_TYPES = {
    "archive-fraud": "fraud",
    "stock-count": "stock_count",
    "stock-answer": "stock_lookup",
    "receipt-reprice": "receipt_price",
}
"""The type of task that a completion names, by family; "other" for all other families."""


def completion(
    family: str,
    results: Sequence[Mapping[str, Any]],
    messages: Sequence[Message],
    fault: str,
) -> ToolCall:
    """Return the call that ends a trial with what the functions returned, or with this fault.

    `messages` are those of the trial so far: a fault may cite a file that they name.
    """
    message, outcome = answer_of(results)
    cited_records: list[Any] = []
    for result in results:
        cited_records += result.get("refs", ())
    arguments = {
        "message": message,
        "outcome": outcome,
        "task_type": TASK_TYPES.get(family, "other"),
        "records": cited_records,
    }
    arguments = with_fault(arguments, fault, seen_paths=paths_in(messages))
    return ToolCall(name="report_completion", arguments=json.dumps(arguments), id="end")


# The calls of one turn of a stand-in for a model: of functions, or of the tool that reads files.
#
# In its first turn the model calls the functions that serve the task. Between the first and the last
# it reads the files that their results cite, three in each turn.


def function_calls(
    calls: Sequence[TrueCall], tools: Sequence[ModelTool]
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


# The turns of a stand-in for the main model, which knows the right calls for one task of the shop.
#
# For "How many lamps are in Bergen?", with 3 turns:
#
# turn 0    it calls the function `stock_at`
# turn 1    it reads files that the function's result cites
# turn 2    it calls `report_completion` with the function's value, "4", as message


@dataclass
class SolvingTurns:
    """What the main model calls in each of its turns."""

    right_calls: Sequence[TrueCall]
    """The calls of functions for the task."""
    family: str
    """The kind of the task, such as `stock-count`."""
    fault: str
    """What is wrong with the completion, one of `FAULTS` in `model_faults.py`; "" for nothing."""
    number: int
    """How many turns there are. The first calls functions, the last completes, the others read."""
    requests: list[str] = field(default_factory=list)
    """The requests so far, tools included, each as one text."""

    def next_calls(self, request: ModelRequest) -> tuple[ToolCall, ...]:
        """Return the calls of the turn that a request asks for.

        The request has all earlier replies, so that their count is the number of the turn. Raises
        `ModelError` after the last turn.
        """
        messages = request.messages
        trial_messages = from_first_user_message(messages)
        turn = count_of_replies(trial_messages)
        if turn >= self.number:
            raise ModelError(f"there is no turn {turn}", retryable=False)

        self.requests.append(text_of(messages, request.tools))
        if turn == 0:
            first_calls = function_calls(self.right_calls, request.tools)
            # If no function serves the task, turn 0 reads nothing, or completes if it is the last.
            if first_calls:
                return first_calls

        results = function_results(trial_messages)
        if turn < self.number - 1:
            return reading_calls(results, turn, messages)
        return (completion(self.family, results, messages, self.fault),)


# A stand-in for the language model, which knows the right calls for one task of the shop.
#
# For "How many lamps are in Bergen?":
#
# 1. in the role `classify` it replies `{"checkout": false, ...}`, as the request buys nothing
# 2. in the role `solve` it calls functions, and at last `report_completion` with "4" as message
# 3. in the role `format` it mends the form of this message


@dataclass
class RightCallsModel(Model):
    """A model that makes the right calls for one task; `play_shop_trial` gives it to a solver."""

    turns: SolvingTurns
    """What it calls in the role `solve`."""
    classifier_reply: str
    """What it replies in the role `classify`; empty if it is to fail there."""
    main_model_fails: bool = False
    """True if it is to fail in the role `solve`. Then the solver answers only what its own checks, which
    come before this role, can answer."""
    name: str = "finding"
    """What a journal calls the model."""

    def reply_to(self, request: ModelRequest) -> Reply:
        """Reply in the role that the request names. Raises `ModelError` if the role is to fail."""
        role = request.role
        if role == "classify" and self.classifier_reply:
            return Reply(text=self.classifier_reply)
        if role == "solve" and not self.main_model_fails:
            return Reply(text="", tool_calls=self.turns.next_calls(request))
        # The solver keeps a message if the role `format` fails. Only a faulty one has to be mended.
        if role == "format" and self.turns.fault:
            return Reply(text=formatter_reply(request.messages[-1]["content"]))
        raise ModelError(f"nobody plays {role}", retryable=False)


# The session in which a solver works on a task of the embedded shop, and who asks there.
#
#     session = open_session("stock-count", task, "t1", environment, events)
#     Exoskeleton(model, ...).solve(session)
#
# What happens in the trial `t1` is added to `events`.


def open_session(
    family: str,
    task: WorldTask,
    key: str,
    environment: EcomEnvironment,
    events: list[Any],
) -> TrialSession:
    """Return the session in which a solver works on the task; its events are added to `events`."""
    recorder = new_recorder(key, environment, events.append, tape=Tape())
    now = environment.now()
    assert now
    context = TrialContext(
        trial_id=key, task_id=family, instruction=task.instruction, now=now
    )
    return TrialSession(
        context,
        with_functions_in_process(recorder),
        ample_budget(),
        GateSettings(rule_sets=("ecom",)),
    )


def asker_is_staff(environment: EcomEnvironment) -> bool:
    """Return True if the user for whom the agent works is an employee of the shop."""
    arguments = {"path": "/bin/id", "args": [], "stdin": ""}
    identity = str(environment.call("exec", arguments)["stdout"])
    return "customer" not in identity and "guest" not in identity


def play_shop_trial(
    family: str,
    task: WorldTask,
    key: str,
    *,
    classifier: str = "right",
    parts: frozenset[str] = frozenset(Part),
    main_model_fails: bool = False,
    turns: int = 2,
    with_faults: bool = False,
) -> PlayedTrial:
    """Play one trial, with the id `key` and those `parts` of the solver, and grade its answer.

    1. The `classifier`, a model, says what the request wants. It is "right", or "mute": it fails.
    2. The *preflight*, a part of the solver, may answer by its checks: it refuses a guest who asks
       for an employee's e-mail address.
    3. If it does not, the main model works for `turns` turns and answers, unless
       `main_model_fails`. `with_faults`, it makes the mistake that `fault_of` chooses.
    """
    environment = EcomEnvironment(workspace_of(task.world))
    classifier_reply = ""
    if classifier == "right":
        flags = right_flags(family, task.truth, asker_is_staff(environment))
        classifier_reply = reply_with_flags(flags)
    solving_turns = SolvingTurns(
        right_calls=right_calls(family, task),
        family=family,
        fault=fault_of(task.instruction) if with_faults else "",
        number=turns,
    )
    model = RightCallsModel(
        turns=solving_turns,
        classifier_reply=classifier_reply,
        main_model_fails=main_model_fails,
    )
    settings = LoopSettings()
    if main_model_fails:
        # No main model reads the initial prompt, so that none is made.
        settings = LoopSettings(initial_prompt_chars=0)
    solver = Exoskeleton(model, settings, bindings=shop_bindings(), parts=parts)
    events: list[Any] = []
    session = open_session(family, task, key, environment, events)

    with contextlib.suppress(ModelError):
        solver.solve(session)

    steps = [event for event in events if event.type == "step"]
    result = grade(task.truth, environment)
    return PlayedTrial(
        family=family,
        instruction=task.instruction,
        truth=task.truth.outcome,
        closed_by=closing_check(steps),
        score=result.score if session.is_over else 0.0,
        details=result.details,
        sent_back=why_sent_back(steps),
        has_change_without_answer=bool(environment.changes) and not session.is_over,
        steps=len(steps),
        requests=solving_turns.requests,
    )
