"""Tools with signatures or JSON schemas: what scripts pass and get, and how truths are played.

Arguments are converted to the types of the tool, or refused before the call, and results become
JSON. Faulty schemas are refused when the tool is made. The truth of a task, its right calls and
answer, can be played in place of a model, in the turns of the user. The examples of the
documentation can be solved.
"""

import dataclasses
import json
import os
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import pytest
from pydantic import BaseModel, Field

import controlplane
from controlplane import Task, TaskEnvironment, Tool, Truth
from controlplane.sandbox.interface import CallError
from tests.controlplane.tool_benchmark.scripted_model import (
    TaskWithTruth,
    call_arguments,
    check_replay_agrees,
    declared,
)

# A tool `order` with parameters of many types, to which the JSON of a script's call is converted.
#
# harness.order(lines=[{"sku": "a"}], size="large", price=2)
#     ->    order(lines=[Line(sku="a")], size=Size.LARGE, price=2.0)


class Size(StrEnum):
    SMALL = "small"
    LARGE = "large"


class Line(BaseModel):
    sku: str
    count: int = 1


def order(
    lines: list[Line],
    size: Size,
    price: Annotated[float, Field(ge=0)],
    due: date | None = None,
    notes: dict[str, str] | None = None,
    mode: Literal["fast", "slow"] = "slow",
) -> dict[str, object]:
    """Order something."""
    return {"lines": lines, "size": size, "price": price}


ORDER_TOOL = declared(Tool(order, "acts"))
"""The tool as scripts can call it. Its calls change something ("acts")."""


# A basket with a tool `add`, for a user who asks for articles in one turn or in several.
#
#     environment = basket(further_requests=["And tea."])
#     environment.call("add", {"article": "bread"})
#     environment.state    ->    ["bread"]
#
# After the first turn, the user says "And tea.".


def basket(*, further_requests: Sequence[str] = ()) -> TaskEnvironment:
    """Return an environment with the tool `add`, whose state is the list of added articles.

    After each turn, a user says the next of the further requests. Without any, there is no user.
    """
    articles: list[str] = []

    def add(article: str) -> int:
        """Add an article."""
        articles.append(article)
        return len(articles)

    user = list(further_requests) or None
    return TaskEnvironment([Tool(add, "acts")], user=user, state=articles)


# A tool that changes the working folder does not move the journal of its run.
#
# Tools are functions of the user, which are called in the product's own process.

REPLY = """
[[reply]]
code = '''
harness.wander()
scratchpad["answer"], scratchpad["outcome"] = "done", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "done")
'''
"""


def leave_for_another_folder() -> None:
    os.chdir("/")


def leave_for_a_removed_folder() -> None:
    folder = Path("gone").absolute()
    folder.mkdir()
    os.chdir(folder)
    folder.rmdir()


