"""Right answers to generated tasks of the shop, by which tests check that its grader accepts them.

Each task, such as "Check out basket-0012", is generated together with its `Truth`, by which the
grader scores answers: which tool has to be run, what the message has to say and which files it has
to cite. A model does not see the truth. The functions here do: they read these files, run the
tool and give the message, by the same calls as a model would. Their answer has to score 1.0.
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
from controlplane.benchmarks.ecom.tasks.archive.fraud_measure import FraudMeasure
from controlplane.benchmarks.ecom.tasks.dispatch.dispatch_measure import DispatchMeasure
from controlplane.benchmarks.ecom.tasks.dispatch.simulation import Plan
from controlplane.benchmarks.ecom.tasks.families import FAMILIES
from controlplane.benchmarks.ecom.tasks.generated_tasks import (
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
"""The exit code of a tool that timed out, and may be run again."""
MAX_TOOL_RUNS: Final = 2
"""A tool that times out is run again, but at most this many times in all."""
REASON_CHARS: Final = 160
"""A citation needs a reason. It is the beginning of the cited file, of this length."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as a model's script submits it: a message, and the files that support it.

    Answer(
        message="4",
        outcome="OUTCOME_OK",
        citations={"/docs/stock.md": "Rules for stock: a branch that ..."},
    )
    """

    message: str
    outcome: str
    citations: Mapping[str, str]
    """The reason of each cited path: the beginning of the file's text.

    The grader does not read the reasons, but the checks before a submission do.
    """
    tokens: tuple[str, ...] = ()
    """The strings that the script declares to be in the message, such as a number."""
    changes: tuple[tuple[str, str], ...] = ()
    """The path and the action of each change: `("/exports/table.tsv", "write")`.

    The actions are `write`, `delete` and `execute`.
    """

    @property
    def refs(self) -> tuple[str, ...]:
        """The cited paths."""
        return tuple(self.citations)


class ReferenceClient:
    """Makes the calls of a solution, and remembers what was read and changed, for its answer.

    In a dry run it skips every change, although the answer claims it: a mistake that the grader
    must find.
    """

    def __init__(
        self, environment: Environment, names: RecordNames, *, is_dry_run: bool = False
    ) -> None:
        self.environment = environment
        self.names = names
        self.is_dry_run = is_dry_run
        self.changes: list[tuple[str, str]] = []
        self._beginnings: dict[str, str] = {}
        """The beginning of each file that was read, by its path."""

    def read(self, path: str) -> str:
        """Return the whole text of a file. A long one takes several calls."""
        result = self.environment.call("read", {"path": path})
        text = str(result["content"])
        while result.get("truncated") is True:
            next_line = text.count("\n") + 1
            result = self.environment.call(
                "read", {"path": path, "start_line": next_line}
            )
            text += str(result["content"])
        self._beginnings[path] = " ".join(text.split())[:REASON_CHARS]
        return text

    def record(self, path: str) -> dict[str, Plain]:
        """Return the data of a record, such as a basket: `{"status": "active", ...}`.

        In the file, the fields may have other names, as each world has its own: `"phase"`, say.
        Raises `TypeError` if the file has no JSON object.
        """
        data = json.loads(self.read(path))
        if not isinstance(data, dict):
            msg = f"{path} has no JSON object"
            raise TypeError(msg)
        return self.names.in_code_names(data)

    def save(self, path: str, data: Mapping[str, Plain]) -> None:
        """Write a record's file from data as `record` returns it."""
        self.write(path, record_text(self.names.in_shown_names(data)))

    def run(self, tool: str, *arguments: str) -> str:
        """Run a tool and return its output. A dry run skips a tool that makes changes."""
        path = f"/bin/{tool}"
        if self.environment.tool_schema.executable_kind(path) is ExecutableKind.CHANGES:
            self.changes.append((path, "execute"))
            if self.is_dry_run:
                return ""
        for _ in range(MAX_TOOL_RUNS):
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
        """Read the files that the answer must cite, unless they were read or changed before.

        Only files that a script has read may be cited.
        """
        changed_paths = [path for path, _ in self.changes]
        for path in required_citations(truth):
            if path not in self._beginnings and path not in changed_paths:
                self.read(path)

    def answer(self, truth: Truth, message: str, *, outcome: str = "") -> Answer:
        """Return an answer with this message and all required citations.

        The outcome is the right one by default.
        """
        self.read_cited(truth)
        citations = {}
        for path in required_citations(truth):
            citations[path] = self._beginnings.get(path, path)
        return Answer(
            message=message,
            outcome=outcome or truth.outcome,
            citations=citations,
            tokens=(message,) if truth.is_exact else truth.required_words,
            changes=tuple(self.changes),
        )


