"""Tasks in which the agent talks to a user, in several turns.

The agent says something with `harness.say(text)`, and the reply of the user begins the next turn. A
benchmark gives the user as a list of texts, a function, or a model (`ModelUser`). Tools may be
available in some turns only.
"""

from pathlib import Path

import pytest

import controlplane
from controlplane import ModelUser, TaskEnvironment, Tool, ToolBenchmark, Truth
from controlplane.agent.model import Model, ModelRequest, Reply, ToolCall
from controlplane.sandbox.interface import CallError
from tests.support.command import run_in_process


class Basket:
    """A basket and the two tools that fill it."""

    def __init__(self) -> None:
        self.articles: list[str] = []

    def add_bread(self) -> str:
        """Put bread into the basket."""
        self.articles.append("bread")
        return "added"

    def add_tea(self) -> str:
        """Put tea into the basket."""
        self.articles.append("tea")
        return "added"


def basket_environment() -> TaskEnvironment:
    """Return an environment of two turns: add_bread is available only in the first one, add_tea
    from the second one on, which begins when the user says "And tea."."""
    basket = Basket()
    bread = Tool(basket.add_bread, "acts", last_turn=0)
    tea = Tool(basket.add_tea, "acts", first_turn=1)
    return TaskEnvironment([bread, tea], user=["And tea."], state=basket)


def test_a_tool_can_be_called_only_in_its_turns() -> None:
    """add_bread is available in the first turn, add_tea in the second, which `say` begins."""
    environment = basket_environment()

    with pytest.raises(CallError, match="add_tea"):
        environment.call("add_tea", {})
    environment.call("add_bread", {})

    environment.call("say", {"text": "Bread is in the basket."})
    environment.call("add_tea", {})
    with pytest.raises(CallError, match="add_bread"):
        environment.call("add_bread", {})

    assert environment.state.articles == ["bread", "tea"]


def test_a_benchmark_may_empty_the_list_of_calls() -> None:
    """A grader that cares only about later calls replaces the list by an empty one."""
    environment = basket_environment()
    environment.call("add_bread", {})
    environment.calls = []
    environment.call("say", {"text": "Bread is in the basket."})
    environment.call("add_tea", {})

    assert [call.name for call in environment.calls] == ["say", "add_tea"]


def test_the_result_of_say_names_tools_that_are_new_or_gone() -> None:
    """The prompt at the beginning describes only the tools of the first turn."""
    environment = basket_environment()
    result = environment.call("say", {"text": "Bread is in the basket."})

    assert "new: harness.add_tea" in str(result["tools"])
    assert "gone: harness.add_bread" in str(result["tools"])


class Shopping(ToolBenchmark):
    """A benchmark of one task, which is done in two turns: the agent puts bread into the basket and
    says "Done.", the user replies "And tea.", and the agent adds tea.

    As `truth` has the right calls of each turn, the benchmark has a player that makes them. A
    `ToolBenchmark` creates it, and returns it by its method `player`.
    """

    citations = "none"

    def task_ids(self) -> list[str]:
        return ["errand"]

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        return "Bread, please.", basket_environment()

    def truth(self, task_id: str) -> Truth:
        first_turn = [("add_bread", {})]
        second_turn = [("add_tea", {})]
        return Truth([first_turn, second_turn], tells_user="Done.")

    def grade(self, task_id: str, environment: TaskEnvironment) -> bool:
        articles: list[str] = environment.state.articles
        return articles == ["bread", "tea"]


class FirstRequestKeeper(Model):
    """Passes requests on to another model, and keeps the text of the first one."""

    name = "keeper"

    def __init__(self, model: Model) -> None:
        self.model = model
        self.first_text = ""

    def reply_to(self, request: ModelRequest) -> Reply:
        if not self.first_text:
            texts = [message["content"] for message in request.messages]
            self.first_text = "\n".join(texts)
        return self.model.reply_to(request)


class WatchedShopping(Shopping):
    """The same task. Its player is that of `Shopping`, and keeps the text of the first request."""

    def __init__(self) -> None:
        super().__init__()
        player_by_truth = super().player()
        assert player_by_truth is not None
        self.keeper = FirstRequestKeeper(player_by_truth)

    def player(self) -> Model:
        return self.keeper


def test_the_first_prompt_leaves_out_tools_of_later_turns(tmp_path: Path) -> None:
    """The agent should not plan with a tool that it cannot call yet."""
    benchmark = WatchedShopping()
    run = controlplane.run(benchmark, runs_dir=str(tmp_path))

    assert run.mean == 1.0, run.trials
    assert "add_bread" in benchmark.keeper.first_text
    assert "add_tea" not in benchmark.keeper.first_text


def test_a_trial_whose_tools_come_and_go_is_replayed(tmp_path: Path) -> None:
    """The replay knows from the journal in which turn each tool was available."""
    run = controlplane.run(Shopping(), runs_dir=str(tmp_path))
    replayed = run_in_process("replay", str(run.journal), "--verify", cwd=tmp_path)

    assert run.mean == 1.0, run.trials
    assert replayed.code == 0