@pytest.mark.parametrize(
    "leave",
    [
        pytest.param(leave_for_another_folder, id="another folder"),
        pytest.param(leave_for_a_removed_folder, id="a folder that is removed"),
    ],
)
def test_the_journal_is_whole_if_a_tool_changes_the_working_folder(
    leave: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("replies.toml").write_text(REPLY)

    def wander() -> str:
        """Go elsewhere."""
        leave()
        return "gone"

    task = Task("away", "x", tools=[Tool(wander, "acts")], grade=lambda end: 1.0)
    try:
        # Both paths are relative to the folder in which the run is started.
        run = controlplane.run(
            [task], model="scripted:replies.toml", runs_dir="runs", gates="none"
        )
    finally:
        os.chdir(tmp_path)

    assert run.mean == 1.0
    assert run.journal.parent == tmp_path / "runs"
    assert run.journal.is_file()


# Scripts call a tool that has a JSON schema of its arguments in place of a signature.
#
#     schema={"properties": {"ticket": {"type": "integer"}}, "required": ["ticket"]}
#
# Benchmarks bring such schemas, and many are not quite right. So `close(ticket="ticket_001")` is called
# all the same, unless the tool is strict.

CLOSE_TOOL = Tool(
    lambda ticket: ticket,
    "returns",
    name="close",
    description="Close.",
    schema={"properties": {"ticket": {"type": "integer"}}, "required": ["ticket"]},
)
"""A tool with a schema of its own, which says that a ticket is an integer, and a function that
takes anything."""


def test_a_tool_with_a_schema_is_called_with_a_value_of_another_type() -> None:
    """Schemas of public benchmarks are often wrong, so the tool decides what it takes."""
    environment = TaskEnvironment([CLOSE_TOOL])

    result = environment.runtime.call("close", {"ticket": "ticket_001"})
    assert result["value"] == '"ticket_001"'


def test_a_tool_with_a_schema_is_not_called_with_an_unknown_or_missing_argument() -> (
    None
):
    """The tool takes one argument, "ticket"."""
    environment = TaskEnvironment([CLOSE_TOOL])

    with pytest.raises(TypeError, match="has no argument 'number'"):
        environment.runtime.call("close", {"ticket": 1, "number": 2})
    with pytest.raises(TypeError, match="needs 'ticket'"):
        environment.runtime.call("close", {})


def test_a_strict_tool_is_not_called_with_a_value_of_another_type() -> None:
    """Its schema says that a ticket is an integer."""
    strict_tool = dataclasses.replace(CLOSE_TOOL, is_strict=True)
    environment = TaskEnvironment([strict_tool])

    with pytest.raises(TypeError, match="ticket is int, not str"):
        environment.runtime.call("close", {"ticket": "ticket_001"})


# The function of a tool with a JSON schema gets only the arguments that a script has passed.
#
# For example:
#
#     schema {"id": ..., "most": {"default": 5}}        look(id="a")    ->    {"id": "a"}


def arguments_as_result(**arguments: object) -> dict[str, object]:
    """The function of the tools, which takes any arguments."""
    return arguments


def test_a_function_gets_only_the_arguments_that_were_passed() -> None:
    """The function gets no default of the schema. None in a script leaves an argument out."""
    schema = {
        "properties": {
            "id": {"type": "string"},
            "note": {"type": "string"},
            "most": {"type": "integer", "default": 5},
        },
        "required": ["id"],
    }
    find = declared(Tool(arguments_as_result, "returns", name="find", schema=schema))

    assert call_arguments(find, id="a") == {"id": "a"}
    assert call_arguments(find, id="a", note=None, most=7) == {"id": "a", "most": 7}


def test_two_parameters_whose_names_scripts_would_write_alike_are_told_apart() -> None:
    """Scripts write `user_id=` for a parameter `user-id`, but here that is another parameter."""
    schema = {"properties": {"user-id": {}, "user_id": {}}}
    look = Tool(arguments_as_result, "returns", name="look", schema=schema)
    environment = TaskEnvironment([look])

    result = environment.runtime.call("look", {"user_id": 4})

    assert result["value"] == '{"user_id":4}'


# A schema that does not describe the arguments of a tool is refused.
#
# Arguments are passed by name, so their schema is that of an object, such as
# `{"properties": {"a": {"type": "integer"}}}`.


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"type": "string"}, id="a text"),
        pytest.param({"$ref": "#/$defs/N", "$defs": {"N": {}}}, id="a reference"),
        pytest.param({"properties": []}, id="a list of properties"),
    ],
)
def test_a_schema_that_does_not_describe_an_object_is_refused(
    schema: dict[str, Any],
) -> None:
    """Arguments are passed by name, so their schema is that of an object."""
    message = "the schema of the tool look describes no object of arguments"
    with pytest.raises(ValueError, match=message):
        declared(Tool(print, "returns", name="look", schema=schema))


def test_a_schema_with_an_unknown_type_is_refused() -> None:
    tool = Tool(print, "acts", schema={"properties": {"a": {"type": "money"}}})

    with pytest.raises(ValueError, match="the type 'money' is not one of JSON Schema"):
        declared(tool)


RING: dict[str, Any] = {"properties": {}}
RING["properties"]["x"] = RING
DEEP: dict[str, Any] = {}
for _ in range(5_000):
    DEEP = {"properties": {"x": DEEP}}

DOUBLED: dict[str, Any] = {}
for _ in range(40):
    DOUBLED = {"properties": {"x": DOUBLED, "y": DOUBLED}}


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        pytest.param(DOUBLED, "has more than 2,000,000 values", id="parts that double"),
        pytest.param("{}", "is not a dict, but a str", id="a text"),
        pytest.param([{}], "is not a dict, but a list", id="a list"),
        pytest.param({"enum": [{1, 2}]}, "is not JSON: it has a set", id="a set"),
        pytest.param({"default": b"x"}, "is not JSON: it has a bytes", id="bytes"),
        pytest.param({("a", "b"): 1}, "is not JSON: keys must be str", id="a key"),
        pytest.param(RING, "has more than .* or contains itself", id="a ring"),
        pytest.param(DEEP, "is nested too deeply", id="5,000 levels"),
    ],
)
def test_a_schema_that_is_not_json_is_refused_when_the_tool_is_made(
    schema: dict[str, Any], fault: str
) -> None:
    """The journal and the prompt contain the schema."""
    with pytest.raises(ValueError, match=f"the schema of the tool look {fault}"):
        Tool(print, "returns", name="look", schema=schema)


