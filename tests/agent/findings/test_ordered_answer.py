import pytest

from agent.findings.ordered_answer import AnswerToOrder, OrderedAnswer, order_arguments, ordered_answer, reasons_of
from sandbox.interface import CallError

REF = {"path": "/x", "reason": "y"}
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


def test_a_check_gets_plain_data():
    given = order_arguments("is it?", ANSWER, in_order=False)
    assert given["answer"]["documents"] == ["/docs/a.md"]
    assert (given["findings"], given["in_order"]) == ("[]", False)


def test_references_without_a_shape_are_none():
    assert reasons_of({"refs": "all"}) == {} == reasons_of({"refs": ["/x"]})
