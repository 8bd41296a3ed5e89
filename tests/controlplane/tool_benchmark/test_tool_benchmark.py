"""Benchmarks of tools: plain functions as calls, models
for users and graders, and changing calls that are held."""

import dataclasses
import json
import os
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

import controlplane
from controlplane import Task, TaskEnvironment, Tool, ToolBenchmark, Truth
from controlplane.agent.loop import TrialSession
from controlplane.agent.model import Model, ModelRequest, Reply
from controlplane.errors import Interrupted, UsageError
from controlplane.gates.submission import Submission
from controlplane.journal.journal_reader import open_journal
from controlplane.sandbox.interface import CallError, bound_arguments
from controlplane.solver import SolverSpec
from controlplane.tool_benchmark.task_list import TaskList
from tests.support.command import run_controlplane as command_line
from tests.support.command import run_in_process


class Size(StrEnum):
    SMALL = "small"
    LARGE = "large"


class Line(BaseModel):
    sku: str
    count: int = 1


def order(
    lines: list[Line],
    size: Size,
    price: Annotated[float, Field(ge=0, description="in euros")],
    due: date | None = None,
    notes: dict[str, str] | None = None,
    mode: Literal["fast", "slow"] = "slow",
) -> dict[str, object]:
    """Order something.

    A second paragraph.
    """
    return {
        "lines": lines,
        "size": size,
        "price": price,
        "due": due,
        "notes": notes,
        "mode": mode,
    }


@pytest.mark.parametrize(
    "arguments",
    [
        {"size": "small", "price": 1},
        {
            "size": "small",
            "price": 1,
            "due": None,
            "mode": "fast",
            "notes": {"a": "b"},
        },
    ],
)
def test_arguments_that_fit_their_schema_are_bound(arguments: dict[str, Any]) -> None:
    operation = Tool(order, "acts").declared(set()).operation
    bound = bound_arguments(operation, (), {"lines": [{"sku": "a"}]} | arguments)

    assert bound["price"] == 1


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({"size": "huge", "price": 1}, "size is 'small' | 'large', not str 'huge'"),
        ({"size": "small", "price": "1"}, "price is float, not str '1'"),
        ({"size": "small", "price": True}, "price is float, not bool True"),
        ({"size": "small", "price": -1}, "price is at least 0, not -1"),
        (
            {"size": "small", "price": 1, "notes": {"a": 1}},
            "notes['a'] is str, not int 1",
        ),
        (
            {"size": "small", "price": 1, "lines": [{"count": 1}]},
            "lines[0] needs the key 'sku'",
        ),
        (
            {"size": "small", "price": 1, "lines": [{"sku": "a", "count": "1"}]},
            "lines[0]['count'] is int, not str '1'",
        ),
        ({"size": "small"}, "needs 'price'"),
    ],
)
def test_arguments_that_break_their_schema_are_refused_before_the_call(
    arguments: dict[str, Any], fault: str
) -> None:
    operation = Tool(order, "acts").declared(set()).operation
    with pytest.raises(TypeError) as raised:
        bound_arguments(operation, (), {"lines": [{"sku": "a"}]} | arguments)

    assert fault in str(raised.value)


def test_a_function_gets_its_own_types() -> None:
    tool = Tool(order, "acts").declared(set())
    arguments = {
        "lines": [{"sku": "a"}],
        "size": "large",
        "price": 2,
        "due": "2026-03-01",
    }
    bound = bound_arguments(tool.operation, (), arguments)

    assert tool.arguments(bound) == {
        "lines": [Line(sku="a")],
        "size": Size.LARGE,
        "price": 2.0,
        "due": date(2026, 3, 1),
    }

    bound = bound_arguments(tool.operation, (), arguments | {"due": "someday"})
    with pytest.raises(CallError, match=r"due: .*valid date"):
        tool.arguments(bound)


