"""Scripted models of the second solver in the embedded shop: a classifier,
and a main model that only completes with what functions found."""

import contextlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from controlplane.agent.evidence import Recorder
from controlplane.agent.exoskeleton import Exoskeleton, Part
from controlplane.agent.loop import (
    LoopSettings,
    TrialContext,
    new_session,
)
from controlplane.agent.model import (
    Message,
    Model,
    ModelError,
    ModelRequest,
    Reply,
    Tool,
    ToolCall,
)
from controlplane.agent.submission import GateSettings
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import Task, Truth
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.shop.bindings import shop_bindings
from controlplane.benchmarks.shop.preflight import Intent
from tests.support.exoskeleton_trials import fault_of, formatted, with_fault
from tests.support.function_truths import CALLS, Call
from tests.support.functions_here import with_functions

NAMES = {field.name: field.type for field in fields(Intent)}
DEFAULTS = {name: "" if kind == "str" else False for name, kind in NAMES.items()}
BASKET = re.compile(r"\b[a-z]+[-_]\d+\b")
FOLDER = re.compile(r"/tmp/[\w./-]*\w")
PERSON = re.compile(r"\b([A-Z]\w+ [A-Z]\w+)\b")
CHECKOUT = re.compile(r"check ?-?out|buy|finish|complete|go ahead|submit", re.I)
BLOCK = "a block that poses"


def right_flags(family: str, truth: Truth, asker_is_staff: bool) -> dict[str, Any]:
    """Return what a classifier without a fault says of a task."""
    text = truth.instruction
    said: dict[str, Any] = dict(DEFAULTS)
    basket = next(
        (word for word in BASKET.findall(text) if word.startswith(("basket", "cart"))),
        "",
    )
    if BLOCK in truth.message:
        said["override"] = True
    elif family in ("basket-checkout", "foreign-basket", "unnamed-basket"):
        said |= {"checkout": bool(CHECKOUT.search(text)), "basket_id": basket}
    elif family == "basket-addition":
        said |= {"file_change": True, "selector": "newest"}
    elif family.startswith("discount"):
        said |= {"discount": True, "basket_id": basket}
        promised = not asker_is_staff and re.search("promis|approv|agree|said", text)
        said |= {
            "claims_approval": bool(promised),
            "approver": (PERSON.findall(text) or [""])[0] if promised else "",
        }
    elif family == "staff-contact":
        said |= {"contact": True, "contact_person": (PERSON.findall(text) or [""])[0]}
    elif family == "temporary-files":
        said |= {"file_change": True, "tmp_path": FOLDER.findall(text)[0]}
    elif family in ("inventory-export", "crosslist"):
        said["file_change"] = True
    return said


def reply_of(said: Mapping[str, Any]) -> str:
    """Return flags as the classifier replies them."""
    return json.dumps(said)


FILE = re.compile(r"/(?:docs|proc)/[\w./-]+\.(?:md|json)")
KINDS = {
    "archive-fraud": "fraud",
    "stock-count": "stock_count",
    "stock-answer": "stock_lookup",
    "receipt-reprice": "receipt_price",
}


@dataclass
class ResultModel(Model):
    """Calls the functions that serve a task in its first turn,
    and completes with what they found in its second."""

    calls: Sequence[Call]
    said: str
    family: str = ""
    only_classifies: bool = False
    """It fails as the main model: what the first step leaves open stays open."""
    fault: str = ""
    """Of `tests.support.exoskeleton_trials`: what is wrong with its completions."""
    turns: int = 2
    """Beyond two, it reads three of the cited files in each turn between."""
    requests: list[str] = field(default_factory=list)
    """The requests to the main model, tools included, as text."""
    name: str = "finding"

    def reply_to(self, request: ModelRequest) -> Reply:
        role, messages, tools = request.role, request.messages, request.tools
        if role == "classify" and self.said:
            return Reply(text=self.said)
        if role == "format" and self.fault:
            return Reply(text=formatted(messages[-1]["content"]))
        opened = next(at for at, each in enumerate(messages) if each["role"] == "user")
        turn = sum(message["role"] == "assistant" for message in messages[opened:])
        if role != "solve" or turn >= self.turns or self.only_classifies:
            msg = f"nobody plays {role} in turn {turn}"
            raise ModelError(msg, retryable=False)
        self.requests.append(text_of(messages, tools))
        offered = {tool.name for tool in tools}
        wanted = [call for call in self.calls if call.function in offered]
        if turn == 0 and wanted:
            made = [
                ToolCall(
                    name=each.function, arguments=json.dumps(each.arguments), id=f"{at}"
                )
                for at, each in enumerate(wanted)
            ]
            return Reply(text="", tool_calls=tuple(made))
        found = [
            each
            for one in messages[opened:]
            if one["role"] == "tool" and "refs" in (each := parsed(one["content"]))
        ]
        if turn < self.turns - 1:
            return Reply(text="", tool_calls=tuple(self._reads(found, turn, messages)))
        message, outcome = answer_of(found)
        given = {
            "message": message,
            "outcome": outcome,
            "task_type": KINDS.get(self.family, "other"),
            "records": [ref for reply in found for ref in reply.get("refs", ())],
        }
        shown = [path for reply in messages for path in FILE.findall(reply["content"])]
        given = with_fault(given, self.fault, shown)
        return Reply(
            text="",
            tool_calls=(
                ToolCall(
                    name="report_completion", arguments=json.dumps(given), id="end"
                ),
            ),
        )

    def _reads(
        self, found: Sequence[Mapping[str, Any]], turn: int, messages: Sequence[Message]
    ) -> Iterator[ToolCall]:
        """Yield three calls that read what was cited,
        then documents and records that the opening names."""
        cited = [ref["path"].partition("#")[0] for one in found for ref in one["refs"]]
        shown = [
            path for message in messages for path in FILE.findall(message["content"])
        ]
        paths = list(dict.fromkeys([*cited, *shown]))
        for at, path in enumerate(paths[(turn - 1) * 3 :][:3]):
            yield ToolCall(
                name="read",
                arguments=json.dumps({"path": path}),
                id=f"read_{turn}_{at}",
            )


