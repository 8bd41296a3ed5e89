"""Solutions of the shop's tasks that are careless: they claim, write, cite or undo what they should not.

    answer_with(writes_needless_file, environment, truth)  # leaves /tmp/notes.txt, and answers rightly

Each is a solution itself: a function that gets a client of the shop and the truth, and returns an answer.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from controlplane.agent.evidence import Environment
from controlplane.benchmarks.ecom.record_store import RecordNames, record_text
from controlplane.benchmarks.ecom.tasks.archive import FraudMeasure
from controlplane.benchmarks.ecom.tasks.dispatch import DispatchMeasure, Plan
from controlplane.benchmarks.ecom.tasks.truth import TaskTruth
from controlplane.sandbox.interface import ExecutableKind, Plain
from controlplane.sandbox.interface.outcomes import OK

# Answers to tasks of the shop: a message, and the files that support it.
#
# Answer(
#     message="4",
#     outcome="OUTCOME_OK",
#     citations={"/docs/stock.md": "Rules for stock: a branch that ..."},
# ).refs  # ("/docs/stock.md",)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as a model's script submits it."""

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


# Reads the files and records of a shop, for solutions of its tasks.
#
#     reader = ShopReader(environment, names)
#     reader.record("/proc/carts/basket-0012.json")  # {"status": "active", ...}
#
# Each shop has its own `names` for fields, such as "phase" for `status`.


class ShopReader:
    """Makes calls that read, and remembers what was read."""

    def __init__(self, environment: Environment, names: RecordNames) -> None:
        self.environment = environment
        self.names = names
        self.beginnings: dict[str, str] = {}
        """The beginning of each file that was read, by its path: the reason to cite it."""

    def read(self, path: str) -> str:
        """Return the whole text of a file. A long one takes several calls."""
        result = self.environment.call("read", {"path": path})
        text = str(result["content"])
        while result.get("truncated") is True:
            next_line = text.count("\n") + 1
            call = {"path": path, "start_line": next_line}
            result = self.environment.call("read", call)
            text += str(result["content"])
        self.beginnings[path] = " ".join(text.split())[:160]
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


# A client of a shop, by which solutions of its tasks read files, run tools and write files.
#
#     client = ShopClient(environment, names)
#     client.record("/proc/carts/basket-0012.json")  # {"status": "active", ...}
#     client.run("checkout", "basket-0012")
#     client.changes                                 # [("/bin/checkout", "execute")]
#
# Each shop has its own `names` for fields, such as "phase" for `status`.


class ShopClient(ShopReader):
    """Makes calls in a shop, and remembers what was changed.

    In a dry run it skips every change, but remembers it as if it had been made.
    """

    def __init__(
        self, environment: Environment, names: RecordNames, *, is_dry_run: bool = False
    ) -> None:
        super().__init__(environment, names)
        self.is_dry_run = is_dry_run
        self.changes: list[tuple[str, str]] = []

    def save(self, path: str, data: Mapping[str, Plain]) -> None:
        """Write a record's file from data as `record` returns it."""
        self.write(path, record_text(self.names.in_shown_names(data)))

    def run(self, tool: str, *arguments: str) -> str:
        """Run a tool and return its output: a second time, if it has timed out.

        A dry run skips a tool that makes changes.
        """
        path = f"/bin/{tool}"
        if self.environment.tool_schema.executable_kind(path) is ExecutableKind.CHANGES:
            self.changes.append((path, "execute"))
            if self.is_dry_run:
                return ""
        call = {"path": path, "args": list(arguments)}
        result = self.environment.call("exec", call)
        has_timed_out = result["exit_code"] == 124
        if has_timed_out:
            result = self.environment.call("exec", call)
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


# A client of a shop that returns an answer after it has made the calls for it.
#
#     client = ReferenceClient(environment, names)
#     client.run("checkout", "basket-0012")
#     client.answer(truth, "Done.").citations  # {"/docs/checkout.md": "How baskets are bought: ..."}
#
# An answer has to cite files, and only files that were read may be cited. So the client reads
# those that are missing.


def required_citations(truth: TaskTruth) -> list[str]:
    """Return the paths that an answer must cite: records, other files and pages."""
    return [*truth.must_cite, *truth.must_cite_pages]