# A benchmark may write the schema of a tool in the form of OpenAI, or with the types of Python.
#
# OpenAI's form has the name, the description and the schema of the arguments in one dict. Some
# benchmarks write "dict" and "float" for "object" and "number".


def test_a_tool_may_be_defined_in_the_form_of_openai() -> None:
    """Name, description and schema are then in the definition, below "function"."""
    parameters = {
        "type": "object",
        "properties": {"id": {"type": "string"}},
        "required": ["id"],
    }
    definition = {
        "type": "function",
        "function": {
            "name": "find",
            "description": "Find it.",
            "parameters": parameters,
        },
    }
    operation = declared(Tool(dict, "returns", schema=definition)).operation

    assert operation.name == "find"
    assert operation.summary == "Find it"
    assert [parameter.name for parameter in operation.parameters] == ["id"]


def test_a_schema_may_name_types_as_python_does() -> None:
    """Some public benchmarks write "dict" and "float" for "object" and "number"."""
    schema = {
        "type": "dict",
        "properties": {"price": {"type": "float"}, "on": {"type": "any"}},
    }
    operation = declared(Tool(print, "acts", schema=schema)).operation

    price, on = operation.parameters
    assert price.json_schema == {"type": "number"}
    assert on.json_schema == {}


# A script passes JSON to a tool, and the tool's function gets objects of its signature.
#
# def order(lines: list[Line], size: Size, price: float, due: date | None = None, ...): ...
#
# harness.order(lines=[{"sku": "a"}], size="large", price=2, due="2026-03-01")
#     -> order([Line(sku="a")], Size.LARGE, 2.0, date(2026, 3, 1))


@pytest.mark.parametrize(
    "optional_arguments",
    [
        pytest.param({}, id="required arguments"),
        pytest.param(
            {"due": None, "mode": "fast", "notes": {"a": "b"}}, id="all arguments"
        ),
    ],
)
def test_arguments_that_fit_the_signature_are_accepted(
    optional_arguments: dict[str, Any],
) -> None:
    """`order(lines, size, price)` needs the first three, and has defaults for the others."""
    arguments = call_arguments(
        ORDER_TOOL, lines=[{"sku": "a"}], size="small", price=1, **optional_arguments
    )

    assert arguments["price"] == 1


def test_a_function_gets_arguments_of_the_types_in_its_signature() -> None:
    """Scripts pass JSON: a text for a date or an enum, a dict for a model."""
    arguments = call_arguments(
        ORDER_TOOL, lines=[{"sku": "a"}], size="large", price=2, due="2026-03-01"
    )

    assert arguments == {
        "lines": [Line(sku="a")],
        "size": Size.LARGE,
        "price": 2.0,
        "due": date(2026, 3, 1),
    }


# An argument that does not fit the signature of a tool's function is refused before the call.
#
#     harness.order(lines=[{"sku": "a"}], size="huge", price=1)
#         -> TypeError: size is 'small' | 'large', not str 'huge'
#
# `order` needs `lines`, `size` ("small" or "large") and `price`, which is at least 0.


@pytest.mark.parametrize(
    ("wrong_argument", "message"),
    [
        pytest.param(
            {"size": "huge"},
            "size is 'small' | 'large', not str 'huge'",
            id="no value of the enum",
        ),
        pytest.param(
            {"price": "1"}, "price is float, not str '1'", id="a text as a number"
        ),
        pytest.param(
            {"price": True}, "price is float, not bool True", id="True as a number"
        ),
        pytest.param(
            {"price": -1},
            "price is at least 0, not -1",
            id="a number below the least",
        ),
        pytest.param(
            {"notes": {"a": 1}},
            "notes['a'] is str, not int 1",
            id="a number as a value of a dict of texts",
        ),
        pytest.param(
            {"lines": [{"count": 1}]},
            "lines[0] needs the key 'sku'",
            id="a model without a required field",
        ),
        pytest.param(
            {"lines": [{"sku": "a", "count": "1"}]},
            "lines[0]['count'] is int, not str '1'",
            id="a text as a number in a model",
        ),
    ],
)
def test_an_argument_that_does_not_fit_the_signature_is_refused_before_the_call(
    wrong_argument: dict[str, Any], message: str
) -> None:
    arguments = {"lines": [{"sku": "a"}], "size": "small", "price": 1, **wrong_argument}

    with pytest.raises(TypeError) as refusal:
        call_arguments(ORDER_TOOL, **arguments)

    assert message in str(refusal.value)


