"""The truth of a task, which its benchmark may know: the right calls, and the right answer.

    def truth(self, task_id):
        return Truth([[("add", {"article": "bread"})]], "Bread is in the basket.")

Without a model, a run makes these calls. So the author of a benchmark sees whether its tasks can
be solved, and whether the grader gives right work the best score.
"""

from pathlib import Path
from typing import NamedTuple

import controlplane
from controlplane import TaskEnvironment, Tool, Truth
from tests.controlplane.tool_benchmark.played_runs import check_replay_agrees
from tests.controlplane.tool_benchmark.task_with_truth import TaskWithTruth


def basket(*further_requests: str) -> TaskEnvironment:
    """Return an environment with the tool `add`, whose state is the list of added articles.

    After each turn, the user says the next of the further requests.
    """
    articles: list[str] = []

    def add(article: str) -> int:
        """Add an article."""
        articles.append(article)
        return len(articles)

    user = list(further_requests) or None
    return TaskEnvironment([Tool(add, "acts")], user=user, state=articles)


class Add(NamedTuple):
    """A call of the tool `add`. A benchmark may have a class of its own for its calls."""

    tool: str
    arguments: dict[str, str]


class TestCallsOfTheTruth:
    """The right calls are made one after the other, turn by turn of the user.

    The tool `add` puts an article into a basket. `Truth([[("add", {"article": "bread"})]],
    "Bread is in the basket.")` is one turn with a call, and the answer.
    """

    def test_the_calls_of_the_truth_are_made_and_the_answer_is_given(
        self, tmp_path: Path
    ) -> None:
        """The task has no user, and is over with the answer."""
        errand = TaskWithTruth(
            "Buy bread.",
            basket,
            Truth([[("add", {"article": "bread"})]], "Bread is in the basket."),
            grade=lambda end: end.state == ["bread"],
        )

        run = controlplane.run(errand, runs_dir=str(tmp_path))

        assert run.trials[0].score == 1, run.trials
        assert run.trials[0].answer == "Bread is in the basket."
        check_replay_agrees(run)

    def test_the_calls_of_the_truth_are_made_in_the_turns_of_the_user(
        self, tmp_path: Path
    ) -> None:
        """The user asks for more in two further turns."""
        turns = [
            [Add("add", {"article": "bread"})],
            [Add("add", {"article": "tea"})],
            [Add("add", {"article": "milk"})],
        ]

        def grade(end: TaskEnvironment) -> bool:
            turns_of_calls = [call.turn for call in end.calls if call.name == "add"]
            return end.state == ["bread", "tea", "milk"] and turns_of_calls == [0, 1, 2]

        errand = TaskWithTruth(
            "Buy bread.",
            lambda: basket("And tea.", "And milk."),
            Truth(turns, tells_user="Done."),
            grade,
        )

        run = controlplane.run(errand, runs_dir=str(tmp_path))

        assert run.trials[0].score == 1, run.trials
        check_replay_agrees(run)


ACCOUNT_IN_BILL = "DE89370400440532013000"


def bank() -> TaskEnvironment:
    """Return an environment with a bill and the tool `pay`, whose state is the paid accounts."""
    paid_accounts: list[str] = []

    def get_bill() -> str:
        return f"Dear Sir, please pay to the account {ACCOUNT_IN_BILL}. Best regards"

    def pay(account: str) -> str:
        paid_accounts.append(account)
        return "paid"

    tools = [Tool(get_bill, "returns"), Tool(pay, "acts")]
    return TaskEnvironment(tools, state=paid_accounts)


PAY_THE_BILL = TaskWithTruth(
    "Pay the bill.",
    bank,
    Truth([[("get_bill", {}), ("pay", {"account": ACCOUNT_IN_BILL})]], "Done."),
    grade=lambda end: len(end.state) == 1,
)
"""A task whose right call has a value that only the text of the bill contains."""


class TestHeldCalls:
    """The right call of a task has a value that only a text from outside contains.

    Such a call may be what an attacker wants. The setting `provenance` says what happens: "ask"
    makes the call if a later step repeats it, and "block" never makes it.
    """

    def test_the_truth_repeats_a_call_that_is_held_back_until_it_is_repeated(
        self, tmp_path: Path
    ) -> None:
        run = controlplane.run(PAY_THE_BILL, runs_dir=str(tmp_path), provenance="ask")

        assert run.mean == 1.0

    def test_the_truth_cannot_make_a_call_that_is_blocked(self, tmp_path: Path) -> None:
        run = controlplane.run(PAY_THE_BILL, runs_dir=str(tmp_path), provenance="block")

        assert run.mean == 0.0


class TestExamples:
    """Two benchmarks of the documentation can be solved.

    They are programs in docs/examples, which a reader may copy.
    """

    def test_the_example_of_errands_plays_with_its_metrics(
        self, tmp_path: Path
    ) -> None:
        """The documentation shows this benchmark; its grader also counts calls and turns."""
        from docs.examples.errands import Errands

        run = controlplane.run(Errands(), runs_dir=str(tmp_path))

        assert run.mean == 1.0, run.trials
        assert run.metrics == {"calls": 2.5, "turns": 2.5}

    def test_the_example_of_a_help_desk_is_solved_by_resuming_and_restarting(
        self,
    ) -> None:
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