def test_with_a_schema_optional_arguments_that_were_left_out_are_not_passed() -> None:
    schema = {
        "properties": {
            "id": {"type": "string"},
            "note": {"type": "string"},
            "most": {"type": "integer", "default": 5},
        },
        "required": ["id"],
    }
    tool = Tool(dict, "returns", name="find", schema=schema).declared(set())
    declared = tool.operation

    assert tool.arguments(bound_arguments(declared, (), {"id": "a"})) == {"id": "a"}
    bound = bound_arguments(declared, (), {"id": "a", "note": None, "most": 7})
    assert tool.arguments(bound) == {"id": "a", "most": 7}


@pytest.mark.parametrize(
    "schema",
    [{"type": "string"}, {"$ref": "#/$defs/N", "$defs": {"N": {}}}, {"properties": []}],
)
def test_a_schema_that_is_no_object_s_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(
        ValueError, match="the schema of the tool look describes no object of arguments"
    ):
        Tool(print, "returns", name="look", schema=schema).declared(set())


def test_a_name_that_scripts_can_write_is_kept_for_its_own() -> None:
    """Scripts cannot write `get-user`, which would be adapted to `get_user`."""
    tools = [
        Tool(lambda: 1, "returns", name="get-user"),
        Tool(lambda: 2, "returns", name="get_user"),
    ]
    assert TaskEnvironment(tools).runtime.call("get_user", {})["value"] == "2"

    schema = {"properties": {"user-id": {}, "user_id": {}}}
    look = Tool(lambda **arguments: arguments, "returns", name="look", schema=schema)
    environment = TaskEnvironment([look])
    assert environment.runtime.call("look", {"user_id": 4})["value"] == '{"user_id":4}'


def test_a_tool_may_be_given_in_the_form_of_openai() -> None:
    parameters = {
        "type": "object",
        "properties": {"id": {"type": "string"}},
        "required": ["id"],
    }
    schema = {
        "type": "function",
        "function": {
            "name": "find",
            "description": "Find it.",
            "parameters": parameters,
        },
    }
    declared = Tool(dict, "returns", schema=schema).declared(set()).operation

    assert declared.name == "find"
    assert declared.summary == "Find it"
    assert [parameter.name for parameter in declared.parameters] == ["id"]


@dataclasses.dataclass
class Point:
    x: int


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (Line(sku="a"), {"sku": "a", "count": 1}),
        (Point(1), {"x": 1}),
        (
            [datetime(2026, 1, 2, tzinfo=UTC), date(2026, 1, 2)],
            ["2026-01-02T00:00:00Z", "2026-01-02"],
        ),
        ({"sum": Decimal("1.10"), 3: {1}}, {"sum": "1.10", "3": [1]}),
        (b"plain", "plain"),
        ({"raw": b"\xff\x00"}, {"raw": "_wA="}),
        (None, None),
        (Size.SMALL, "small"),
    ],
)
def test_any_result_becomes_data(value: object, data: object) -> None:
    tool = Tool(lambda: value, "returns", name="look").declared(set())
    assert json.loads(str(tool.result({}, value)["value"])) == data


def test_what_is_no_data_is_refused_with_the_name_of_the_tool() -> None:
    tool = Tool(object, "returns", name="look").declared(set())
    with pytest.raises(CallError, match="look returned object, which is no data"):
        tool.result({}, object())


@pytest.mark.parametrize(
    ("name", "adapted"),
    [
        ("class", "class_"),
        ("answer", "answer_"),
        ("get-user", "get_user"),
        ("users.get", "users_get"),
        ("2x", "t_2x"),
    ],
)
def test_a_name_that_scripts_cannot_call_is_adapted_and_says_so(
    name: str, adapted: str
) -> None:
    tool = Tool(lambda: 1, "returns", name=name, description="looks")
    operation = tool.declared(set()).operation

    assert operation.name == adapted
    assert operation.summary == f"looks (called {name} elsewhere)"


def test_without_files_a_tool_may_have_the_name_of_a_call_of_files() -> None:
    tool = Tool(lambda: 7, "returns", name="read")

    without_files = TaskEnvironment([tool])
    assert without_files.runtime.call("read", {})["value"] == "7"

    with_files = TaskEnvironment([tool], files={"/a.txt": "blue"})
    assert with_files.runtime.call("read", {"path": "/a.txt"})["content"] == "blue"
    assert with_files.runtime.call("read_2", {})["value"] == "7"


