"""Tasks in which the agent talks to a user, in several turns, with tools of some turns only.

The agent says something by `harness.say(text)`, and the user's reply begins the next turn. The
tools of these tests fill a basket:

    turn 0   agent: add_bread(), say("Bread is in the basket.")
             user:  "And tea."
    turn 1   agent: add_tea()         add_bread cannot be called any more
"""

from pathlib import Path

import pytest

import controlplane
from controlplane import Task, TaskEnvironment, Tool, Truth
from controlplane.sandbox.interface import CallError
from tests.controlplane.tool_benchmark.played_runs import check_replay_agrees
from tests.controlplane.tool_benchmark.scripted_model import (
    ModelWithScripts,
    run_without_gates,
    script_with_answer,
)
from tests.controlplane.tool_benchmark.task_with_truth import TaskWithTruth


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
    """Return an environment with add_bread in turn 0 only, and with add_tea from turn 1 on."""
    basket = Basket()
    bread = Tool(basket.add_bread, "acts", last_turn=0)
    tea = Tool(basket.add_tea, "acts", first_turn=1)
    return TaskEnvironment([bread, tea], user=["And tea."], state=basket)


class TestToolsOfTurns:
    """A tool can be called in some turns of the user only.

    `add_bread` is a tool of turn 0, and `add_tea` one from turn 1 on, which begins when the
    agent has said something and the user has replied "And tea.".
    """

    def test_a_tool_can_be_called_only_in_its_turns(self) -> None:
        environment = basket_environment()

        with pytest.raises(CallError, match="add_tea"):
            environment.call("add_tea", {})
        environment.call("add_bread", {})

        environment.call("say", {"text": "Bread is in the basket."})
        environment.call("add_tea", {})
        with pytest.raises(CallError, match="add_bread"):
            environment.call("add_bread", {})

        assert environment.state.articles == ["bread", "tea"]

    def test_the_result_of_say_names_tools_that_are_new_or_gone(self) -> None:
        """The prompt at the beginning describes only the tools of the first turn."""
        environment = basket_environment()

        result = environment.call("say", {"text": "Bread is in the basket."})

        assert "new: harness.add_tea" in str(result["tools"])
        assert "gone: harness.add_bread" in str(result["tools"])

    def test_the_first_prompt_leaves_out_tools_of_later_turns(
        self, tmp_path: Path
    ) -> None:
        """The agent should not plan with a tool that it cannot call yet."""
        model = ModelWithScripts(script_with_answer("harness.add_bread()"))
        task = Task("errand", "Bread, please.", environment=basket_environment)

        run_without_gates([task], model, tmp_path)

        texts = [message["content"] for message in model.requests[0].messages]
        first_prompt = "\n".join(texts)
        assert "add_bread" in first_prompt
        assert "add_tea" not in first_prompt

    def test_a_trial_whose_tools_come_and_go_is_replayed(self, tmp_path: Path) -> None:
        """The replay knows from the journal in which turn each tool was available."""
        errand = TaskWithTruth(
            "Bread, please.",
            basket_environment,
            Truth([[("add_bread", {})], [("add_tea", {})]], tells_user="Done."),
            grade=lambda end: end.state.articles == ["bread", "tea"],
        )

        run = controlplane.run(errand, runs_dir=str(tmp_path))

        assert run.mean == 1.0, run.trials
        check_replay_agrees(run)


class TestListOfCalls:
    """The environment keeps the calls, and refuses further ones after the conversation.

    `environment.calls` is what a grader looks at: `[call.name for call in environment.calls]`.
    """

    def test_a_benchmark_may_empty_the_list_of_calls(self) -> None:
        """A grader that cares only about later calls replaces the list by an empty one."""
        environment = basket_environment()
        environment.call("add_bread", {})

        environment.calls = []
        environment.call("say", {"text": "Bread is in the basket."})
        environment.call("add_tea", {})

        assert [call.name for call in environment.calls] == ["say", "add_tea"]

    @pytest.mark.parametrize(
        ("name", "arguments"), [("move", {}), ("say", {"text": "hello?"})]
    )
    def test_calls_after_the_end_of_the_conversation_are_refused(
        self, name: str, arguments: dict[str, str]
    ) -> None:
        """A user that is a function ends the conversation by a reply of None."""
        moves: list[str] = []
        move = Tool(lambda: moves.append("moved"), "acts", name="move")
        environment = TaskEnvironment([move], user=lambda text: None)

        last_result = environment.runtime.call("say", {"text": "bye"})
        with pytest.raises(CallError, match="the environment has ended this trial"):
            environment.runtime.call(name, arguments)

        assert last_result["ended"] is True
        assert moves == []
        assert [call.name for call in environment.calls] == ["say"]
