"""Wrong answers that any family's grader must mark down, made from the reference solution."""

from __future__ import annotations

from dataclasses import replace

from agent.evidence import Environment
from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient, Solution
from benchmarks.ecom.tasks.task import INTERNAL, OK, UNSUPPORTED, Truth


def common_mistakes(reference: Solution, truth: Truth) -> dict[str, Solution]:
    """Return the wrong answers that make sense for this truth, by name."""
    mistakes: dict[str, Solution] = {
        "another outcome": lambda client, truth: replace(
            reference(client, truth), outcome=UNSUPPORTED if truth.outcome == OK else OK
        ),
        "giving up": lambda client, truth: replace(reference(client, truth), outcome=INTERNAL),
        "a record that has nothing to do with it": lambda client, truth: _with_a_stranger(
            client, reference(client, truth), truth
        ),
    }
    if truth.changes:
        mistakes["a change claimed but not made"] = lambda client, truth: reference(
            ReferenceClient(client.environment, client.names, is_dry_run=True), truth
        )
    mistakes["one change too many"] = lambda client, truth: _with_a_needless_change(client, reference(client, truth))
    if truth.is_exact:
        mistakes["words around the answer"] = lambda client, truth: _reworded(
            reference(client, truth), f"The answer is {truth.message} as far as I can see."
        )
        mistakes["a wrong value"] = lambda client, truth: _reworded(
            reference(client, truth), _another_value(truth.message)
        )
    elif truth.tokens:
        mistakes["a missing detail"] = lambda client, truth: _reworded(reference(client, truth), "It is dealt with.")
    if truth.records or truth.documents:
        mistakes["a missing reference"] = lambda client, truth: _without_the_first(reference(client, truth))
    return mistakes


def opposite_word(truth: Truth) -> str:
    """Return the other one of the workspace's words for yes and no, which a family tells as `yes` and `no`."""
    yes, no = truth.inputs["yes"], truth.inputs["no"]
    return no if truth.message == yes else yes


def _reworded(answer: Answer, message: str) -> Answer:
    return replace(answer, message=message, tokens=())


def _another_value(message: str) -> str:
    """Return the message with its first digit, or else its first letter, replaced by another one."""
    for at, character in enumerate(message):
        if character.isdigit():
            return message[:at] + str((int(character) + 1) % 10) + message[at + 1 :]
    return f"not {message}"


def _without_the_first(answer: Answer) -> Answer:
    return replace(answer, citations=dict(list(answer.citations.items())[1:]))


def _with_a_stranger(client: ReferenceClient, answer: Answer, truth: Truth) -> Answer:
    expected = {*truth.records, *truth.documents, *truth.tolerated}
    found = client.environment.call("find", {"name": "*.json", "root": "/proc", "kind": "files", "limit": 0})["paths"]
    paths = [str(each) for each in found] if isinstance(found, list) else []
    stranger = next(path for path in paths if path not in expected)
    client.read(stranger)
    return replace(answer, citations={**answer.citations, stranger: f"record {stranger.rsplit('/', 1)[1][:-5]}"})


def _with_a_needless_change(client: ReferenceClient, answer: Answer) -> Answer:
    client.write("/tmp/notes.txt", "done\n")
    return replace(answer, changes=tuple(client.changes))


def answer_with(solution: Solution, environment: Environment, truth: Truth) -> Answer:
    """Run a solution on an environment, submit its answer there, and return it."""
    answer = solution(ReferenceClient(environment, truth.names), truth)
    environment.answer(answer.message, answer.outcome, answer.refs)
    return answer