class ReferenceClient(ShopClient):
    """A client that returns answers: with the required citations, and the changes that it made.

    In a dry run, its answer claims changes that were not made: a mistake that the grader must find.
    """

    def read_cited(self, truth: TaskTruth) -> None:
        """Read the files that the answer must cite, unless they were read or changed before.

        Only files that a script has read may be cited.
        """
        changed_paths = [path for path, _ in self.changes]
        for path in required_citations(truth):
            if path not in self.beginnings and path not in changed_paths:
                self.read(path)

    def answer(self, truth: TaskTruth, message: str, *, outcome: str = "") -> Answer:
        """Return an answer with this message and all required citations.

        The outcome is the right one by default.
        """
        self.read_cited(truth)
        citations = {}
        for path in required_citations(truth):
            citations[path] = self.beginnings.get(path, path)
        return Answer(
            message=message,
            outcome=outcome or truth.outcome,
            citations=citations,
            tokens=(message,) if truth.is_exact else truth.required_words,
            changes=tuple(self.changes),
        )


# Right answers to tasks whose answers are measured, and not only right or wrong: fraud and dispatch plans.
#
#     archive_fraud(client, truth).citations  # {"/archive/payments.tsv#row=AR-12": "row AR-12 of ..."}
#     dispatch_wave(client, truth).message    # '{"assignments": [{"package_id": "XFER-012", ...}]}'
#
# `truth.measure`, by which the grader scores an answer, knows the best one, which scores 1.


def archive_fraud(client: ReferenceClient, truth: TaskTruth) -> Answer:
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


def dispatch_wave(client: ReferenceClient, truth: TaskTruth) -> Answer:
    """Answer with the best known plan for sending a set of packages (a wave).

    It scores 1. Other plans score less, by what they earn in comparison.
    """
    measure = truth.measure
    assert isinstance(measure, DispatchMeasure)
    return client.answer(truth, plan_message(measure.best))


# Right answers to generated tasks of the shop, by which tests check that its grader accepts them.
#
# Each task, such as "Check out basket-0012", is generated together with its `TaskTruth`, by which the
# grader scores answers: which tool has to be run, what the message has to say and which files it has
# to cite. A model does not see the truth. The functions here do: they read these files, run the
# tool and give the message, by the same calls as a model would. Their answer has to score 1.0.

Solution = Callable[[ReferenceClient, TaskTruth], Answer]
"""A function that works on a task by calls of a client, and returns the answer to be submitted.

The solutions here give the right answer. Others give a wrong one, to test that it scores less.
"""


def solution_by_truth(client: ReferenceClient, truth: TaskTruth) -> Answer:
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


def reference_of(family_name: str) -> Solution:
    """Return the right solution of a family's tasks."""
    if family_name == "archive-fraud":
        return archive_fraud
    if family_name == "dispatch-wave":
        return dispatch_wave
    return solution_by_truth


def reference_answer(environment: Environment, truth: TaskTruth) -> Answer:
    """Solve a task on its environment and return the right answer, without submitting it."""
    solution = reference_of(truth.family)
    return solution(ReferenceClient(environment, truth.names), truth)


# Solutions of the shop's tasks that are wrong in one respect; tests show that the grader sees it.
#
# A task, such as "Check out basket-0012", has a truth: the outcome, message, citations and file
# changes of the right answer. A solution is a function that gets a client of the task's shop and the
# truth, works there, and returns an answer. The functions here make wrong solutions:
#
#     solution = runs_tool("checkout", "basket-0012", times=2)
#     answer_with(solution, environment, truth)  # checks the basket out twice

Mistakes = dict[str, Solution]
"""Wrong solutions by what is wrong with them: `{"two units": adds_two_units}`."""


def answer_with(
    solution: Solution, environment: Environment, truth: TaskTruth
) -> Answer:
    """Run a solution on an environment, submit its answer there, and return the answer."""
    answer = solution(ReferenceClient(environment, truth.names), truth)
    environment.answer(answer.message, answer.outcome, answer.refs)
    return answer


def right_answer(client: ReferenceClient, truth: TaskTruth) -> Answer:
    """Do all the work that the task asks for, and return the right answer."""
    right_solution = reference_of(truth.family)
    return right_solution(client, truth)