def required_citations(truth: Truth) -> list[str]:
    """Return the paths that an answer must cite: records, other files and pages."""
    return [*truth.must_cite, *truth.must_cite_pages]


# Solutions -----------------------------------------------------------------------------------

Solution = Callable[[ReferenceClient, Truth], Answer]
"""A function that works on a task by calls of a client, and returns the answer to be submitted.

The solutions here give the right answer. Others give a wrong one, to test that it scores less.
"""


def solution_by_truth(client: ReferenceClient, truth: Truth) -> Answer:
    """Read the files to be cited, make the changes, and answer with the truth's message."""
    client.read_cited(truth)
    if truth.calls:
        # Tools make the changes: `("checkout", "basket-0012")`.
        for tool, *arguments in truth.calls:
            client.run(tool, *arguments)
    else:
        # The client writes the files, or deletes those that have no new text.
        for path, text in truth.changes.items():
            if text is None:
                client.delete(path)
            else:
                client.write(path, text)
    return client.answer(truth, truth.message)


def archive_fraud(client: ReferenceClient, truth: Truth) -> Answer:
    """Cite every fraudulent row of an export of payments, and state the total.

    A row is cited by the path `/archive/payments.tsv#row=AR-DcV62h`. The measure, by which the
    grader tells how much of the fraud an answer has found, knows the file and its fraudulent rows.
    """
    measure = truth.measure
    assert isinstance(measure, FraudMeasure)

    citations = {}
    for line in client.read(measure.file).splitlines():
        row_id, _payment_id, _created_at, customer, *_ = line.split("\t")
        if row_id in measure.fraud:
            reason = f"row {row_id} of {customer} is fraud"
            citations[f"{measure.file}#row={row_id}"] = reason

    answer = client.answer(truth, truth.message)
    return replace(answer, citations=citations)


def plan_message(plan: Plan) -> str:
    """Return the message that gives a dispatch plan: the route and priority of each package.

    `{"assignments": [{"package_id": "XFER-001", "route": ["lane-a"], "priority": 1}]}`
    """
    assignments = []
    for package_id, (priority, route) in sorted(plan.items()):
        assignments.append(
            {"package_id": package_id, "route": list(route), "priority": priority}
        )
    return json.dumps({"assignments": assignments})


def dispatch_wave(client: ReferenceClient, truth: Truth) -> Answer:
    """Answer with the best known plan for sending a set of packages (a wave).

    It scores 1. Other plans score less, by what they earn in comparison.
    """
    measure = truth.measure
    assert isinstance(measure, DispatchMeasure)
    return client.answer(truth, plan_message(measure.best))


def reference_of(family_name: str) -> Solution:
    """Return the right solution of a family's tasks."""
    if family_name == "archive-fraud":
        return archive_fraud
    if family_name == "dispatch-wave":
        return dispatch_wave
    return solution_by_truth


def reference_answer(environment: Environment, truth: Truth) -> Answer:
    """Solve a task on its environment and return the right answer, without submitting it."""
    solution = reference_of(truth.family)
    return solution(ReferenceClient(environment, truth.names), truth)


# Tasks by variant, and by trial --------------------------------------------------------------
#
# A family has tasks of one kind, such as `basket-checkout`. A variant is one case of a family: in
# `basket-checkout: one line is short`, the branch has too few units of one product.


def variant_id_of(family_name: str, case: str) -> str:
    """Return the id of a variant: `foreign-basket: asked by a guest`.

    It is the name of the family alone, `open-branches`, if the case has no name.
    """
    if case:
        return f"{family_name}: {case}"
    return family_name


def family_of_variant(variant_id: str) -> str:
    """Return the name of a variant's family: `foreign-basket`."""
    family_name, _, _case = variant_id.partition(": ")
    return family_name


def variant_ids() -> tuple[str, ...]:
    """Return the ids of all variants: the first of each family, then the second ones, ..."""
    most_cases = max(len(family.weights) for family in FAMILIES.values())
    ids = []
    for index in range(most_cases):
        for name, family in FAMILIES.items():
            cases = list(family.weights)
            if index < len(cases):
                ids.append(variant_id_of(name, cases[index]))
    return tuple(ids)


def choices_of(variant_id: str) -> TaskChoices:
    """Return the choices by which a task of this variant is generated, instead of random ones.

    Some tasks of a run have a hostile text in their request; this one has none. Raises `KeyError`
    for an unknown variant.
    """
    family_name, _, case = variant_id.partition(": ")
    if case not in FAMILIES[family_name].weights:
        raise KeyError(variant_id)
    return TaskChoices(family_name, case)


