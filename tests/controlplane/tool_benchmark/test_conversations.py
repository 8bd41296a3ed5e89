"""Several turns with a user: tools that come and go, and a user that is a model."""

from pathlib import Path

import pytest

import controlplane
from controlplane import ModelUser, TaskEnvironment, Tool, ToolBenchmark, Truth
from controlplane.agent.model import Model, ModelRequest, Reply, ToolCall
from controlplane.sandbox.interface import CallError
from tests.support.command import run_in_process


class Basket:
    """A basket and the three tools that fill it."""

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
    basket = Basket()
    bread = Tool(basket.add_bread, "acts", last_turn=0)
    tea = Tool(basket.add_tea, "acts", first_turn=1)
    return TaskEnvironment([bread, tea], user=["And tea."], state=basket)


def test_a_tool_is_there_in_its_turns_only() -> None:
    environment = basket_environment()
    with pytest.raises(CallError, match="add_tea"):
        environment.call("add_tea", {})
    environment.call("add_bread", {})
    environment.call("say", {"text": "Bread is in the basket."})
    environment.call("add_tea", {})
    with pytest.raises(CallError, match="add_bread"):
        environment.call("add_bread", {})

    assert environment.state.articles == ["bread", "tea"]


def test_a_benchmark_may_begin_a_new_list_of_calls() -> None:
    environment = basket_environment()
    environment.call("add_bread", {})
    environment.calls = []
    environment.call("say", {"text": "Bread is in the basket."})
    environment.call("add_tea", {})

    assert [call.name for call in environment.calls] == ["say", "add_tea"]


def test_the_reply_of_the_user_names_tools_that_come_and_go() -> None:
    environment = basket_environment()
    result = environment.call("say", {"text": "Bread is in the basket."})

    assert "new: harness.add_tea" in str(result["tools"])
    assert "gone: harness.add_bread" in str(result["tools"])


class Shopping(ToolBenchmark):
    """One errand of two turns, for which the second tool appears with the second turn."""

    citations = "none"

    def task_ids(self) -> list[str]:
        return ["errand"]

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        return "Bread, please.", basket_environment()

    def truth(self, task_id: str) -> Truth:
        return Truth([[("add_bread", {})], [("add_tea", {})]], tells_user="Done.")

    def grade(self, task_id: str, environment: TaskEnvironment) -> bool:
        articles: list[str] = environment.state.articles
        return articles == ["bread", "tea"]


class Recorder(Model):
    """Keeps the first message that a player gets."""

    name = "recorder"

    def __init__(self, player: Model) -> None:
        self.player = player
        self.first_text = ""

    def reply_to(self, request: ModelRequest) -> Reply:
        if not self.first_text:
            self.first_text = "\n".join(
                message["content"] for message in request.messages
            )
        return self.player.reply_to(request)


def test_the_first_message_leaves_later_tools_out(tmp_path: Path) -> None:
    benchmark = Shopping()
    player = benchmark.player()

    assert player is not None
    recorder = Recorder(player)
    benchmark.player = lambda: recorder  # type: ignore[method-assign] # watched
    run = controlplane.run(benchmark, runs_dir=str(tmp_path))
    assert run.mean == 1.0, run.trials
    assert "add_bread" in recorder.first_text
    assert "add_tea" not in recorder.first_text
    assert (
        run_in_process("replay", str(run.journal), "--verify", cwd=tmp_path).code == 0
    )


class SpokenUser(Model):
    """A user's model with fixed replies."""

    name = "spoken"

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.requests: list[ModelRequest] = []

    def reply_to(self, request: ModelRequest) -> Reply:
        self.requests.append(request)
        return self.replies.pop(0)


def restart(minutes: int) -> str:
    """Restart the telephone."""
    return f"restarted after {minutes} minutes"


def test_a_user_that_is_a_model_uses_its_tools_and_ends_the_talk() -> None:
    call = ToolCall(name="restart", arguments='{"minutes": 2}', id="c1")
    model = SpokenUser(
        Reply(text="", tool_calls=(call,)),
        Reply(text="It works now."),
        Reply(text="###STOP###"),
    )
    user = ModelUser(model, "Your telephone has no network.", [Tool(restart, "acts")])

    assert user("Please restart it.") == "It works now."
    assert user("Anything else?") is None

    messages = model.requests[1].messages
    assert messages[-1]["content"] == "restarted after 2 minutes"
    assert messages[-1].get("tool_call_id") == "c1"
    assert "Your telephone has no network." in messages[0]["content"]
    assert model.requests[0].tools[0].parameters["required"] == ["minutes"]


@pytest.mark.parametrize("arguments", ["{", "[]", '{"hours": 2}'])
def test_a_faulty_call_of_the_user_is_told_to_the_user(arguments: str) -> None:
    call = ToolCall(name="restart", arguments=arguments, id="c1")
    model = SpokenUser(Reply(text="", tool_calls=(call,)), Reply(text="I cannot."))
    user = ModelUser(model, "Your telephone has no network.", [Tool(restart, "acts")])

    assert user("Please restart it.") == "I cannot."
    assert "Error" in model.requests[1].messages[-1]["content"]


def test_a_held_call_of_the_ground_truth_is_made_again_in_a_later_step(
    tmp_path: Path,
) -> None:
    class Bill(ToolBenchmark):
        citations = "none"

        def task_ids(self) -> list[str]:
            return ["bill"]

        def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
            paid: list[str] = []

            def get_bill() -> str:
                return "Dear Sir, please pay to the account DE89370400440532013000. Best regards"

            def pay(account: str) -> str:
                paid.append(account)
                return "paid"

            tools = [Tool(get_bill, "returns"), Tool(pay, "acts")]
            return "Pay the bill.", TaskEnvironment(tools, state=paid)

        def truth(self, task_id: str) -> Truth:
            account = "DE89370400440532013000"
            return Truth([[("get_bill", {}), ("pay", {"account": account})]], "Done.")

        def grade(self, task_id: str, environment: TaskEnvironment) -> bool:
            return len(environment.state) == 1

    asked = controlplane.run(Bill(), runs_dir=str(tmp_path), provenance="ask")
    blocked = controlplane.run(Bill(), runs_dir=str(tmp_path), provenance="block")

    assert asked.mean == 1.0
    assert blocked.mean == 0.0


def test_the_example_of_errands_plays_with_its_metrics(tmp_path: Path) -> None:
    from docs.examples.errands import Errands

    run = controlplane.run(Errands(), runs_dir=str(tmp_path))

    assert run.mean == 1.0, run.trials
    assert run.metrics == {"calls": 2.5, "turns": 2.5}


def test_the_example_of_a_help_desk_is_solved_by_resuming_and_restarting() -> None:
    from docs.examples.helpdesk import HelpDesk

    benchmark = HelpDesk()
    _, environment = benchmark.generate("no-network")
    before, *_ = benchmark.grade("no-network", environment)
    environment.call("resume_line", {"customer": "C7"})
    environment.state["is_restarted"] = True
    after, *_ = benchmark.grade("no-network", environment)

    assert (before, after) == (False, True)