def test_a_signature_that_scripts_cannot_call_is_refused() -> None:
    def many(*words: str) -> None: ...

    async def later() -> None: ...

    with pytest.raises(ValueError, match=r"the tool many takes \*words: str"):
        Tool(many, "returns").declared(set())
    with pytest.raises(ValueError, match="the tool later is async"):
        Tool(later, "returns").declared(set())


def test_after_the_end_of_a_conversation_nothing_is_done() -> None:
    moves: list[str] = []
    environment = TaskEnvironment(
        [Tool(lambda: moves.append("moved"), "acts", name="move")],
        user=lambda text: None,  # The user ends the conversation at once.
    )

    assert environment.runtime.call("say", {"text": "bye"})["ended"] is True
    for name, arguments in (("move", {}), ("say", {"text": "hello?"})):
        with pytest.raises(CallError, match="the environment has ended this trial"):
            environment.runtime.call(name, arguments)

    assert moves == []
    assert len(environment.calls) == 1  # the first `say`


def test_a_wrong_argument_is_told_alike_in_a_replay(tmp_path: Path) -> None:
    class Place(BaseModel):
        z: int
        a: int

    (tmp_path / "replies.toml").write_text("[[reply]]\ncode = 'harness.go(place=5)'\n")

    def go(place: Place) -> int:
        return place.z

    tasks = [Task("go.1", "Go.", tools=[Tool(go, "returns")])]
    run = controlplane.run(
        tasks, model=f"scripted:{tmp_path / 'replies.toml'}", runs_dir=str(tmp_path)
    )
    replayed = command_line("replay", str(run.journal), "--verify", cwd=tmp_path)

    assert replayed.code == 0, replayed.out