def generate_variant(
    variant_id: str, seed: str, settings: WorldSettings = DEFAULTS
) -> Task:
    """Return a task of this variant in the world that a seed generates."""
    return generate_chosen(choices_of(variant_id), seed, settings)


def first_task(variant_id: str, seed: int = 0) -> str:
    """Return the id of the first task of this variant in a run: `basket-checkout.4`.

    The tasks `basket-checkout.1`, `basket-checkout.2` ... are of any variant of their family: the
    seed of the run decides which.
    """
    wanted = choices_of(variant_id)
    for number in count(1):
        task_id = f"{wanted.family}.{number}"
        trial_id = TrialId(task_id, repeat=0, seed=seed, profile="", token="")
        if choices_for(task_id, trial_id.world_seed) == wanted:
            return task_id
    raise AssertionError


def task_of(trial_id: str, settings: WorldSettings = PLAYED) -> Task:
    """Return the task of a trial in a run with these settings, with its truth.

    Raises `ValueError` for a text that is not a trial's id, `sku-lookup.3-r0-s7-prod-00c0ffee`.
    """
    parsed = TrialId.parse(trial_id)
    if parsed is None:
        msg = f"{trial_id!r} is not a trial of this benchmark"
        raise ValueError(msg)
    return generate_task(parsed.task_id, parsed.world_seed, settings)


# Scripts of a model that solve tasks ----------------------------------------------------------


class RecordingEnvironment(EcomEnvironment):
    """The shop, which remembers the calls made through it, so that a script can repeat them."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.calls: list[tuple[str, dict[str, Plain]]] = []
        """The operation and the arguments of each: `("read", {"path": "/docs/stock.md"})`."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make the call and remember it."""
        self.calls.append((operation, dict(arguments)))
        return super().call(operation, arguments)


def script_of(calls: Sequence[tuple[str, dict[str, Plain]]], answer: Answer) -> str:
    """Return a script that makes these calls and submits this answer.

    It begins like this:

        harness.read(path='/docs/stock.md')
        scratchpad["answer"] = '4'
    """
    lines = []
    for operation, arguments in calls:
        keywords = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        lines.append(f"harness.{operation}({keywords})")

    lines.append(f'scratchpad["answer"] = {answer.message!r}')
    lines.append(f'scratchpad["outcome"] = {answer.outcome!r}')
    # `cite` fills the key `refs_why`. A script that cites nothing has to say so.
    for path, reason in answer.citations.items():
        lines.append(f"scratchpad.cite({path!r}, {reason!r})")
    if not answer.citations:
        lines.append("scratchpad['refs_why'] = {}")

    # The script may declare texts of its message (tokens), and the changes that it has made. Both
    # are then checked.
    if answer.tokens:
        lines.append(f"scratchpad['tokens'] = {list(answer.tokens)!r}")
    if answer.changes:
        changes = [{"path": path, "action": action} for path, action in answer.changes]
        lines.append(f"scratchpad['changes'] = {changes!r}")

    # Each script must check its own answer: `harness.answer` submits it only if `verify` is true.
    checks = [
        f'sp["outcome"] == {answer.outcome!r}',
        f'sp["answer"] == {answer.message!r}',
        f'len(sp["refs_why"]) == {len(answer.citations)}',
    ]
    lines += [
        "",
        "def verify(sp):",
        f"    return {' and '.join(checks)}",
        "",
        "harness.answer(scratchpad, verify)",
        "",
    ]
    return "\n".join(lines)


def reference_script(
    trial_id: str, settings: WorldSettings = PLAYED
) -> tuple[str, str]:
    """Return the instruction of a trial, and a script that solves it.

    The task is solved once here, and the script repeats the calls that were made.
    """
    task = task_of(trial_id, settings)
    shop = RecordingEnvironment(workspace_of(task.world))
    answer = reference_answer(shop, task.truth)
    return task.instruction, script_of(shop.calls, answer)


def scripted_replies(trial_ids: Iterable[str], settings: WorldSettings = PLAYED) -> str:
    """Return the file of replies with which the model `scripted:FILE` solves these trials.

    `when` is the pattern in a conversation to which a reply answers:

        [[reply]]
        when = "<instruction>\\nBuy\\\\ basket ..."
        state = "basket-checkout.1-r0-s1-prod-00000000"
        code = "harness.exec(...) ..."
    """
    replies = []
    for trial_id in trial_ids:
        instruction, code = reference_script(trial_id, settings)
        pattern = re.escape(f"<instruction>\n{instruction}\n</instruction>")
        # A JSON string is also a TOML string.
        replies.append(
            "[[reply]]\n"
            f"when = {json.dumps(pattern)}\n"
            f"state = {json.dumps(trial_id)}\n"
            f"code = {json.dumps(code)}\n"
        )
    return "\n".join(replies)