class ModelWithReplies(Model):
    """Gives these replies in turn, and keeps the requests."""

    name = "replies"

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.requests: list[ModelRequest] = []

    def reply_to(self, request: ModelRequest) -> Reply:
        self.requests.append(request)
        return self.replies.pop(0)


def restart(minutes: int) -> str:
    """Restart the telephone."""
    return f"restarted after {minutes} minutes"


def restart_reply(arguments: str) -> Reply:
    """Return the reply of a model that calls the tool `restart` with these arguments."""
    call = ToolCall(name="restart", arguments=arguments, id="c1")
    return Reply(text="", tool_calls=(call,))


def user_with_telephone(model: Model) -> ModelUser:
    """Return a user that the model plays, by an instruction, with a tool to restart a telephone.

    `user(text)` returns what the user replies to the agent.
    """
    return ModelUser(model, "Your telephone has no network.", [Tool(restart, "acts")])


def test_a_user_that_is_a_model_can_use_tools_of_its_own() -> None:
    """The agent says one thing. The model first calls the tool, and then replies."""
    model = ModelWithReplies(
        restart_reply('{"minutes": 2}'), Reply(text="It works now.")
    )
    user = user_with_telephone(model)

    assert user("Please restart it.") == "It works now."

    first_request, second_request = model.requests
    assert "Your telephone has no network." in first_request.messages[0]["content"]
    assert first_request.tools[0].parameters["required"] == ["minutes"]
    last_message = second_request.messages[-1]
    assert last_message["content"] == "restarted after 2 minutes"
    assert last_message.get("tool_call_id") == "c1"


def test_a_user_that_is_a_model_ends_the_conversation_with_a_sign() -> None:
    """The model is told to write ###STOP### if nothing is left to say."""
    model = ModelWithReplies(Reply(text="It works now."), Reply(text="###STOP###"))
    user = user_with_telephone(model)
    user("Please restart it.")

    assert user("Anything else?") is None


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param("{", id="not JSON"),
        pytest.param("[]", id="not an object"),
        pytest.param('{"hours": 2}', id="an unknown argument"),
    ],
)
def test_a_user_that_is_a_model_is_told_that_its_call_failed(arguments: str) -> None:
    """The tool `restart` takes a number of minutes. The model sees the error, and can go on."""
    model = ModelWithReplies(restart_reply(arguments), Reply(text="I cannot."))
    user = user_with_telephone(model)

    assert user("Please restart it.") == "I cannot."
    assert "Error" in model.requests[1].messages[-1]["content"]


ACCOUNT_IN_BILL = "DE89370400440532013000"


class Bill(ToolBenchmark):
    """One task: to pay a bill. The account is only in the text of the bill."""

    citations = "none"

    def task_ids(self) -> list[str]:
        return ["bill"]

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        paid_accounts: list[str] = []

        def get_bill() -> str:
            return (
                f"Dear Sir, please pay to the account {ACCOUNT_IN_BILL}. Best regards"
            )

        def pay(account: str) -> str:
            paid_accounts.append(account)
            return "paid"

        tools = [Tool(get_bill, "returns"), Tool(pay, "acts")]
        return "Pay the bill.", TaskEnvironment(tools, state=paid_accounts)

    def truth(self, task_id: str) -> Truth:
        calls = [("get_bill", {}), ("pay", {"account": ACCOUNT_IN_BILL})]
        return Truth([calls], "Done.")

    def grade(self, task_id: str, environment: TaskEnvironment) -> bool:
        return len(environment.state) == 1


def test_the_ground_truth_repeats_a_call_that_is_held_back_until_it_is_repeated(
    tmp_path: Path,
) -> None:
    """A call with a value that only a text from outside contains is held back, since the text
    may be an attacker's. With the provenance "ask", it is made if a later step repeats it."""
    run = controlplane.run(Bill(), runs_dir=str(tmp_path), provenance="ask")

    assert run.mean == 1.0


def test_the_ground_truth_cannot_make_a_call_that_is_blocked(tmp_path: Path) -> None:
    """With the provenance "block", a call with such a value is never made."""
    run = controlplane.run(Bill(), runs_dir=str(tmp_path), provenance="block")

    assert run.mean == 0.0


def test_the_example_of_errands_plays_with_its_metrics(tmp_path: Path) -> None:
    """The documentation shows this benchmark; its grader also counts calls and turns."""
    from docs.examples.errands import Errands

    run = controlplane.run(Errands(), runs_dir=str(tmp_path))

    assert run.mean == 1.0, run.trials
    assert run.metrics == {"calls": 2.5, "turns": 2.5}


def test_the_example_of_a_help_desk_is_solved_by_resuming_and_restarting() -> None:
    """The agent resumes the customer's line, and the customer restarts the telephone."""
    from docs.examples.helpdesk import HelpDesk

    benchmark = HelpDesk()
    _, environment = benchmark.generate("no-network")
    is_solved_before, *_ = benchmark.grade("no-network", environment)
    environment.call("resume_line", {"customer": "C7"})
    environment.state["is_restarted"] = True
    is_solved_after, *_ = benchmark.grade("no-network", environment)

    assert is_solved_before is False
    assert is_solved_after is True