REPLIES = """
[[reply]]
role = "solve"
code = "print(harness.say('hello').reply)"
[[reply]]
role = "solve"
code = "print(harness.say('in blue?').reply)"
[[reply]]
role = "solve"
code = "print(harness.say('done'))"
[[reply]]
role = "user"
text = "a hat please"
[[reply]]
role = "user"
text = "yes"
[[reply]]
role = "user"
text = "STOP"
[[reply]]
role = "grade"
text = "0.5"
"""
CONVERSATION = ["hello", "a hat please", "in blue?", "yes", "done", "STOP"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the benchmark `talk.py`, whose user and grader are models, and the
    replies of all three models."""
    (tmp_path / "talk.py").write_text(Path(__file__).with_name("talk.py").read_text())
    (tmp_path / "replies.toml").write_text(REPLIES)
    return tmp_path


RUN = (
    "run",
    "--benchmark",
    "talk",
    "--model",
    "scripted:replies.toml",
    "--json",
    "--quiet",
)


def test_user_and_grader_are_asked_counted_and_replayed(folder: Path) -> None:
    done = command_line(*RUN, cwd=folder)
    assert done.code == 0, done.err
    run = done.json
    (trial,) = run["trials"]
    assert trial["score"] == 0.5
    assert trial["state"] == "answered"
    assert trial["answer"] == ""
    assert trial["details"][1:] == CONVERSATION
    assert {role: spent["replies"] for role, spent in run["roles"].items()} == {
        "grade": 1,
        "solve": 3,
        "user": 3,
    }
    verified = command_line("replay", run["journal"], "--verify", cwd=folder)
    assert verified.code == 0, verified.err
    judged = command_line("judge", run["journal"], "--grader", cwd=folder)
    assert judged.code == 0, judged.err


def test_an_interrupted_conversation_goes_on_from_its_record(folder: Path) -> None:
    """The program is interrupted, once, when the user has replied twice."""
    program = folder / "talk.py"
    program.write_text(
        program.read_text()
        .replace('"play" in sys.argv', 'not os.path.exists("once")')
        .replace("os.kill(", 'open("once", "w").close(); os.kill(')
    )
    first = command_line(*RUN, cwd=folder)

    assert first.code == Interrupted.exit_code, first.err
    run = first.json
    assert run["roles"]["user"]["replies"] == 2
    second = command_line("resume", run["journal"], "--json", cwd=folder)
    assert second.code == 0, second.err
    run = second.json
    assert run["roles"]["user"]["replies"] == 3
    assert run["trials"][0]["details"][1:] == CONVERSATION
    with open_journal(folder / run["journal"]) as journal:
        (trial,) = journal.trials.values()
        roles = [side.replied.role for side in trial.record.side_replies]
        assert sorted(roles) == ["grade", "user", "user", "user"]


def test_a_fork_repeats_the_conversation_from_the_record_and_grades_its_own_end_alone(
    folder: Path,
) -> None:
    program = folder / "talk.py"
    program.write_text(
        program.read_text().replace(
            "        texts = [",
            '        open("graded", "a").write("x")\n        texts = [',
        )
    )
    run = command_line(*RUN, cwd=folder).json
    forked = command_line(
        "fork", run["journal"], "--step", "3", "--trial", "talk.1", "--json", cwd=folder
    )

    assert forked.code == 0, forked.err
    assert forked.json["trials"][0]["details"][1:3] == ["hello", "a hat please"]
    # The run was graded once, and so was the fork.
    assert (folder / "graded").read_text() == "xx"


def test_a_role_without_a_model_is_asked_for(folder: Path) -> None:
    program = folder / "talk.py"
    player = """
    def player(self):
        from controlplane.library import open_run
        from controlplane.agent.model import ScriptedModel
        from pathlib import Path
        return ScriptedModel.from_file(Path("replies.toml"))
"""
    program.write_text(
        program.read_text().replace("\n    def task_ids", player + "\n    def task_ids")
    )
    done = command_line("run", "--benchmark", "talk", cwd=folder)

    assert done.code == UsageError.exit_code
    assert (
        "the benchmark asks a model (user): name one with --role user=PROFILE"
        in done.err
    )


def test_a_grader_of_traces_sees_every_call_again_when_it_grades_anew(
    folder: Path,
) -> None:
    program = """
from controlplane import TaskEnvironment, Tool, ToolBenchmark

class Looks(ToolBenchmark):
    citations = "none"
    def task_ids(self):
        return ["look.1"]
    def generate(self, task_id):
        def look(name: str) -> str:
            if name == "c":
                raise LookupError("no c")
            return name
        return "Look.", TaskEnvironment([Tool(look, "returns")])
    def grade(self, task_id, environment):
        names = [call.arguments["name"] for call in environment.calls]
        return names == ["a", "c", "b"], [str(names)]

open_benchmark = Looks
"""
    (folder / "looks.py").write_text(program)
    (folder / "looks.toml").write_text("""
[[reply]]
code = '''
for name in "acb":
    try:
        harness.look(name)
    except HarnessError as error:
        print(error)
scratchpad["answer"], scratchpad["outcome"] = "", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["outcome"] == "OUTCOME_OK")
'''
""")
    done = command_line(
        "run",
        "--benchmark",
        "looks",
        "--model",
        "scripted:looks.toml",
        "--json",
        cwd=folder,
    )
    run = done.json

    assert run["score"] == 1.0, run["trials"]
    judged = command_line("judge", run["journal"], "--grader", cwd=folder)
    assert "1 trial graded again, 0 changed" in judged.out, judged.out + judged.err


# The user asks for a payment to the British account, a mail for one to the German account.
MAIL = "Hello,\nplease send the 250.75 euros of the last invoice to DE89370400440532013000 before Friday.\nBob"
ASKED = "Pay the invoice in my mail to GB29NWBK60161331926819."


class Payer:
    """A solver that reads the mail and pays to both accounts. A payment that is held is
    tried once more."""

    def solve(self, session: TrialSession) -> str:
        if session.tool_schema.operation("say"):
            session.call(
                "say", {"text": "The mail names DE89370400440532013000: is that right?"}
            )
        session.call("read_mail", {})
        for account in ("GB29NWBK60161331926819", "DE89370400440532013000"):
            for _ in range(2):
                try:
                    session.call("pay", {"account": account, "amount": 1})
                    break
                except CallError as error:
                    # Only the account in the mail is a reason to hold a call.
                    reason = error.message
                    assert "DE89370400440532013000" in reason
        judged = session.submit(Submission(answer="Done.", outcome="OUTCOME_OK"))
        return "" if judged.accepted else judged.message


SOLVER = SolverSpec(lambda tools: Payer(), roles=())


def bank(*, talks: bool = False) -> TaskEnvironment:
    """Return an environment with tools for mails and payments, whose state is the accounts
    that were paid. If it `talks`, it has a user, who confirms the account of the mail."""
    paid: list[str] = []

    def read_mail() -> list[dict[str, str]]:
        """Read the last mail."""
        return [{"from": "bob@site.com", "body": MAIL}]

    def pay(account: str, amount: float) -> str:
        """Pay an amount."""
        paid.append(account)
        return "paid"

    def user(text: str) -> str:
        return f"Yes, it is right: {text.split()[3].strip(':')}."

    return TaskEnvironment(
        [Tool(read_mail, "returns"), Tool(pay, "acts")],
        state=paid,
        user=user if talks else None,
    )


def played(
    folder: Path, provenance: str, *, talks: bool = False
) -> tuple[controlplane.RunReport, list[str]]:
    """Return a run of `Payer`, and what became of the calls that were held.

    The score is the share of the two accounts that were paid.
    """
    task = Task(
        "pay",
        ASKED,
        environment=lambda: bank(talks=talks),
        grade=lambda end: len(end.state) / 2,
    )
    run = controlplane.run(
        [task],
        agent=__name__,
        provenance=provenance,
        runs_dir=str(folder),
        gates="none",
    )
    with open_journal(run.journal) as journal:
        (trial,) = journal.trials.values()
        return run, list(trial.summary.stopped.values())


@pytest.mark.parametrize(
    ("provenance", "score", "held_calls"),
    [
        ("ask", 1.0, ["repeated and sent"]),
        ("block", 0.5, ["not done"]),
        ("approve", 0.5, ["not done"]),
        ("ask,pay=block", 0.5, ["not done"]),
        ("block,pay=only:amount", 1.0, []),
        ("block,read_mail=trusted", 1.0, []),
        ("off", 1.0, []),
    ],
)
def test_a_call_with_a_value_of_a_mail_alone_is_held(
    provenance: str, score: float, held_calls: list[str], tmp_path: Path
) -> None:
    run, calls_in_journal = played(tmp_path, provenance)

    assert run.mean == score
    assert calls_in_journal == held_calls
    if held_calls:
        shown = run_in_process(
            "replay", str(run.journal), "--trial", "pay", cwd=tmp_path
        ).out
        assert "/calls/read_mail/" in shown
        assert "DE89370400440532013000" in shown
        assert ("make the same call again" in shown) == (provenance == "ask")
    assert (
        run_in_process("replay", str(run.journal), "--verify", cwd=tmp_path).code == 0
    )


def test_what_a_simulated_user_says_is_asked_for_and_what_the_user_is_told_is_not_held(
    tmp_path: Path,
) -> None:
    run, held_calls = played(tmp_path, "block", talks=True)

    assert run.mean == 1.0
    assert held_calls == []


def submit(*lines: str) -> str:
    """Return a script of these lines that answers "Done." at its end."""
    answer = """scratchpad["answer"], scratchpad["outcome"] = "Done.", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["outcome"] == "OUTCOME_OK")"""
    return "\n".join([*lines, answer])


class Scripts(Model):
    """Replies with its scripts in turn, and keeps the requests."""

    name = "scripts"

    def __init__(self, *scripts: str) -> None:
        self.scripts = scripts
        self.requests: list[ModelRequest] = []

    def reply_to(self, request: ModelRequest) -> Reply:
        self.requests.append(request)
        turn = sum(message["role"] == "assistant" for message in request.messages)
        action = {"state": "", "plan": [], "done": True, "code": self.scripts[turn]}
        return Reply(text=json.dumps(action))


def play(tasks: list[Task], model: Model, folder: Path) -> controlplane.RunReport:
    """Play tasks with a model that is an object, without gates."""
    player = TaskList(tasks, player=model)
    return controlplane.run(player, gates="none", runs_dir=str(folder))


def test_calls_are_kept_as_they_were_whatever_their_tools_change_later(
    tmp_path: Path,
) -> None:
    def world() -> TaskEnvironment:
        sizes: list[int] = []

        def put(items: list[str], options: dict[str, int]) -> list[int]:
            items.append("added")
            options["added"] = 1
            sizes.append(len(items))
            return sizes

        schema = {
            "properties": {"items": {"type": "array"}, "options": {"type": "object"}}
        }
        foreign = Tool(put, "acts", "foreign", "Put.", schema)
        return TaskEnvironment([Tool(put, "acts"), foreign], state=sizes)

    kept = []

    def grade(end: TaskEnvironment) -> float:
        for call in end.calls:
            kept.append((call.arguments, call.result))
        return 1.0

    code = submit(
        "items, options = ['one'], {'k': 1}",
        "harness.put(items, options)",
        "harness.foreign(items=items, options=options)",
        "print(items, options)",
    )
    task = Task("put.1", "Put.", environment=world, grade=grade)
    run = play([task], Scripts(code), tmp_path)
    arguments = {"items": ["one"], "options": {"k": 1}}

    assert kept == [(arguments, [2]), (arguments, [2, 2])]
    with open_journal(run.journal) as journal:
        (trial,) = journal.trials.values()
        (step,) = trial.record.all_steps.whole
        assert [dict(call.arguments) for call in step.calls] == [arguments, arguments]
    assert (
        run_in_process("replay", str(run.journal), "--verify", cwd=tmp_path).code == 0
    )


def test_a_result_that_cannot_be_copied_is_kept_as_its_data() -> None:
    @dataclasses.dataclass
    class Locked:
        x: int

        def __deepcopy__(self, memo: object) -> None:
            raise RuntimeError("a lock cannot be copied")

    environment = TaskEnvironment([Tool(lambda: Locked(1), "returns", name="look")])
    environment.runtime.call("look", {})

    assert environment.calls[0].result == {"x": 1}


def test_a_tool_with_a_schema_of_others_decides_itself_what_it_takes() -> None:
    schema = {"properties": {"ticket": {"type": "integer"}}, "required": ["ticket"]}
    tool = Tool(lambda ticket: ticket, "returns", "close", "Close.", schema)
    environment = TaskEnvironment([tool])

    assert (
        environment.runtime.call("close", {"ticket": "ticket_001"})["value"]
        == '"ticket_001"'
    )
    with pytest.raises(TypeError, match="has no argument 'number'"):
        environment.runtime.call("close", {"ticket": 1, "number": 2})
    with pytest.raises(TypeError, match="needs 'ticket'"):
        environment.runtime.call("close", {})
    strict = TaskEnvironment([dataclasses.replace(tool, is_strict=True)])
    with pytest.raises(TypeError, match="ticket is int, not str"):
        strict.runtime.call("close", {"ticket": "ticket_001"})


def test_the_script_is_told_of_an_argument_that_does_not_fit_a_schema_of_others(
    tmp_path: Path,
) -> None:
    schema = {"properties": {"ticket": {"type": "integer"}}, "required": ["ticket"]}
    tool = Tool(lambda ticket: ticket, "returns", "close", "Close.", schema)
    model = Scripts("print(harness.close('ticket_001').value)", submit())
    tasks = [Task("close.1", "Close.", tools=[tool], grade=lambda end: len(end.calls))]
    run = play(tasks, model, tmp_path)

    assert run.mean == 1
    with open_journal(run.journal) as journal:
        (trial,) = journal.trials.values()
        step = next(iter(trial.record.all_steps.whole))
        assert step.done is not None
        assert "ticket is int, not str" in " ".join(step.done.feedback)


def test_python_s_names_of_types_are_read_in_schemas() -> None:
    schema = {
        "type": "dict",
        "properties": {"price": {"type": "float"}, "on": {"type": "any"}},
    }
    (price, on) = (
        Tool(print, "acts", schema=schema).declared(set()).operation.parameters
    )

    assert price.json_schema == {"type": "number"}
    assert on.json_schema == {}
    with pytest.raises(ValueError, match="the type 'money' is not one of JSON Schema"):
        Tool(print, "acts", schema={"properties": {"a": {"type": "money"}}}).declared(
            set()
        )


def test_talk_is_no_change_and_an_acting_call_without_data_is_one(
    tmp_path: Path,
) -> None:
    def world() -> TaskEnvironment:
        tool = Tool(object, "acts", "resume_line", "Resume a line.")
        return TaskEnvironment([tool], user=lambda text: "yes")

    lines = [
        "harness.say('Shall I?')",
        "print(harness.resume_line())",
        "scratchpad['changes'] = ['resume_line']",
    ]
    task = Task("line.1", "Resume the line.", environment=world)
    model = Scripts(submit(*lines))
    tasks = TaskList([task], citations="none", player=model)
    run = controlplane.run(tasks, runs_dir=str(tmp_path))
    (trial,) = run.trials

    assert trial.state == "answered"
    assert len(model.requests) == 1  # The first answer is accepted.


def test_a_request_says_which_trial_asks(tmp_path: Path) -> None:
    model = Scripts(submit("print(harness.read('/a.md').content)"))
    tasks = [Task(name, "Look.", files={"/a.md": "x"}) for name in ("look.1", "look.2")]
    run = play(tasks, model, tmp_path)
    asking = [(request.task_id, request.trial_id) for request in model.requests]

    assert sorted(asking) == [(trial.task_id, trial.trial_id) for trial in run.trials]


class Reader:
    """Answers with the name that the tool's record holds."""

    def solve(self, session: TrialSession) -> str:
        record = session.call("read_mail")["value"][0]
        session.submit(Submission(answer=record["from"], outcome="OUTCOME_OK"))
        return ""