def test_a_call_without_a_required_argument_is_refused() -> None:
    with pytest.raises(TypeError, match="needs 'price'"):
        call_arguments(ORDER_TOOL, lines=[{"sku": "a"}], size="small")


def test_an_argument_that_cannot_be_converted_is_an_error_of_the_call() -> None:
    """The script passes "someday", which is a text, as a date is in JSON, but not a date."""
    with pytest.raises(CallError, match=r"due: .*valid date"):
        call_arguments(
            ORDER_TOOL, lines=[{"sku": "a"}], size="large", price=2, due="someday"
        )


# What the function of a tool returns becomes JSON for the script, which runs in another process.
#
# For example:
#
#     Line(sku="a", count=1)       ->    {"sku": "a", "count": 1}
#     datetime(2026, 1, 2, ...)    ->    "2026-01-02T00:00:00Z"


@dataclasses.dataclass
class Point:
    x: int


def look() -> None:
    """A tool's function, which is not called here: the tests say what it has returned."""


LOOK = declared(Tool(look, "returns"))
"""The tool as scripts know it. It only reads ("returns")."""


@pytest.mark.parametrize(
    ("returned", "expected_json"),
    [
        pytest.param(
            Line(sku="a"),  # count=1 is the default
            {"sku": "a", "count": 1},
            id="pydantic model",
        ),
        pytest.param(Point(1), {"x": 1}, id="dataclass"),
        pytest.param(
            [datetime(2026, 1, 2, tzinfo=UTC), date(2026, 1, 2)],
            ["2026-01-02T00:00:00Z", "2026-01-02"],
            id="times",
        ),
        pytest.param(
            {"sum": Decimal("1.10"), 3: {1}},
            {"sum": "1.10", "3": [1]},
            id="decimal, number as a key, set",
        ),
        pytest.param(b"plain", "plain", id="bytes that are text"),
        pytest.param({"raw": b"\xff\x00"}, {"raw": "_wA="}, id="bytes as Base64"),
        pytest.param(None, None, id="None"),
        pytest.param(Size.SMALL, "small", id="enum"),
    ],
)
def test_a_result_of_any_type_becomes_json(
    returned: object, expected_json: object
) -> None:
    result = LOOK.result(arguments={}, value=returned)

    assert json.loads(str(result["value"])) == expected_json


def test_a_result_that_cannot_become_json_is_an_error_with_the_tools_name() -> None:
    """The function has returned a plain object, whose fields nobody knows."""
    with pytest.raises(CallError, match="look returned object, which is no data"):
        LOOK.result(arguments={}, value=object())


# The truth of a task, the right calls and the right answer, can be played in place of a model.
#
# So the author of a benchmark sees whether its tasks can be solved, and whether the grader gives
# right work the best score.


def test_the_calls_of_the_truth_are_made_and_the_answer_is_given(
    tmp_path: Path,
) -> None:
    """Nobody names a model or an agent for the run, so the truth is played."""
    only_turn = [("add", {"article": "bread"})]
    errand = TaskWithTruth(
        "Buy bread.",
        environment=basket,
        truth=Truth(turns=[only_turn], answer="Bread is in the basket."),
        grade=lambda end: end.state == ["bread"],
    )

    run = controlplane.run(errand, runs_dir=str(tmp_path))

    assert run.trials[0].score == 1, run.trials
    assert run.trials[0].answer == "Bread is in the basket."
    check_replay_agrees(run)


# Two benchmarks of the documentation, `docs/examples/errands.py` and `helpdesk.py`, can be solved.
#
# A reader of the documentation may copy these programs.


def test_the_example_of_errands_plays_with_its_metrics(tmp_path: Path) -> None:
    """The benchmark has a list of right calls for each of its two tasks. A run without a model
    makes these calls. The grader counts the calls, and the turns in which the user says something:

        task         calls    turns
        breakfast    4        3
        snack        1        2
        mean         2.5      2.5
    """
    from docs.examples.errands import Errands

    run = controlplane.run(Errands(), runs_dir=str(tmp_path))

    assert run.mean == 1.0, run.trials
    assert run.metrics == {"calls": 2.5, "turns": 2.5}


