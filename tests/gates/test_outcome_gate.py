"""Gate 6: the answer can be sent, and `changes` lists what the trial really changed.

A script may declare `changes = ["/desk/order.json", "ship"]`; the gate compares this list with
the trial's calls. Two rules of the gate object to answers that do not fit their outcome
(`6/wording`) and to giving up too early (`6/internal-error`).
"""

from __future__ import annotations

import pytest

from tests.gates.sample_trials import (
    CallsOfTrial,
    judge_scratchpad,
    objection_of,
    valid_scratchpad,
    verdict_of,
)
from tests.support.executed_work import assert_linear

OUTCOME_GATE = 6

# The answer
# --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "objection"),
    [
        pytest.param(21, "the number `21`", id="number"),
        pytest.param(None, "missing", id="None"),
        pytest.param(["21"], "a list of 1", id="list"),
        pytest.param(object(), "missing", id="object"),
        pytest.param("", "is empty", id="empty"),
        pytest.param(" \n", "is empty", id="blank"),
        pytest.param(
            "a\ud800b", "lone surrogate at character 1", id="not encodable as UTF-8"
        ),
        pytest.param("x" * 10_000_000, "10000000 characters", id="too long"),
    ],
)
def test_an_answer_that_cannot_be_sent_is_rejected(
    answer: object, objection: str
) -> None:
    """An answer is a text of bounded length that UTF-8 can encode."""
    judgement = judge_scratchpad(valid_scratchpad(answer=answer))

    assert objection in objection_of(judgement, OUTCOME_GATE)


# Declared changes
# --------------------------------------------------------------------------------------------------------------


def objection_to_changes(changes: object, calls: CallsOfTrial) -> str:
    """Return what the gate objects to in a scratchpad that declares these changes.

    An empty string if the gate accepts them.
    """
    judgement = judge_scratchpad(valid_scratchpad(changes=changes), calls)
    return objection_of(judgement, OUTCOME_GATE)


