"""The solution of each family that scores 1.0:
a function of a client and the truth, which returns the answer.

A client makes the same calls on an environment as a script. A solution reads the files
that it cites, makes the changes of the truth and gives its message. Whether a truth
follows from the files is what `function_truths` compares.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from controlplane.agent.evidence import Environment
from controlplane.benchmarks.ecom.record_names import RecordNames, record_text
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.archive import FraudMeasure
from controlplane.benchmarks.ecom.tasks.dispatch_measure import DispatchMeasure
from controlplane.benchmarks.ecom.tasks.dispatch_waves import Plan
from controlplane.benchmarks.ecom.tasks.families import (
    FAMILIES,
    TaskChoices,
    choices_for,
    generate_chosen,
    generate_task,
)
from controlplane.benchmarks.ecom.tasks.truth import Task, Truth
from controlplane.benchmarks.ecom.trial_ids import TrialId
from controlplane.benchmarks.ecom.workspace import Workspace
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import DEFAULTS, PLAYED, WorldSettings
from controlplane.sandbox.interface import ExecutableKind, Plain

TIMED_OUT: Final = 124
"""The exit code of a tool that may be called again."""
TRIES: Final = 2


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with a natural reason for each reference, so that gates can judge it too."""

    message: str
    outcome: str
    citations: Mapping[str, str]
    """The reason of each path; it names something in the file."""
    tokens: tuple[str, ...] = ()
    """Strings that the message declares to hold."""
    changes: tuple[tuple[str, str], ...] = ()
    """Path and action (`write`, `delete`, `execute`) of each change made."""

    @property
    def refs(self) -> tuple[str, ...]:
        """The cited paths."""
        return tuple(self.citations)


class ReferenceClient:
    """Makes calls on an environment.

    In a dry run it skips every change, while the answer still claims it.
    """

    def __init__(
        self, environment: Environment, names: RecordNames, *, is_dry_run: bool = False
    ) -> None:
        self.environment = environment
        self.names = names
        self.is_dry_run = is_dry_run
        self.changes: list[tuple[str, str]] = []
        self._seen: dict[str, str] = {}

    def read(self, path: str) -> str:
        """Return the text of a file."""
        text, truncated = "", True
        while truncated:
            arguments: dict[str, Plain] = (
                {"path": path, "start_line": text.count("\n") + 1}
                if text
                else {"path": path}
            )
            part = self.environment.call("read", arguments)
            text, truncated = (
                text + str(part["content"]),
                part.get("truncated", False) is True,
            )
        self._seen[path] = " ".join(text.split())[:160]
        return text

    def record(self, path: str) -> dict[str, Plain]:
        """Return a record's data by the names of the code."""
        data = json.loads(self.read(path))
        if not isinstance(data, dict):
            msg = f"{path} holds no JSON object"
            raise TypeError(msg)
        return self.names.in_code_names(data)

    def save(self, path: str, data: Mapping[str, Plain]) -> None:
        """Write a record's file."""
        self.write(path, record_text(self.names.in_shown_names(data)))

    def run(self, tool: str, *arguments: str) -> str:
        """Run a tool and return its output. A dry run skips a tool that makes changes."""
        path = f"/bin/{tool}"
        if self.environment.tool_schema.executable_kind(path) is ExecutableKind.CHANGES:
            self.changes.append((path, "execute"))
            if self.is_dry_run:
                return ""
        for _ in range(TRIES):
            result = self.environment.call(
                "exec", {"path": path, "args": list(arguments)}
            )
            if result["exit_code"] != TIMED_OUT:
                break
        return str(result["stdout"])

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        self.changes.append((path, "write"))
        if not self.is_dry_run:
            self.environment.call("write", {"path": path, "content": text})

    def delete(self, path: str) -> None:
        """Delete a file."""
        self.changes.append((path, "delete"))
        if not self.is_dry_run:
            self.environment.call("delete", {"path": path})

    def read_cited(self, truth: Truth) -> None:
        """Read the files that an answer cites, so that they may
        be cited, unless they were read or changed before."""
        for path in cited_by(truth):
            if path not in self._seen and path not in [
                changed for changed, _ in self.changes
            ]:
                self.read(path)

    def answer(self, truth: Truth, message: str, *, outcome: str = "") -> Answer:
        """Return the answer with all references of the truth, after reading them."""
        self.read_cited(truth)
        return Answer(
            message=message,
            outcome=outcome or truth.outcome,
            citations={path: self._seen.get(path, path) for path in cited_by(truth)},
            tokens=(message,) if truth.is_exact else truth.required_words,
            changes=tuple(self.changes),
        )


def cited_by(truth: Truth) -> list[str]:
    """Return the paths that an answer must cite."""
    return [*truth.must_cite, *truth.must_cite_pages]


Solution = Callable[[ReferenceClient, Truth], Answer]
"""A function that works on an environment and returns
an answer, such as a family's reference or a mistake."""


def as_told(client: ReferenceClient, truth: Truth) -> Answer:
    """Read the cited files, make the changes, and answer with the truth's message."""
    client.read_cited(truth)
    for call in truth.calls:
        client.run(*call)
    if truth.calls:
        return client.answer(truth, truth.message)
    for path, text in truth.changes.items():
        if text is None:
            client.delete(path)
        else:
            client.write(path, text)
    return client.answer(truth, truth.message)