def text_of(messages: Sequence[Message], tools: Sequence[Tool]) -> str:
    """Return what a request holds as one text, tools first."""
    parts = [
        f"{tool.name} {tool.description} {json.dumps(tool.parameters)}"
        for tool in tools
    ]
    for message in messages:
        made = [
            f"{call.name} {call.arguments}" for call in message.get("tool_calls", ())
        ]
        parts += [message["role"], *made, message["content"]]
    return "\n".join(parts)


def parsed(text: str) -> dict[str, Any]:
    with contextlib.suppress(ValueError):
        value = json.loads(text)
        return value if isinstance(value, dict) else {}
    return {}


def answer_of(found: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return message and outcome of what functions found;
    nothing found is said to be unsupported."""
    if not found:
        return "That is not possible here.", "OUTCOME_NONE_UNSUPPORTED"
    value = found[-1]["value"]
    if isinstance(value, list):
        names = [name_of(item) for item in value]
        if len(names) == 1:
            return names[0], "OUTCOME_OK"
        return (
            f"Which one do you mean: {' or '.join(names)}?",
            "OUTCOME_NONE_CLARIFICATION",
        )
    if isinstance(value, dict):
        return str(
            value.get("answer", value.get("total", json.dumps(value)))
        ), "OUTCOME_OK"
    return str(value), "OUTCOME_OK"


def name_of(value: Any) -> str:
    """Return what one of several found things is called."""
    fields = ("sku", "id", "name")
    return (
        str(next((value[field] for field in fields if field in value), ""))
        if isinstance(value, dict)
        else str(value)
    )


@dataclass
class Played:
    """One trial: what closed it before the model, its score, and what was wrong."""

    family: str
    instruction: str
    truth: str
    closed_by: str
    score: float
    details: tuple[str, ...]
    sent_back: str
    is_changed: bool
    steps: int
    requests: Sequence[str] = ()
    """The requests to the main model, as text."""


def play(
    family: str,
    task: Task,
    key: str,
    *,
    classifier: str = "right",
    parts: frozenset[str] = frozenset(Part),
    first_step_alone: bool = False,
    turns: int = 2,
    with_faults: bool = False,
) -> Played:
    """Play one trial through the gates, with the classifier right or mute.

    `with_faults` has the main model make the fault that falls to the trial.

    With `first_step_alone` nothing comes behind
    the preflight, and the initial prompt shows nothing.
    """
    environment = EcomEnvironment(workspace_of(task.world))
    events: list[Any] = []
    recorder = with_functions(Recorder(key, environment, events.append))
    asker = environment.call("exec", {"path": "/bin/id", "args": [], "stdin": ""})[
        "stdout"
    ]
    said = right_flags(
        family,
        task.truth,
        asker_is_staff="customer" not in str(asker) and "guest" not in str(asker),
    )
    # What a hostile block stands behind is to be refused: nothing is looked for.
    calls = (
        list(CALLS[family](task))
        if family in CALLS and BLOCK not in task.truth.message
        else []
    )
    said_text = "" if classifier == "mute" else reply_of(said)
    fault = fault_of(task.instruction) if with_faults else ""
    model = ResultModel(calls, said_text, family, first_step_alone, fault, turns)
    settings = (
        LoopSettings(initial_prompt_chars=0) if first_step_alone else LoopSettings()
    )
    now = environment.now()
    assert now
    session = new_session(
        TrialContext(key, family, task.instruction, now),
        recorder,
        GateSettings(rule_sets=("ecom",)),
    )
    with contextlib.suppress(ModelError):
        Exoskeleton(model, settings, bindings=shop_bindings(), parts=parts).solve(
            session
        )
    done = [event for event in events if event.type == "step"]
    first = done[0] if done else None
    is_closed = first is not None and any(
        verdict.accepted for verdict in first.verdicts
    )
    result = grade(task.truth, environment)
    return Played(
        family,
        task.instruction,
        task.truth.outcome,
        first.state.removeprefix("answered by ")
        if first is not None and is_closed
        else "",
        result.score if session.is_over else 0.0,
        result.details,
        ""
        if is_closed
        else "; ".join(
            verdict.message[:200] for step in done for verdict in step.verdicts
        ),
        bool(environment.changes) and not session.is_over,
        len(done),
        model.requests,
    )
