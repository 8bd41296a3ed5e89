"""Reference solutions as scripts: what a perfect player would have sent, for demonstrations and for tests of the spine.

It knows the truth of a trial from the trial's id, so nothing that plays may import it.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from agent.evidence import Environment
from benchmarks.ecom.ecom_benchmark import TrialId
from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.runtime.workspace import Workspace
from benchmarks.ecom.tasks.posing import pose_task
from benchmarks.ecom.tasks.task import Task, Truth
from benchmarks.ecom.world.generator import PLAYED, WorldSettings
from sandbox.interface import Plain
from tests.benchmarks.ecom.mistakes import all_mistakes
from tests.benchmarks.ecom.reference_solutions import Answer, ReferenceClient, reference_of

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
    """Return the task that a trial poses, truth included. Raises `ValueError` for other texts."""
    parsed = TrialId.parse(trial_id)
    if parsed is None:
        msg = f"{trial_id!r} is not a trial of this benchmark"
        raise ValueError(msg)
    return pose_task(parsed.task_id, parsed.world_seed, settings)


def reference_answer(environment: Environment, truth: Truth) -> Answer:
    """Solve a posed task on its environment and return the right answer, without submitting it."""
    return reference_of(truth.family)(ReferenceClient(environment, truth.names), truth)


def mistaken_answers(task: Task) -> dict[str, Answer]:
    """Return the wrong answers for a posed task by the name of the mistake, each made in a world of its own."""
    return {
        name: mistake(ReferenceClient(EcomEnvironment(task.world.workspace()), task.truth.names), task.truth)
        for name, mistake in all_mistakes(task.truth).items()
    }


def script_of(calls: Sequence[tuple[str, dict[str, Plain]]], answer: Answer) -> str:
    """Return a script that makes these calls, cites, and hands in this answer with a `verify` of its own."""
    shown = [f"harness.{operation}({_arguments(given)})" for operation, given in calls]
    declared = [f"scratchpad['tokens'] = {list(answer.tokens)!r}"] if answer.tokens else []
    if answer.changes:
        changes = [{"path": path, "action": action} for path, action in answer.changes]
        declared.append(f"scratchpad['changes'] = {changes!r}")
    citations = [f"scratchpad.cite({path!r}, {reason!r})" for path, reason in answer.citations.items()]
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


def reference_script(trial_id: str, settings: WorldSettings = PLAYED) -> tuple[str, str]:
    """Return the instruction of a trial, and the script that solves it."""
    task = task_of(trial_id, settings)
    recording = RecordingEnvironment(task.world.workspace())
    answer = reference_answer(recording, task.truth)
    return task.instruction, script_of(recording.calls, answer)


def scripted_replies(trial_ids: Iterable[str], settings: WorldSettings = PLAYED) -> str:
    """Return the text of a script file for the model `scripted:FILE` that solves every one of these trials."""
    replies = []
    for trial_id in trial_ids:
        instruction, code = reference_script(trial_id, settings)
        when = re.escape(f"<instruction>\n{instruction}\n</instruction>")
        replies.append(
            f"[[reply]]\nwhen = {json.dumps(when)}\nstate = {json.dumps(trial_id)}\ncode = {json.dumps(code)}\n"
        )
    return "\n".join(replies)
