"""A benchmark of errands, in which the user says one thing after another.

`controlplane run --benchmark docs.examples.errands`

A script calls the tools as `harness.add("bread")`, and `harness.say(...)` ends a turn: it returns
the user's next message. Without `--model`, the calls of `truth` are played.
"""

from controlplane import TaskEnvironment, Tool, ToolBenchmark, Truth

MESSAGES = {
    "breakfast": [
        "Please put bread into my basket.",
        "And tea.",
        "No tea after all: milk.",
    ],
    "snack": ["An apple, please.", "That is all."],
}
"""What the user says in each turn of a task."""

RIGHT_CALLS = {
    "breakfast": [
        [("add", {"article": "bread"})],
        [("add", {"article": "tea"})],
        [("remove", {"article": "tea"}), ("add", {"article": "milk"})],
    ],
    "snack": [
        [("add", {"article": "apple"})],
        [],
    ],
}
"""The right calls in each turn of a task."""

RIGHT_BASKETS = {"breakfast": ["bread", "milk"], "snack": ["apple"]}
"""What a task's basket must hold at the end."""


class Errands(ToolBenchmark):
    citations = "none"  # There are no documents to cite.

    def task_ids(self):
        return list(MESSAGES)

    def generate(self, task_id):
        """Return the first message, and a new environment with an empty basket."""
        basket = []

        def add(article: str) -> list:
            """Put an article into the basket."""
            basket.append(article)
            return basket

        def remove(article: str) -> list:
            """Take an article out of the basket."""
            basket.remove(article)
            return basket

        tools = [Tool(add, "acts"), Tool(remove, "acts")]
        first_message, *later_messages = MESSAGES[task_id]
        environment = TaskEnvironment(tools, user=later_messages, state=basket)
        return first_message, environment

    def truth(self, task_id):
        return Truth(RIGHT_CALLS[task_id], tells_user="Done.")

    def grade(self, task_id, environment):
        """Return the score, why it is not the best one, and metrics.

        A score of True is 1. The run shows the mean of each metric.
        """
        basket = environment.state
        is_right = basket == RIGHT_BASKETS[task_id]
        calls = [call for call in environment.calls if call.name != "say"]
        metrics = {"calls": len(calls), "turns": environment.turn}
        return is_right, [f"the basket holds {basket}"], metrics


open_benchmark = Errands