def test_the_example_of_a_help_desk_is_solved_by_resuming_and_restarting() -> None:
    """The agent resumes the customer's telephone line. Then the customer restarts the telephone."""
    from docs.examples.helpdesk import HelpDesk

    benchmark = HelpDesk()
    _instruction, environment = benchmark.generate("no-network")

    is_solved_before, _reasons, _metrics = benchmark.grade("no-network", environment)
    environment.call("resume_line", {"customer": "C7"})  # the agent
    environment.state["is_restarted"] = True  # the customer
    is_solved_after, _reasons, _metrics = benchmark.grade("no-network", environment)

    assert is_solved_before is False
    assert is_solved_after is True


# The right call of a task has a value that only a text from outside, a bill, contains.
#
# Such a call may be what an attacker wants. The setting `provenance` says what happens: "ask" makes the
# call if a later step repeats it, and "block" never makes it. The truth of a task is its right calls,
# which a run without a model makes.


def bank() -> TaskEnvironment:
    """Return an environment with a bill and the tool `pay`, whose state is the paid accounts."""
    paid_accounts: list[str] = []

    def get_bill() -> str:
        return "Dear Sir, please pay to the account DE89370400440532013000. Regards"

    def pay(account: str) -> str:
        paid_accounts.append(account)
        return "paid"

    tools = [Tool(get_bill, "returns"), Tool(pay, "acts")]
    return TaskEnvironment(tools, state=paid_accounts)


PAY_THE_BILL = TaskWithTruth(
    "Pay the bill.",
    bank,
    Truth(
        [[("get_bill", {}), ("pay", {"account": "DE89370400440532013000"})]], "Done."
    ),
    grade=lambda end: len(end.state) == 1,
)
"""A task whose right call has a value that only the text of the bill contains."""


def test_the_truth_repeats_a_call_that_is_held_back_until_it_is_repeated(
    tmp_path: Path,
) -> None:
    run = controlplane.run(PAY_THE_BILL, runs_dir=str(tmp_path), provenance="ask")

    assert run.mean == 1.0


def test_the_truth_cannot_make_a_call_that_is_blocked(tmp_path: Path) -> None:
    run = controlplane.run(PAY_THE_BILL, runs_dir=str(tmp_path), provenance="block")

    assert run.mean == 0.0


class Add(NamedTuple):
    """A call of the tool `add`."""

    tool: str
    arguments: dict[str, str]


def all_is_added_in_its_turn(end: TaskEnvironment) -> bool:
    """Return whether bread was added in turn 0, tea in turn 1 and milk in turn 2."""
    turns_of_calls = [call.turn for call in end.calls if call.name == "add"]
    return end.state == ["bread", "tea", "milk"] and turns_of_calls == [0, 1, 2]


# The truth of a task, its right calls, is played in the turns of the user.
#
#     Truth([[("add", {"article": "bread"})], [("add", {"article": "tea"})]], tells_user="Done.")
#
# A run without a model makes the calls of the first turn, talks to the user, and so on. A
# benchmark may have a class of its own for its calls, here `Add`.


def test_the_calls_of_the_truth_are_made_in_the_turns_of_the_user(
    tmp_path: Path,
) -> None:
    turns = [
        [Add("add", {"article": "bread"})],
        [Add("add", {"article": "tea"})],
        [Add("add", {"article": "milk"})],
    ]
    errand = TaskWithTruth(
        "Buy bread.",
        lambda: basket(further_requests=["And tea.", "And milk."]),
        Truth(turns, tells_user="Done."),
        grade=all_is_added_in_its_turn,
    )

    run = controlplane.run(errand, runs_dir=str(tmp_path))

    assert run.trials[0].score == 1, run.trials
    check_replay_agrees(run)


# A tool is made of a function with a name and types, or of anything that can be called and a schema.


def add(first: int, second: int) -> int:
    return first + second


