"""An OpenAI-compatible model that completes the embedded benchmark's tasks with what the toolkit finds, for any solver.

To a solver that offers tools it replies with their calls, to one that wants scripts with a script of the same calls. It
knows a trial by its instruction and its clock, and a classifier's, parser's, reviewer's and formatter's requests by
their schemas: flags are right, texts stay as they are.
"""

from __future__ import annotations

import json
import re
import socket
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agent.model import Message, ModelError, Reply, Tool
from benchmarks.ecom.identifiers import TrialId
from benchmarks.ecom.tasks.posing import pose_task
from benchmarks.ecom.world.profiles import PLAYED
from tests.support.endpoints import Asked, completion, response
from tests.support.finding_truths import CALLS
from tests.support.honest_faults import fault_of, formatted
from tests.support.shop_classifier import BLOCK, reply_of, right_flags
from tests.support.shop_findings import Call
from tests.support.shop_players import FindingModel, parsed

SCRIPT = """import json

def name_of(value):
    for field in ("sku", "id", "name"):
        if isinstance(value, dict) and field in value:
            return str(value[field])
    return "" if isinstance(value, dict) else str(value)

found = []
{calls}
message, outcome = "That is not possible here.", "OUTCOME_NONE_UNSUPPORTED"
if found:
    value = json.loads(json.dumps(found[-1].value))
    message, outcome = str(value), "OUTCOME_OK"
    if isinstance(value, dict):
        message = str(value.get("answer", value.get("total", json.dumps(value))))
    if isinstance(value, list):
        names = [name_of(each) for each in value]
        message = names[0] if len(names) == 1 else "Which one do you mean: " + " or ".join(names) + "?"
        outcome = "OUTCOME_OK" if len(names) == 1 else "OUTCOME_NONE_CLARIFICATION"
scratchpad["answer"], scratchpad["outcome"] = message, outcome
def verify(sp):
    return sp["answer"] == message
harness.answer(scratchpad, verify)
"""
"""What `answer_of` does, as a script."""
CLOCK = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@dataclass(frozen=True)
class Known:
    """A trial: what serves it, and what a right classifier says of it."""

    family: str
    calls: Sequence[Call]
    flags: str
    clock: str
    fault: str = ""
    """What a model with faults does wrong."""


def known_trials(tasks: Sequence[str], repeats: int, seed: int, names: str) -> dict[str, list[Known]]:
    """Return by instruction the trials that a run plays."""
    found: dict[str, list[Known]] = defaultdict(list)
    settings = replace(PLAYED, names=names)
    for task_id in tasks:
        family = task_id.rpartition(".")[0]
        for repeat in range(repeats):
            task = pose_task(task_id, TrialId(task_id, repeat, seed, settings.profile, "t").world_seed, settings)
            is_staff = not {"customer", "guest"} & set(task.world.roles)
            said = reply_of(right_flags(family, task.truth, asker_is_staff=is_staff))
            calls = list(CALLS[family](task)) if family in CALLS and BLOCK not in task.truth.message else []
            clock = task.world.clock.strftime("%Y-%m-%dT%H:%M:%SZ")
            found[task.instruction.strip()].append(Known(family, calls, said, clock, fault_of(task.instruction)))
    return found


class FindingEndpoint:
    """Answers requests for chat completions."""

    def __init__(self, known: Mapping[str, list[Known]], *, with_faults: bool = False) -> None:
        """`with_faults` has completions by native calls make the fault that falls to the trial."""
        self._known = known
        self._with_faults = with_faults

    def __call__(self, asked: Asked, connection: socket.socket) -> bytes:
        body: dict[str, Any] = asked.body
        messages: list[dict[str, Any]] = body["messages"]
        text = "\n".join(str(each.get("content") or "") for each in messages)
        tools = [each["function"] for each in body.get("tools", ())]
        fields = _schema_fields(body)
        trial = self._trial(text)
        if "override" in fields:
            return _said(trial.flags)
        if "message" in fields:
            return _said(formatted(text))
        if "must" in fields or "paid" in fields:
            return _said("{}")
        if any(each["name"] == "report_completion" for each in tools):
            return _called(trial, messages, tools, fault=trial.fault if self._with_faults else "")
        code = SCRIPT.format(calls="\n".join(_call_lines(trial.calls)))
        action = json.dumps({"state": "answer", "plan": [], "done": True, "code": code})
        is_tool = any(each["name"] == "execute_script" for each in tools)
        return response(200, completion(None, tool=action) if is_tool else completion(action))

    def _trial(self, text: str) -> Known:
        """Return the trial whose instruction and clock a request shows; of none, one that nothing serves."""
        instruction = max((each for each in self._known if each in text), key=len, default="")
        fitting = self._known.get(instruction, [])
        shown = set(CLOCK.findall(text))
        return next((each for each in fitting if each.clock in shown), fitting[0] if fitting else Known("", (), "", ""))


def _schema_fields(body: Mapping[str, Any]) -> set[str]:
    wanted = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
    return set(wanted.get("properties", ()))


def _said(text: str) -> bytes:
    return response(200, completion(text))


def _called(
    trial: Known, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]], *, fault: str
) -> bytes:
    """Return the reply of the model that completes with what was found; behind its last turn it says the same again."""
    model = FindingModel(trial.calls, trial.flags, trial.family, fault=fault)
    offered = [Tool(name=each["name"], description="", parameters=each["parameters"]) for each in tools]
    said = [Message(role=each["role"], content=str(each.get("content") or "")) for each in messages]
    opened = next(at for at, each in enumerate(said) if each["role"] == "user")
    try:
        reply = model.complete(said, tools=offered)
    except ModelError:
        ends = [at for at, each in enumerate(said) if at > opened and each["role"] == "assistant"]
        reply = model.complete(said[: ends[1]], tools=offered)
    return response(200, _with_calls(reply))


def _with_calls(reply: Reply) -> str:
    calls = [
        {"id": each.id, "type": "function", "function": {"name": each.name, "arguments": each.arguments}}
        for each in reply.tool_calls
    ]
    document = parsed(completion(reply.text))
    document["choices"][0]["message"]["tool_calls"] = calls
    return json.dumps(document)


def _call_lines(calls: Sequence[Call]) -> Iterator[str]:
    for each in calls:
        given = ", ".join(f"{name}={value!r}" for name, value in each.arguments.items())
        yield f"found.append(harness.tools.{each.function}({given}))\nscratchpad.cite_all(found[-1])"