def right_except(**wrong_fields: Any) -> Solution:
    """Return a solution that does all the right work, but answers with these wrong fields.

    `right_except(message="7")` makes the right changes and says "7".
    """

    def solution(client: ReferenceClient, truth: TaskTruth) -> Answer:
        return replace(right_answer(client, truth), **wrong_fields)

    return solution


def only_says(message: str, *, outcome: str = "") -> Solution:
    """Return a solution that changes nothing and gives this message, with the right citations.

    Without an outcome, it has the right one: a denial if the request must be denied.
    """

    def solution(client: ReferenceClient, truth: TaskTruth) -> Answer:
        return client.answer(truth, message, outcome=outcome)

    return solution


def runs_tool(
    tool: str, *arguments: str, message: str = "Done.", times: int = 1
) -> Solution:
    """Return a solution that runs a tool of the shop and reports success.

    `runs_tool("checkout", "basket-0012", times=2)` checks the basket out twice.
    """

    def solution(client: ReferenceClient, truth: TaskTruth) -> Answer:
        for _ in range(times):
            client.run(tool, *arguments)
        return client.answer(truth, message, outcome=OK)

    return solution


# Solutions of the shop's tasks that are right, but cite too little or too much.
#
#     solution = cites_too("/docs/checkout.md")
#     answer_with(solution, environment, truth)  # answers rightly, and cites this page as well
#
# A solution is a function that gets a client of the task's shop and the truth, and returns an answer.


def cites_only(*paths: str) -> Solution:
    """Return a solution that is right, but has only these of the right citations."""

    def solution(client: ReferenceClient, truth: TaskTruth) -> Answer:
        answer = right_answer(client, truth)
        kept_citations = {path: answer.citations[path] for path in paths}
        return replace(answer, citations=kept_citations)

    return solution


def cites_too(*paths: str) -> Solution:
    """Return a solution that is right, but also cites these paths."""

    def solution(client: ReferenceClient, truth: TaskTruth) -> Answer:
        answer = right_answer(client, truth)
        citations = dict.fromkeys(paths, "a record that was looked at")
        citations.update(answer.citations)
        return replace(answer, citations=citations)

    return solution


def claims_changes_without_making_them(
    client: ReferenceClient, truth: TaskTruth
) -> Answer:
    """Answer as if the right changes had been made: a dry run skips them."""
    dry_client = ReferenceClient(client.environment, client.names, is_dry_run=True)
    return right_answer(dry_client, truth)


def writes_needless_file(client: ReferenceClient, truth: TaskTruth) -> Answer:
    """Answer rightly, but leave a file that nobody asked for."""
    answer = right_answer(client, truth)
    client.write("/tmp/notes.txt", "done\n")
    return replace(answer, changes=tuple(client.changes))


def cites_unrelated_record(client: ReferenceClient, truth: TaskTruth) -> Answer:
    """Answer rightly, but also cite the first record that has nothing to do with the task.

    Records, such as baskets and products, are the JSON files below `/proc`.
    """
    answer = right_answer(client, truth)
    citable_paths = {*truth.must_cite, *truth.must_cite_pages, *truth.may_cite}
    found = client.environment.call(
        "find", {"name": "*.json", "root": "/proc", "kind": "files", "limit": 0}
    )
    record_paths = [str(path) for path in found["paths"]]
    unrelated_paths = [path for path in record_paths if path not in citable_paths]

    first_path = unrelated_paths[0]
    client.read(first_path)
    record_id = first_path.rpartition("/")[2].removesuffix(".json")
    citations = {**answer.citations, first_path: f"record {record_id}"}
    return replace(answer, citations=citations)


def leaves_out_first_citation(client: ReferenceClient, truth: TaskTruth) -> Answer:
    """Answer rightly, but without the first of the citations."""
    answer = right_answer(client, truth)
    citations = dict(answer.citations)
    first_path = next(iter(citations))
    del citations[first_path]
    return replace(answer, citations=citations)


def acts_restores_and_refuses(client: ReferenceClient, truth: TaskTruth) -> Answer:
    """Check out a basket that must not be touched, restore its file, and refuse.

    `truth.for_tests` has the basket: `{"id": "basket-0012", "basket": "/proc/carts/…"}`.
    """
    basket_path = truth.for_tests["basket"]
    text_before = client.read(basket_path)
    client.run("checkout", truth.for_tests["id"])
    client.write(basket_path, text_before)
    return client.answer(truth, truth.message)