def calls_with_two_changes() -> CallsOfTrial:
    """Return the calls of a trial that wrote `/desk/order.json` and ran `/bin/ship`."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    calls.write("/desk/order.json")
    calls.run("/bin/ship", "b-104")
    return calls


@pytest.mark.parametrize(
    ("changes", "objection"),
    [
        pytest.param("none", "list at most 1000 paths", id="a text"),
        pytest.param(
            {"/desk/order.json": "write"}, "list at most 1000 paths", id="a mapping"
        ),
        pytest.param(
            [{"path": 3, "action": "write"}], "names nothing", id="a number as a path"
        ),
        pytest.param([""], "names nothing", id="an empty name"),
    ],
)
def test_changes_must_be_a_list_of_names(changes: object, objection: str) -> None:
    """A script declares what the trial changed: `["/desk/order.json", "ship"]`, or with the action,
    `[{"path": "/desk/order.json", "action": "write"}]`.

    To anything but a list, the gate objects that the script should "list at most 1000 paths".
    """
    actual_objection = objection_to_changes(changes, calls_with_two_changes())

    assert objection in actual_objection


@pytest.mark.parametrize(
    ("changes", "objection"),
    [
        pytest.param(
            [],
            "leaves out write of `/desk/order.json`, execute of `/bin/ship`",
            id="both omitted",
        ),
        pytest.param(
            ["/desk/order.json"],
            "leaves out execute of `/bin/ship`",
            id="one omitted",
        ),
    ],
)
def test_a_declaration_that_omits_a_change_is_rejected(
    changes: list[str], objection: str
) -> None:
    """The trial has written `/desk/order.json` and run `/bin/ship`."""
    actual_objection = objection_to_changes(changes, calls_with_two_changes())

    assert objection in actual_objection


@pytest.mark.parametrize(
    ("changes", "objection"),
    [
        pytest.param(
            [{"path": "/desk/order.json", "action": "delete"}, "ship"],
            "names `/desk/order.json`: the trace shows no such",
            id="another action on the file",
        ),
        pytest.param(
            ["/desk/order.json", "/bin/ship", "/desk/other.json"],
            "names `/desk/other.json`: the trace shows no such",
            id="another file",
        ),
        pytest.param(
            ["/desk/order.json", "/sbin/ship"],
            "names `/sbin/ship`",
            id="a tool of the same name in another folder",
        ),
        pytest.param(
            ["order.json", "mail.send", "ship"],
            "names `mail.send`",
            id="another operation",
        ),
        pytest.param(
            ["order.json", "ship", "execute"], "names `execute`", id="an action alone"
        ),
        pytest.param(
            ["order.json", "ship", "json"], "names `json`", id="an extension alone"
        ),
    ],
)
def test_a_declared_change_that_was_not_made_is_rejected(
    changes: list[object], objection: str
) -> None:
    """The trial has written `/desk/order.json` and run `/bin/ship`, and nothing else."""
    actual_objection = objection_to_changes(changes, calls_with_two_changes())

    assert objection in actual_objection


# How a script may declare that it ran the program `/bin/odd`
DECLARATIONS_OF_ODD: list[list[object]] = [
    ["/bin/odd"],
    ["odd"],
    [{"path": "/bin/odd", "action": "execute"}],
]


@pytest.mark.parametrize("changes", DECLARATIONS_OF_ODD)
def test_a_run_of_a_tool_of_unknown_kind_may_be_declared(changes: list[object]) -> None:
    """The workspace does not say whether `/bin/odd` changes anything, so that the script may be
    right that it does."""
    calls = CallsOfTrial()
    calls.run("/bin/odd", "b-104")

    assert objection_to_changes(changes, calls) == ""


def test_a_run_of_a_tool_of_unknown_kind_may_be_omitted() -> None:
    """The script may be right that `/bin/odd` changes nothing, too."""
    calls = CallsOfTrial()
    calls.run("/bin/odd", "b-104")

    assert objection_to_changes([], calls) == ""


@pytest.mark.parametrize("changes", DECLARATIONS_OF_ODD)
def test_a_failed_run_of_a_tool_of_unknown_kind_may_not_be_declared(
    changes: list[object],
) -> None:
    """The run of `/bin/odd` ended with exit code 1, so it has not done what the script claims."""
    calls = CallsOfTrial()
    calls.run("/bin/odd", "b-104", exit_code=1)

    assert "the trace shows no such" in objection_to_changes(changes, calls)


def test_a_failed_run_of_a_tool_of_unknown_kind_may_be_omitted() -> None:
    calls = CallsOfTrial()
    calls.run("/bin/odd", "b-104", exit_code=1)

    assert objection_to_changes([], calls) == ""


def test_a_tool_may_be_declared_with_a_prefix() -> None:
    """Models often name a tool as `tools.ship`."""
    calls = CallsOfTrial()
    calls.run("/bin/ship", "b-104")

    assert objection_to_changes(["tools.ship"], calls) == ""


def test_a_hidden_file_may_not_be_declared_with_a_prefix() -> None:
    """The trial wrote a file called `.json`. `7.json` is another file, although it reads like that
    name with a prefix, as in `tools.ship`."""
    calls = CallsOfTrial()
    calls.write("/desk/.json")

    objection_to_path = objection_to_changes(["/desk/.json"], calls)
    objection_to_prefixed = objection_to_changes(["7.json"], calls)

    assert objection_to_path == ""
    assert "names `7.json`" in objection_to_prefixed


def test_comparing_many_changes_is_linear_work() -> None:
    """The trial wrote three times as many files as it declares. The message names four of the
    others and counts the rest."""
    named_in_message = 4

    def compare(declared_count: int) -> None:
        calls = CallsOfTrial()
        for number in range(3 * declared_count):
            calls.write(f"/desk/{number}.json")
        declared = [f"{number}.json" for number in range(declared_count)]

        objection = objection_to_changes(declared, calls)

        unnamed_count = 2 * declared_count - named_in_message
        assert f"and {unnamed_count} more" in objection

    assert_linear(compare, 100)


# Rule 6/wording: the answer's words fit the outcome
# --------------------------------------------------------------------------------------------------------------


def objection_to_wording(
    outcome: str, answer: str, instruction: str = "Which book?"
) -> str:
    """Return what rule `6/wording` objects to; an empty string if it does not."""
    scratchpad = valid_scratchpad(outcome=outcome, answer=answer)
    judgement = judge_scratchpad(scratchpad, instruction=instruction)
    return objection_of(judgement, "6/wording")


@pytest.mark.parametrize(
    ("outcome", "answer"),
    [
        ("OUTCOME_OK", "OUTCOME_NONE_UNSUPPORTED"),
        ("OUTCOME_NONE_CLARIFICATION", "OUTCOME_OK"),
    ],
)
def test_an_answer_that_names_an_outcome_is_objected_to(
    outcome: str, answer: str
) -> None:
    """The outcome has a field of its own. The answer is what the user reads."""
    assert "names an outcome class" in objection_to_wording(outcome, answer)


def test_a_refusal_may_name_its_outcome() -> None:
    """Some tasks want nothing but the name of the outcome as the answer to a forbidden request."""
    outcome = "OUTCOME_DENIED_SECURITY"

    assert not objection_to_wording(outcome, answer=outcome)


def test_an_answer_may_name_an_outcome_that_the_request_names() -> None:
    objection = objection_to_wording(
        "OUTCOME_OK",
        answer="It is OUTCOME_OK.",
        instruction="Say whether OUTCOME_OK is a class.",
    )

    assert not objection


def test_a_clarification_of_one_word_is_objected_to() -> None:
    """An answer with this outcome asks the user to clarify the request, and `b-104` asks nothing."""
    objection = objection_to_wording("OUTCOME_NONE_CLARIFICATION", answer="b-104")

    assert "asks nothing" in objection


@pytest.mark.parametrize(
    "answer",
    [
        "b-104 or b-105?",
        "Which?",
        # Chinese has no blanks: each of these is a whole sentence.
        "您要借b-104还是b-105？",
        "请说明是哪一本书：b-104，b-105。",
    ],
)
def test_a_clarification_that_asks_something_passes(answer: str) -> None:
    objection = objection_to_wording(
        "OUTCOME_NONE_CLARIFICATION", answer, instruction="Lend me the book."
    )

    assert not objection


def test_a_refusal_that_is_not_a_clarification_may_be_one_word() -> None:
    """Only a clarification has to ask something."""
    assert not objection_to_wording("OUTCOME_NONE_UNSUPPORTED", answer="b-104")


# Rule 6/internal-error: a trial gives up only if the environment has failed
# --------------------------------------------------------------------------------------------------------------

GIVING_UP = valid_scratchpad(
    outcome="OUTCOME_ERR_INTERNAL", answer="the desk does not respond"
)


def calls_with_outage() -> CallsOfTrial:
    """Return the calls of a trial in which the environment failed: a file could not be read."""
    calls = CallsOfTrial()
    calls.fail("read", "/desk/order.json", code="unavailable")
    return calls


def test_giving_up_after_a_failed_call_is_objected_to_once() -> None:
    """The failed call may succeed if it is made again. So the first objection asks for that, and if
    the model gives up again, it may."""
    calls = calls_with_outage()

    first_judgement = judge_scratchpad(GIVING_UP, calls)
    second_judgement = judge_scratchpad(GIVING_UP, calls, internal_errors_before=1)

    first_objection = objection_of(first_judgement, "6/internal-error")
    assert "for failed tooling alone" in first_objection
    assert not objection_of(second_judgement, "6/internal-error")


def test_giving_up_while_no_call_has_failed_is_always_objected_to() -> None:
    """The rule objects for the fourth time, after the model has given up three times before."""
    calls = CallsOfTrial()
    # The environment works: the script asked for a file that does not exist.
    calls.fail("read", "/nowhere.md", code="not_found")

    judgement = judge_scratchpad(GIVING_UP, calls, internal_errors_before=3)

    objection = objection_of(judgement, "6/internal-error")
    assert "No call of the environment has failed" in objection


def test_the_rule_on_giving_up_does_not_apply_to_another_outcome() -> None:
    """The environment has failed, but the trial answers with `OUTCOME_OK`."""
    scratchpad = valid_scratchpad(outcome="OUTCOME_OK")

    judgement = judge_scratchpad(scratchpad, calls_with_outage())

    assert verdict_of(judgement, "6/internal-error").result == "not_applicable"
