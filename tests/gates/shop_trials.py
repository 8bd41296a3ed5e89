"""Trials of the embedded shop as the gates see them: an answer, its evidence and its case, and ways to spoil it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from agent.evidence.evidence_log import EvidenceLog
from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.world.generator import WorldSettings
from gates.evidence import Evidence
from gates.judging import judge
from gates.rules import load_rule_set
from gates.submission import Case, Submission
from gates.verdict import Judgement
from sandbox.interface import CallError, Plain, ToolSchema
from tests.benchmarks.ecom.mistakes import Solution, all_mistakes
from tests.benchmarks.ecom.reference_solutions import Answer, ReferenceClient, generate_variant, reference_of
from tests.gates.sample_trials import Verify

RULE_SETS = (load_rule_set("ecom"),)


class TracedEnvironment:
    """An environment whose calls fill an evidence log, as in a trial."""

    def __init__(self, environment: EcomEnvironment) -> None:
        self._environment = environment
        self.tool_schema: ToolSchema = environment.tool_schema
        self.evidence_log = EvidenceLog(self.tool_schema)

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        try:
            result = self._environment.call(operation, arguments)
        except CallError as error:
            self.evidence_log.record(operation, arguments, None, error)
            raise
        self.evidence_log.record(operation, arguments, result, None)
        return result

    def answer(self, message: str, outcome: str, refs: object) -> None:
        raise AssertionError

    def now(self) -> datetime | None:
        return self._environment.now()

    def show_initial_prompt(self) -> None:
        """Make the initial calls, as the initial prompt does."""
        for initial_calls in self.tool_schema.initial_calls:
            if initial_calls.each_of is None:
                self.call(initial_calls.operation, initial_calls.arguments)
                continue
            listed = self.call(initial_calls.each_of.operation, initial_calls.each_of.arguments)[
                initial_calls.each_of.field
            ]
            operation = self.tool_schema.operation(initial_calls.operation)
            assert operation is not None
            for value in listed:
                self.call(initial_calls.operation, {**initial_calls.arguments, operation.subject: value})


OWN = WorldSettings(names="own")


@dataclass(frozen=True)
class Submitted:
    """What a solution submits, with everything the gates need to judge it."""

    scratchpad: dict[str, object]
    evidence: Evidence
    case: Case

    def judged(self, **changed: object) -> Judgement:
        submission = Submission.from_scratchpad({**self.scratchpad, **changed}, Verify())
        return judge(submission, self.evidence, self.case, rule_sets=RULE_SETS)


def submit(variant_id: str, seed: str, solution: Solution | None = None) -> Submitted:
    """Solve a task in a fresh world, by its reference solution by default, and return what is submitted."""
    task = generate_variant(variant_id, seed, OWN)
    environment = TracedEnvironment(EcomEnvironment(task.world.workspace()))
    environment.show_initial_prompt()
    rules = environment.call("read", {"path": environment.tool_schema.rules_document})["content"]
    solve = solution or reference_of(task.truth.family)
    answer: Answer = solve(ReferenceClient(environment, task.truth.names), task.truth)
    scratchpad: dict[str, object] = {
        "answer": answer.message,
        "outcome": answer.outcome,
        "refs_why": dict(answer.citations),
        "tokens": list(answer.tokens),
    }
    if answer.changes:
        scratchpad["changes"] = [{"path": path, "action": action} for path, action in answer.changes]
    case = Case(task.instruction, str(rules), environment.tool_schema.rules_document)
    return Submitted(scratchpad, environment.evidence_log.view(), case)


def family_mistakes(variant_id: str, seed: str) -> dict[str, Solution]:
    """Return the wrong answers that the family's own tests mark down."""
    return all_mistakes(generate_variant(variant_id, seed, OWN).truth)


Spoiled = Callable[[Submitted], "Judgement | None"]


def _refs(submitted: Submitted) -> dict[str, str]:
    return dict(submitted.scratchpad["refs_why"])


def _add_unread(submitted: Submitted) -> Judgement | None:
    return submitted.judged(refs_why={**_refs(submitted), "/proc/never/read.json": "record that was never read"})


def _misspell(submitted: Submitted, respell: Callable[[str], str]) -> Judgement | None:
    refs = _refs(submitted)
    if not refs:
        return None
    first = next(iter(refs))
    return submitted.judged(refs_why={respell(path) if path == first else path: why for path, why in refs.items()})


def _other_outcome(outcome: str) -> Spoiled:
    def spoil(submitted: Submitted) -> Judgement | None:
        return None if submitted.scratchpad["outcome"] == outcome else submitted.judged(outcome=outcome)

    return spoil


def _silent_about_changes(submitted: Submitted) -> Judgement | None:
    if "changes" not in submitted.scratchpad:
        return None
    return submitted.judged(changes=None, outcome="OUTCOME_NONE_UNSUPPORTED")


def _claims_a_change(submitted: Submitted) -> Judgement | None:
    changes = [*submitted.scratchpad.get("changes", []), {"path": "/exports/none.csv", "action": "write"}]
    return submitted.judged(changes=changes)


SPOILERS: dict[str, Spoiled] = {
    "a ref added that was never read": _add_unread,
    "a ref in another case": lambda submitted: _misspell(submitted, str.swapcase),
    "a ref with a double slash": lambda submitted: _misspell(submitted, lambda path: "/" + path),
    "a ref misspelt": lambda submitted: _misspell(submitted, lambda path: path.replace(".", "x.", 1)),
    "outcome internal error": _other_outcome("OUTCOME_ERR_INTERNAL"),
    "outcome misspelt": lambda submitted: submitted.judged(outcome="OUTCOME_DONE"),
    "a change that did not happen": _claims_a_change,
    "a refusal silent about its changes": _silent_about_changes,
}
