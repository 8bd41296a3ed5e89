"""Findings by turns with the calls that they ask for, and answers put in order by them."""

from collections.abc import Sequence

import pytest

from agent.findings.finding_turns import (
    AnswerToOrder,
    Asked,
    FindingLimits,
    OrderedAnswer,
    Outcome,
    compute_finding,
    order_arguments,
    ordered_answer,
)
from sandbox import Aide, ForkServer
from sandbox.interface import CallError
from tests.support.library import BOOKS_BY, Library


@pytest.fixture(scope="module")
def finding_server():
    with ForkServer(("agent.findings.finding_turns", "tests.support.library")) as server:
        yield server


@pytest.fixture(params=["here", "in an aide"])
def aide(request, finding_server):
    if request.param == "here":
        yield None
    else:
        with Aide(finding_server) as process:
            yield process


def answers_of(library: Library):
    def ask(asked: Sequence[Asked]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for operation, arguments in asked:
            try:
                outcomes.append(library.call(operation, arguments))
            except CallError as error:
                outcomes.append(error)
        return outcomes

    return ask


def find(author: str, aide: Aide | None, library: Library | None = None, **more: object):
    return compute_finding(BOOKS_BY.finds, {"author": author}, aide=aide, ask=answers_of(library or Library()), **more)


def test_a_finding_has_its_value_its_references_and_what_was_not_certain(aide):
    assert find("Herbert", aide) == {
        "value": ["/books/dune.txt"],
        "refs": [{"path": "/books/dune.txt", "reason": "it says by Herbert"}],
        "notes": ["by the title page"],
    }


def test_calls_are_bounded(aide):
    with pytest.raises(CallError, match="more than 20 calls"):
        find("endless", aide, limits=FindingLimits(calls=20))


@pytest.mark.parametrize(
    ("late", "told"), [(1, "Herbert"), (2, "failed_precondition: /bin/id ended with exit code 124")]
)
def test_a_tool_that_timed_out_is_asked_once_more(aide, late, told):
    asked: list[Asked] = []

    def ask(calls: Sequence[Asked]) -> list[Outcome]:
        asked.extend(calls)
        code = 124 if len(asked) <= late else 0
        return [{"stdout": "" if code else "Herbert", "stderr": "", "exit_code": code} for _ in calls]

    try:
        found = compute_finding("tests.support.library:signed_in", {}, aide=aide, ask=ask)["value"]
    except CallError as error:
        found = str(error)
    assert (found, len(asked)) == (told, 2)


ANSWER = AnswerToOrder("OUTCOME_OK", "yes", "other", ("/docs/a.md",), ("/b.json",))


def refuse(operation, arguments):
    raise CallError("failed_precondition", "no layout")


@pytest.mark.parametrize(
    ("call", "found"),
    [
        (
            lambda *_: {"value": {"message": "no"}, "refs": [{"path": "/x", "reason": "y"}]},
            OrderedAnswer("no", {"/x": "y"}),
        ),
        (lambda *_: {"value": {}, "refs": []}, None),
        (lambda *_: {"value": "no", "refs": []}, None),
        (refuse, None),
    ],
)
def test_an_answer_is_ordered_or_stays(call, found):
    assert ordered_answer(call, "order", order_arguments("is it?", ANSWER)) == found
