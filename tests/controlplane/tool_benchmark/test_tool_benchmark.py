"""Tasks whose environment is made of plain Python functions, its tools, and runs of such tasks.

`controlplane.run([Task("pay.1", "Pay the bill.", tools=[Tool(pay, "acts")], grade=is_paid)])` lets an
agent solve a task. Its scripts call `harness.pay(...)`, and `is_paid` gives the score. A class
derived from `ToolBenchmark` has many tasks, and may have a ground truth, the right calls.
"""

import dataclasses
import json
import os
from pathlib import Path
from typing import NamedTuple

import pytest
from pydantic import BaseModel

import controlplane
from controlplane import Task, TaskEnvironment, Tool, ToolBenchmark, Truth
from controlplane.agent.loop import TrialSession
from controlplane.agent.model import Model, ModelRequest, Reply
from controlplane.gates.submission import Submission
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.sandbox.interface import CallError
from controlplane.solver import SolverSpec
from controlplane.tool_benchmark.task_list import TaskList
from tests.support.command import run_controlplane, run_in_process


def only_trial(journal: Path) -> RecordedTrial:
    """Return the one trial of a recorded run."""
    (trial,) = open_journal(journal).trials.values()
    return trial


def check_replay_agrees(run: controlplane.RunReport, folder: Path) -> None:
    """Assert that running the scripts again gives what the journal of the run has."""
    replayed = run_in_process("replay", str(run.journal), "--verify", cwd=folder)
    assert replayed.code == 0, replayed.out + replayed.err


@pytest.mark.parametrize(
    ("name", "arguments"), [("move", {}), ("say", {"text": "hello?"})]
)
def test_calls_after_the_end_of_the_conversation_are_refused(
    name: str, arguments: dict[str, str]
) -> None:
    """The agent talks to the user by `say`. A reply of None ends the conversation."""
    moves: list[str] = []
    environment = TaskEnvironment(
        [Tool(lambda: moves.append("moved"), "acts", name="move")],
        user=lambda text: None,
    )

    assert environment.runtime.call("say", {"text": "bye"})["ended"] is True
    with pytest.raises(CallError, match="the environment has ended this trial"):
        environment.runtime.call(name, arguments)

    assert moves == []
    assert [call.name for call in environment.calls] == ["say"]


class Place(BaseModel):
    """A place, whose keys are not in the order of the alphabet."""

    z: int
    a: int


def go(place: Place) -> int:
    """Go to a place."""
    return place.z


def test_a_replay_gives_the_same_error_text_for_a_wrong_argument(
    tmp_path: Path,
) -> None:
    """The model's script calls `harness.go(place=5)`, and 5 is no place. The error text names the
    keys of a place in the order of the class, z and a. The replay has no class, but the recorded
    schema of the tool, so the journal has to keep this order."""
    replies = tmp_path / "replies.toml"
    replies.write_text("[[reply]]\ncode = 'harness.go(place=5)'\n")
    task = Task("go.1", "Go.", tools=[Tool(go, "returns")])
    run = controlplane.run([task], model=f"scripted:{replies}", runs_dir=str(tmp_path))

    replayed = run_controlplane("replay", str(run.journal), "--verify", cwd=tmp_path)

    assert replayed.code == 0, replayed.out