def archive_fraud(client: ReferenceClient, truth: Truth) -> Answer:
    """Cite every row of the incidents and state their total."""
    answer = client.answer(truth, truth.message)
    path, text = truth.for_tests["path"], client.read(truth.for_tests["path"])
    assert isinstance(truth.measure, FraudMeasure)
    rows = [row for row in truth.measure.amounts if row in truth.measure.fraud]
    customers = {line.split("\t")[0]: line.split("\t")[3] for line in text.splitlines()}
    return replace(
        answer,
        citations={
            f"{path}#row={row}": f"row {row} of {customers[row]} is fraud"
            for row in rows
        },
    )


def plan_message(plan: Plan) -> str:
    """Return a plan in the form of an answer."""
    assignments = [
        {"package_id": package, "route": list(route), "priority": priority}
        for package, (priority, route) in sorted(plan.items())
    ]
    return json.dumps({"assignments": assignments})


def dispatch_wave(client: ReferenceClient, truth: Truth) -> Answer:
    """Give the best plan of several solvers."""
    assert isinstance(truth.measure, DispatchMeasure)
    return client.answer(truth, plan_message(truth.measure.best))


def reference_of(name: str) -> Solution:
    """Return the function that solves a family's tasks
    and returns the answer, without submitting it."""
    if name == "archive-fraud":
        return archive_fraud
    return dispatch_wave if name == "dispatch-wave" else as_told


def variant_ids() -> tuple[str, ...]:
    """Return the names of all variants: the first ones
    of all families, then the second ones, and so on."""
    numbered = [
        (number, name)
        for name, family in FAMILIES.items()
        for number in range(1, len(family.weights) + 1)
    ]
    return tuple(f"{name}#{number}" for number, name in sorted(numbered))


def draw_of(variant_id: str) -> TaskChoices:
    """Return the draw that gives this variant, without a hostile block."""
    name, _, number = variant_id.partition("#")
    return TaskChoices(name, int(number))


def generate_variant(
    variant_id: str, seed: str, settings: WorldSettings = DEFAULTS
) -> Task:
    """Return a task of this variant in the world of a seed."""
    return generate_chosen(draw_of(variant_id), seed, settings)


def first_task(variant_id: str, seed: int = 0) -> str:
    """Return the first task of the family whose first try
    in a run of this seed draws the variant, without a block."""
    wanted = draw_of(variant_id)
    for number in count(1):
        task_id = f"{wanted.family}.{number}"
        if choices_for(task_id, TrialId(task_id, 0, seed, "", "").world_seed) == wanted:
            return task_id
    raise AssertionError


SCRIPT = """\
{calls}
scratchpad["answer"] = {message!r}
scratchpad["outcome"] = {outcome!r}
{citations}
{declared}

def verify(sp):
    return sp["outcome"] == {outcome!r} and sp["answer"] == {message!r} and len(sp["refs_why"]) == {count}

harness.answer(scratchpad, verify)
"""


class RecordingEnvironment(EcomEnvironment):
    """The shop, which remembers the calls made through it."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.calls: list[tuple[str, dict[str, Plain]]] = []

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make the call and remember it."""
        self.calls.append((operation, dict(arguments)))
        return super().call(operation, arguments)


def task_of(trial_id: str, settings: WorldSettings = PLAYED) -> Task:
    """Return the task that a trial generates, truth included.

    Raises `ValueError` for other texts.
    """
    parsed = TrialId.parse(trial_id)
    if parsed is None:
        msg = f"{trial_id!r} is not a trial of this benchmark"
        raise ValueError(msg)
    return generate_task(parsed.task_id, parsed.world_seed, settings)


def reference_answer(environment: Environment, truth: Truth) -> Answer:
    """Solve a generated task on its environment
    and return the right answer, without submitting it."""
    return reference_of(truth.family)(ReferenceClient(environment, truth.names), truth)


def script_of(calls: Sequence[tuple[str, dict[str, Plain]]], answer: Answer) -> str:
    """Return a script that makes these calls, cites,
    and submits this answer with a `verify` of its own."""
    shown = [f"harness.{operation}({_arguments(given)})" for operation, given in calls]
    declared = (
        [f"scratchpad['tokens'] = {list(answer.tokens)!r}"] if answer.tokens else []
    )
    if answer.changes:
        changes = [{"path": path, "action": action} for path, action in answer.changes]
        declared.append(f"scratchpad['changes'] = {changes!r}")
    citations = [
        f"scratchpad.cite({path!r}, {reason!r})"
        for path, reason in answer.citations.items()
    ]
    return SCRIPT.format(
        calls="\n".join(shown),
        message=answer.message,
        outcome=answer.outcome,
        citations="\n".join(citations) or "scratchpad['refs_why'] = {}",
        declared="\n".join(declared),
        count=len(citations),
    )


def _arguments(given: Mapping[str, Plain]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in given.items())


def reference_script(
    trial_id: str, settings: WorldSettings = PLAYED
) -> tuple[str, str]:
    """Return the instruction of a trial, and the script that solves it."""
    task = task_of(trial_id, settings)
    recording = RecordingEnvironment(workspace_of(task.world))
    answer = reference_answer(recording, task.truth)
    return task.instruction, script_of(recording.calls, answer)


def scripted_replies(trial_ids: Iterable[str], settings: WorldSettings = PLAYED) -> str:
    """Return the text of a script file for the model
    `scripted:FILE` that solves every one of these trials."""
    replies = []
    for trial_id in trial_ids:
        instruction, code = reference_script(trial_id, settings)
        when = re.escape(f"<instruction>\n{instruction}\n</instruction>")
        replies.append(
            f"[[reply]]\nwhen = {json.dumps(when)}\nstate = {json.dumps(trial_id)}\ncode = {json.dumps(code)}\n"
        )
    return "\n".join(replies)