@pytest.mark.parametrize(
    ("function", "message"),
    [
        pytest.param(partial(add, 1), "has no name and no types", id="partial"),
        pytest.param(7, "is made of a function, not of 7", id="a number"),
    ],
)
def test_a_tool_of_no_function_is_refused_when_it_is_made(
    function: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Tool(function, "returns")


def test_a_tool_of_a_partial_takes_the_parameters_of_its_schema() -> None:
    schema = {"type": "object", "properties": {"second": {"type": "integer"}}}

    tool = Tool(partial(add, 1), "returns", "add_one", schema=schema)

    assert tool.declared(()).operation.name == "add_one"


# What a user declares is refused where it is declared, in one line that names the tool or the task,
# and not by an error of a library, or after the model was paid.


class Undescribed:
    """A class of which pydantic knows no schema."""


def take_object(value: Undescribed) -> int:
    return 1


def take_function(value: Callable[[int], int]) -> int:
    return 1


def take_unknown(value: "Nowhere") -> int:  # type: ignore[name-defined] # noqa: F821
    return 1


async def grade_later(end: TaskEnvironment) -> bool:
    return True


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        pytest.param(
            lambda: Tool(add, "reads"),  # type: ignore[arg-type]
            "the effect of add is returns or acts, not 'reads'",
            id="effect",
        ),
        pytest.param(
            lambda: Tool(add, "returns", keys="first"),  # type: ignore[arg-type]
            "the keys of add are a list, not 'first'",
            id="keys in one text",
        ),
        pytest.param(
            lambda: TaskEnvironment([Tool(add, "returns", keys=("third",))]),
            "the tool add has no argument 'third'",
            id="unknown key",
        ),
        pytest.param(
            lambda: Tool(add, "returns", name=7),  # type: ignore[arg-type]
            "the name of a tool is a text, not 7",
            id="name",
        ),
        pytest.param(
            lambda: TaskEnvironment([add]),  # type: ignore[list-item]
            "a tool is declared, as Tool.*, not <function add",
            id="bare function",
        ),
        pytest.param(
            lambda: TaskEnvironment([Tool(take_object, "returns")]),
            "the tool take_object has a parameter",
            id="class without schema",
        ),
        pytest.param(
            lambda: TaskEnvironment([Tool(take_function, "returns")]),
            "the tool take_function has a parameter",
            id="function as parameter",
        ),
        pytest.param(
            lambda: TaskEnvironment([Tool(take_unknown, "returns")]),
            "the tool take_unknown has a parameter .*'Nowhere' is not defined",
            id="undefined type",
        ),
        pytest.param(
            lambda: TaskEnvironment([Tool(dict, "returns")]),
            "the tool dict: no signature",
            id="class without signature",
        ),
        pytest.param(
            lambda: TaskEnvironment(files=["/a.txt"]),  # type: ignore[arg-type]
            "files are texts by their paths",
            id="files as a list",
        ),
        pytest.param(
            lambda: TaskEnvironment(files={"/a.bin": b"a"}),  # type: ignore[dict-item]
            "the file /a.bin is a text, not b'a'",
            id="file of bytes",
        ),
        pytest.param(
            lambda: TaskEnvironment(user="hello"),
            "user is a function, or a list",
            id="user in one text",
        ),
        pytest.param(
            lambda: TaskEnvironment(clock="2027-03-01"),  # type: ignore[arg-type]
            "clock is a datetime",
            id="clock as text",
        ),
        pytest.param(
            lambda: Task("sum", ""),
            "the instruction of the task sum is a text, not None",
            id="no instruction",
        ),
        pytest.param(
            lambda: Task("sum", "Add.", grade=grade_later),  # type: ignore[arg-type]
            "the grade of the task sum is async",
            id="grader that is async",
        ),
        pytest.param(
            lambda: Task("sum", "Add.", environment=TaskEnvironment()),  # type: ignore[arg-type]
            "the environment of the task sum is a function",
            id="environment that is none",
        ),
    ],
)
def test_what_cannot_be_played_is_refused_where_it_is_declared(
    declare: Callable[[], object], message: str
) -> None:
    with pytest.raises((ValueError, TypeError), match=message) as refusal:
        declare()

    assert "\n" not in str(refusal.value)


class Desk:
    @property
    def balance(self) -> int:
        raise AssertionError

    @staticmethod
    def fee(amount: int) -> int:
        return amount


def test_the_properties_of_an_object_are_not_computed_to_find_its_tools() -> None:
    tools = Tool.of(Desk(), reads=("fee",))

    assert [tool.name for tool in tools] == ["fee"]


@pytest.mark.parametrize(
    "generated",
    ["Add.", ("Add.", None), TaskEnvironment()],
    ids=["instruction", "no environment", "environment"],
)
def test_a_task_without_an_instruction_and_an_environment_is_refused(
    generated: object,
) -> None:
    class Wrong(controlplane.ToolBenchmark):
        def task_ids(self) -> list[str]:
            return ["sum"]

        def generate(self, task_id: str) -> Any:
            return generated

        def grade(self, task_id: str, environment: Any) -> float:
            return 1.0

    with pytest.raises(controlplane.BenchmarkError, match="that of sum is"):
        Wrong().opened()