BENCHMARK_THAT_GRADES_CALLS = """
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
LOOK_THREE_TIMES = """
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
"""


def test_a_grader_of_calls_sees_all_of_them_when_it_grades_again(
    tmp_path: Path,
) -> None:
    """Calls that only read are among them, and a call that failed. `judge --grader` grades a
    recorded run again, and has to make its calls again for that."""
    (tmp_path / "looks.py").write_text(BENCHMARK_THAT_GRADES_CALLS)
    (tmp_path / "looks.toml").write_text(LOOK_THREE_TIMES)
    words = ("run", "--benchmark", "looks", "--model", "scripted:looks.toml", "--json")
    run = run_controlplane(*words, cwd=tmp_path).json
    judged = run_controlplane("judge", run["journal"], "--grader", cwd=tmp_path)

    assert run["score"] == 1.0, run["trials"]
    assert "1 trial graded again, 0 changed" in judged.out, judged.out + judged.err


def read_mail() -> list[dict[str, str]]:
    """Read the last mail."""
    return [{"from": "bob@site.com", "body": "Hello."}]


class AnswerSender:
    """A solver that answers with the sender of the mail."""

    def solve(self, session: TrialSession) -> str:
        mail = session.call("read_mail")["value"][0]
        session.submit(Submission(answer=mail["from"], outcome="OUTCOME_OK"))
        return ""


# The option `agent` names a module that has a solver under this name.
SOLVER = SolverSpec(lambda tools: AnswerSender(), roles=())


def test_a_solver_gets_the_result_of_a_tool_as_data(tmp_path: Path) -> None:
    """`read_mail` returns a list of dicts. A solver gets it as such, as scripts do, and not as a text
    of JSON."""
    task = Task("read.1", "Who wrote?", tools=[Tool(read_mail, "returns")])
    run = controlplane.run([task], agent=__name__, runs_dir=str(tmp_path), gates="none")

    assert run.trials[0].answer == "bob@site.com"


def script_with_answer(*lines: str) -> str:
    """Return a script of these lines that answers "Done." at its end."""
    last_lines = (
        'scratchpad["answer"], scratchpad["outcome"] = "Done.", "OUTCOME_OK"',
        'harness.answer(scratchpad, lambda sp: sp["outcome"] == "OUTCOME_OK")',
    )
    return "\n".join([*lines, *last_lines])


class ModelWithScripts(Model):
    """Replies with its scripts, one in each step of a trial, and keeps the requests."""

    name = "scripts"

    def __init__(self, *scripts: str) -> None:
        self.scripts = scripts
        self.requests: list[ModelRequest] = []

    def reply_to(self, request: ModelRequest) -> Reply:
        self.requests.append(request)
        earlier_replies = [
            message for message in request.messages if message["role"] == "assistant"
        ]
        code = self.scripts[len(earlier_replies)]
        fields = {"state": "", "plan": [], "done": True, "code": code}
        return Reply(text=json.dumps(fields))


def run_without_gates(
    tasks: list[Task], model: Model, folder: Path
) -> controlplane.RunReport:
    """Run tasks with a model that is an object. Without gates, any answer is accepted."""
    player = TaskList(tasks, player=model)
    return controlplane.run(player, gates="none", runs_dir=str(folder))


def list_environment() -> TaskEnvironment:
    """Return an environment with two tools that change their own arguments, and return the same
    list each time, with one number more."""
    sizes: list[int] = []

    def put(items: list[str], options: dict[str, int]) -> list[int]:
        items.append("added")
        options["added"] = 1
        sizes.append(len(items))
        return sizes

    schema = {"properties": {"items": {"type": "array"}, "options": {"type": "object"}}}
    with_signature = Tool(put, "acts")
    with_schema = Tool(
        put, "acts", name="put_by_schema", description="Put.", schema=schema
    )
    return TaskEnvironment([with_signature, with_schema], state=sizes)


PUT_TWICE = script_with_answer(
    "items, options = ['one'], {'k': 1}",
    "harness.put(items, options)",
    "harness.put_by_schema(items=items, options=options)",
    "print(items, options)",
)


def test_calls_are_kept_as_they_were_whatever_tools_change_later(
    tmp_path: Path,
) -> None:
    """Both tools add an item to the list that they got, and return a list that they later change.
    The grader and the journal see the arguments and results as they were at each call."""
    graded_calls = []

    def grade(end: TaskEnvironment) -> float:
        for call in end.calls:
            graded_calls.append((call.arguments, call.result))
        return 1.0

    task = Task("put.1", "Put.", environment=list_environment, grade=grade)
    run = run_without_gates([task], ModelWithScripts(PUT_TWICE), tmp_path)

    arguments = {"items": ["one"], "options": {"k": 1}}
    assert graded_calls == [(arguments, [2]), (arguments, [2, 2])]
    (step,) = only_trial(run.journal).record.whole_steps
    assert [dict(call.arguments) for call in step.calls] == [arguments, arguments]
    check_replay_agrees(run, tmp_path)


@dataclasses.dataclass
class NotCopyable:
    """An object that raises an error when it is copied, as some that hold a lock do."""

    x: int

    def __deepcopy__(self, memo: object) -> None:
        raise RuntimeError("a lock cannot be copied")


def test_a_result_that_cannot_be_copied_is_kept_as_json() -> None:
    """The list of calls, which a grader sees, has copies of the results."""
    look = Tool(lambda: NotCopyable(1), "returns", name="look")
    environment = TaskEnvironment([look])
    environment.runtime.call("look", {})

    assert environment.calls[0].result == {"x": 1}


CLOSE_TOOL = Tool(
    lambda ticket: ticket,
    "returns",
    name="close",
    description="Close.",
    schema={"properties": {"ticket": {"type": "integer"}}, "required": ["ticket"]},
)
"""A tool with a schema, which says that a ticket is an integer, and a function that takes anything."""


def test_the_model_is_told_of_an_argument_that_does_not_fit_the_schema(
    tmp_path: Path,
) -> None:
    """The call is made all the same; the feedback after the step says what does not fit."""
    model = ModelWithScripts(
        "print(harness.close('ticket_001').value)", script_with_answer()
    )
    task = Task(
        "close.1", "Close.", tools=[CLOSE_TOOL], grade=lambda end: len(end.calls)
    )
    run = run_without_gates([task], model, tmp_path)

    number_of_calls = run.mean
    assert number_of_calls == 1
    first_step, *_ = only_trial(run.journal).record.whole_steps
    assert first_step.done is not None
    assert "ticket is int, not str" in " ".join(first_step.done.feedback)


def phone_line() -> TaskEnvironment:
    """Return an environment with a user who says yes, and a tool whose result is not JSON."""
    resume_line = Tool(object, "acts", "resume_line", "Resume a line.")
    return TaskEnvironment([resume_line], user=lambda text: "yes")


def test_an_acting_call_counts_as_a_change_and_talk_does_not(tmp_path: Path) -> None:
    """An answer lists its changes, which a gate compares with the calls. This one lists the call
    of the tool, though its result could not be recorded, and not the talk, and is accepted."""
    script = script_with_answer(
        "harness.say('Shall I?')",
        "print(harness.resume_line())",
        "scratchpad['changes'] = ['resume_line']",
    )
    model = ModelWithScripts(script)
    task = Task("line.1", "Resume the line.", environment=phone_line)
    run = controlplane.run(
        TaskList([task], citations="none", player=model), runs_dir=str(tmp_path)
    )

    (trial,) = run.trials
    assert trial.state == "answered"
    assert len(model.requests) == 1  # The first answer is accepted.


def test_a_request_to_a_model_says_which_trial_asks(tmp_path: Path) -> None:
    """A model that serves several trials can tell them apart."""
    model = ModelWithScripts(script_with_answer("print(harness.read('/a.md').content)"))
    tasks = [
        Task("look.1", "Look.", files={"/a.md": "x"}),
        Task("look.2", "Look.", files={"/a.md": "x"}),
    ]
    run = run_without_gates(tasks, model, tmp_path)

    asking_trials = [(request.task_id, request.trial_id) for request in model.requests]
    trials = [(trial.task_id, trial.trial_id) for trial in run.trials]
    assert sorted(asking_trials) == trials


def count_articles(name: str) -> int:
    """Count the articles of a name."""
    return len(name)


def task_with_score(task_id: str, score: float) -> Task:
    """Return a task whose grader gives this score to every answer."""
    tools = [Tool(count_articles, "returns")]
    return Task(task_id, "Look.", tools=tools, grade=lambda end: score)


@pytest.mark.parametrize("score", [-1, 85, float("nan")])
def test_a_score_outside_the_scale_is_an_error_of_its_trial(
    score: float, tmp_path: Path
) -> None:
    """The scale is from 0 to 1 unless a benchmark has its own."""
    model = ModelWithScripts(script_with_answer())
    run = run_without_gates([task_with_score("a.1", score)], model, tmp_path / "unit")

    assert run.exit_code != 0
    assert run.trials[0].score is None
    assert f"the score {score}" in run.trials[0].reason, run.trials[0]


def test_a_benchmark_may_have_a_scale_of_its_own(tmp_path: Path) -> None:
    """Here from 0 to 100."""
    tasks = TaskList(
        [task_with_score("a.1", 85)],
        scale=(0, 100),
        player=ModelWithScripts(script_with_answer()),
    )
    run = controlplane.run(tasks, gates="none", runs_dir=str(tmp_path))

    assert run.mean == 85


class Unprintable(Exception):
    """An error that raises another one when it is converted to text."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


