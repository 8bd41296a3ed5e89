"""Errands in several turns: each `harness.say` gets the user's next message. Without `--model` the ground truth plays.
`controlplane run --benchmark errands`"""

from controlplane import TaskEnvironment, Tool, ToolBenchmark, Truth

MESSAGES = {
    "breakfast": ["Please put bread into my basket.", "And tea.", "No tea after all: milk."],
    "snack": ["An apple, please.", "That is all."],
}
BASKETS = {"breakfast": ["bread", "milk"], "snack": ["apple"]}


class Errands(ToolBenchmark):
    citations = "none"  # there are no documents

    def task_ids(self):
        return list(MESSAGES)

    def generate(self, task_id):
        first_message, *later_messages = MESSAGES[task_id]
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
        return first_message, TaskEnvironment(tools, user=later_messages, state=basket)

    def truth(self, task_id):
        turns = {
            "breakfast": [[("add", {"article": "bread"})], [("add", {"article": "tea"})],
                          [("remove", {"article": "tea"}), ("add", {"article": "milk"})]],
            "snack": [[("add", {"article": "apple"})], []],
        }
        return Truth(turns[task_id], tells_user="Done.")

    def grade(self, task_id, environment):
        is_right = environment.state == BASKETS[task_id]
        calls = sum(call.name != "say" for call in environment.calls)
        # The score, why it is not the best one, and metrics, of which the run shows the means.
        return is_right, [f"the basket holds {environment.state}"], {"calls": calls, "turns": environment.turn}

open_benchmark = Errands