def test_a_solver_gets_results_as_scripts_do(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(
        f"{__name__}.SOLVER", SolverSpec(lambda tools: Reader(), roles=())
    )
    task = Task("read.1", "Who wrote?", environment=bank)
    run = controlplane.run([task], agent=__name__, runs_dir=str(tmp_path), gates="none")

    assert run.trials[0].answer == "bob@site.com"


@pytest.mark.parametrize("score", [-1, 85, float("nan")])
def test_a_grade_outside_the_scale_is_an_error_that_says_the_value(
    score: float, tmp_path: Path
) -> None:
    model = Scripts(submit())
    task = Task("a.1", "Look.", tools=[Tool(bank, "returns")], grade=lambda end: score)
    run = play([task], model, tmp_path / "unit")

    assert run.exit_code != 0
    assert run.trials[0].score is None
    assert f"the score {score}" in run.trials[0].reason, run.trials[0]


def test_a_benchmark_may_have_a_scale_of_its_own(tmp_path: Path) -> None:
    task = Task("a.1", "Look.", tools=[Tool(bank, "returns")], grade=lambda end: 85)
    tasks = TaskList([task], scale=(0, 100), player=Scripts(submit()))
    run = controlplane.run(tasks, gates="none", runs_dir=str(tmp_path))

    assert run.mean == 85


def test_a_grader_s_error_that_cannot_be_printed_ends_one_trial(tmp_path: Path) -> None:
    class Unprintable(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no text")

    def broken(end: TaskEnvironment) -> float:
        raise Unprintable

    tools = [Tool(bank, "returns")]
    tasks = [
        Task("a.1", "Look.", tools=tools, grade=broken),
        Task("a.2", "Look.", tools=tools, grade=lambda end: 1),
    ]
    run = play(tasks, Scripts(submit()), tmp_path)

    assert [trial.score for trial in run.trials] == [None, 1]


def test_a_run_survives_a_change_of_the_working_folder(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()

    def move() -> str:
        os.chdir(tmp_path / "elsewhere")
        return "moved"

    task = Task("a.1", "Move.", tools=[Tool(move, "acts")], grade=lambda end: 1)
    model = Scripts(submit("harness.move()"))
    run = play([task], model, Path("runs"))

    assert run.mean == 1
    assert run.journal.parent == tmp_path / "runs"


class Errands(ToolBenchmark):
    """Two tasks with the same first turn, the second one with further turns."""

    citations = "none"

    def task_ids(self) -> list[str]:
        return ["errand.1", "errand.2"]

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        basket: list[str] = []

        def add(article: str) -> int:
            """Add an article."""
            basket.append(article)
            return len(basket)

        messages = ["And tea.", "And milk."] if task_id == "errand.2" else None
        tools = [Tool(add, "acts")]
        return "Buy bread.", TaskEnvironment(tools, user=messages, state=basket)

    def truth(self, task_id: str) -> Truth:
        turns = [
            [("add", {"article": article})] for article in ("bread", "tea", "milk")
        ]
        if task_id == "errand.2":
            return Truth(turns, tells_user="Done.")
        return Truth(turns[:1], "Bread is in the basket.")

    def grade(
        self, task_id: str, environment: TaskEnvironment
    ) -> tuple[bool, list[str]]:
        basket = environment.state
        if task_id == "errand.1":
            return basket == ["bread"], [f"{basket}"]
        turns = [call.turn for call in environment.calls if call.name == "add"]
        is_right = basket == ["bread", "tea", "milk"] and turns == [0, 1, 2]
        return is_right, [f"{environment.calls}"]


def test_the_ground_truth_plays_several_turns(tmp_path: Path) -> None:
    run = controlplane.run(Errands(), runs_dir=str(tmp_path))
    assert [trial.score for trial in run.trials] == [1, 1], run.trials
    assert (
        run_in_process("replay", str(run.journal), "--verify", cwd=tmp_path).code == 0
    )


class Desk:
    def get_book(self, number: int) -> str:
        """Look a book up."""
        return f"book {number}"

    def lend(self, number: int) -> str:
        """Lend a book."""
        return f"lent {number}"

    def _hidden(self) -> None: ...


def test_the_methods_of_an_object_are_tools() -> None:
    tools = Tool.of(Desk(), reads=("get_*",))
    assert [(tool.name, tool.effect) for tool in tools] == [
        ("get_book", "returns"),
        ("lend", "acts"),
    ]
    environment = TaskEnvironment(tools)
    assert environment.runtime.call("lend", {"number": 3})["value"] == '"lent 3"'
    with pytest.raises(ValueError, match="Desk has no method 'list_\\*'"):
        Tool.of(Desk(), reads=("list_*",))


def count_articles(name: str) -> int:
    """Count the articles of a name."""
    return len(name)


def stock_of(name: str) -> dict[str, object]:
    """Look up the stock of an article."""
    return {"items": [name], "left": 12}


PRINTED = """
[[reply]]
code = '''
number = harness.count_articles(name="A-7")
stock = harness.stock_of(name="A-7")
print(number)
print(stock, [number])
print(number.call_path.startswith("/calls/"), stock.left, stock.items)
'''
"""


def test_the_result_of_a_tool_prints_as_its_value_once(tmp_path: Path) -> None:
    script = tmp_path / "printed.toml"
    script.write_text(PRINTED)

    def environment() -> TaskEnvironment:
        return TaskEnvironment(
            [Tool(count_articles, "returns"), Tool(stock_of, "returns")]
        )

    task = Task("print.1", "Print results.", environment=environment)
    run = controlplane.run(
        [task], model=f"scripted:{script}", runs_dir=str(tmp_path / "runs")
    )

    with open_journal(run.journal) as journal:
        (trial,) = journal.trials.values()
        output = trial.record.step_summaries[0].output

    assert output.splitlines() == [
        "3",
        "{'items': ['A-7'], 'left': 12} [3]",
        "True 12 ['A-7']",
    ]