def fail_without_text(end: TaskEnvironment) -> float:
    raise Unprintable


def test_an_error_of_a_grader_that_cannot_be_printed_ends_only_its_trial(
    tmp_path: Path,
) -> None:
    """The run has two trials. The first has no score, and the second is graded."""
    tools = [Tool(count_articles, "returns")]
    tasks = [
        Task("a.1", "Look.", tools=tools, grade=fail_without_text),
        task_with_score("a.2", 1.0),
    ]
    run = run_without_gates(tasks, ModelWithScripts(script_with_answer()), tmp_path)

    assert [trial.score for trial in run.trials] == [None, 1]


def test_a_run_survives_a_tool_that_changes_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of the journals is given as a relative path, before the change."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()

    def move() -> str:
        os.chdir(tmp_path / "elsewhere")
        return "moved"

    task = Task("a.1", "Move.", tools=[Tool(move, "acts")], grade=lambda end: 1)
    model = ModelWithScripts(script_with_answer("harness.move()"))
    run = run_without_gates([task], model, Path("runs"))

    assert run.mean == 1
    assert run.journal.parent == tmp_path / "runs"


class TruthCall(NamedTuple):
    """A call of the ground truth."""

    tool: str
    arguments: dict[str, str]


ADD_BREAD = TruthCall("add", {"article": "bread"})
ADD_TEA = TruthCall("add", {"article": "tea"})
ADD_MILK = TruthCall("add", {"article": "milk"})


class Errands(ToolBenchmark):
    """Two tasks that begin alike. In the second one the user asks for more, in two more turns."""

    citations = "none"

    def task_ids(self) -> list[str]:
        return ["errand.1", "errand.2"]

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        """Return the first request, and an environment with a basket and further requests."""
        basket: list[str] = []

        def add(article: str) -> int:
            """Add an article."""
            basket.append(article)
            return len(basket)

        further_requests = None
        if task_id == "errand.2":
            further_requests = ["And tea.", "And milk."]
        environment = TaskEnvironment(
            [Tool(add, "acts")], user=further_requests, state=basket
        )
        return "Buy bread.", environment

    def truth(self, task_id: str) -> Truth:
        """Return the right calls of each turn, and what is right to say in the end."""
        if task_id == "errand.1":
            return Truth([[ADD_BREAD]], "Bread is in the basket.")
        return Truth([[ADD_BREAD], [ADD_TEA], [ADD_MILK]], tells_user="Done.")

    def grade(
        self, task_id: str, environment: TaskEnvironment
    ) -> tuple[bool, list[str]]:
        """Return whether the basket is right, and whether each article was added in its turn."""
        basket = environment.state
        if task_id == "errand.1":
            return basket == ["bread"], [f"{basket}"]
        turns = [call.turn for call in environment.calls if call.name == "add"]
        is_right = basket == ["bread", "tea", "milk"] and turns == [0, 1, 2]
        return is_right, [f"{environment.calls}"]


def test_the_ground_truth_of_a_benchmark_plays_its_tasks(tmp_path: Path) -> None:
    """Without a model, the calls of `truth` are made, which shows that the tasks can be solved."""
    run = controlplane.run(Errands(), runs_dir=str(tmp_path))

    assert [trial.score for trial in run.trials] == [1, 1], run.trials
    check_replay_agrees(run, tmp_path)


def stock_of(name: str) -> dict[str, object]:
    """Look up the stock of an article."""
    return {"items": [name], "left": 12}


REPLY_THAT_PRINTS_RESULTS = """
[[reply]]
code = '''
number = harness.count_articles(name="A-7")
stock = harness.stock_of(name="A-7")
print(number)
print(stock, [number])
print(number.call_path.startswith("/calls/"), stock.left, stock.items)
'''
"""


def test_in_a_script_the_result_of_a_tool_prints_as_its_value(tmp_path: Path) -> None:
    """It has more than the value: `call_path`, by which an answer can cite the call, and the
    fields of a dict as attributes."""
    script = tmp_path / "printed.toml"
    script.write_text(REPLY_THAT_PRINTS_RESULTS)
    tools = [Tool(count_articles, "returns"), Tool(stock_of, "returns")]
    task = Task("print.1", "Print results.", environment=lambda: TaskEnvironment(tools))
    run = controlplane.run(
        [task], model=f"scripted:{script}", runs_dir=str(tmp_path / "runs")
    )

    output = only_trial(run.journal).record.step_summaries[0].output
    assert output.splitlines() == [
        "3",
        "{'items': ['A-7'], 'left': 12} [3]",
        "True 12 ['A-7']",
    ]
