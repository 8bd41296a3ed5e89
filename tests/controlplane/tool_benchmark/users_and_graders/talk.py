"""A benchmark of one task, whose user and grader are models.

The fixture `folder` copies it to a folder as the module `talk`, and tests run it there with
`--benchmark talk`.
"""

from pathlib import Path

import controlplane
from controlplane import TaskEnvironment, ToolBenchmark


class Customer:
    """The user of the task, whom a model plays. The agent's `harness.say(text)` calls it."""

    def __init__(self, context: controlplane.BenchmarkContext) -> None:
        self.context = context
        self.conversation = [
            {"role": "user", "content": "You are a customer. Begin."},
        ]
        """What the model is told and replies, in the form that models take."""

    def __call__(self, text: str) -> str | None:
        """Return what the user replies to the agent; None ends the conversation."""
        self.conversation.append({"role": "user", "content": text})
        reply = self.context.model("user").complete(self.conversation).text
        self.conversation.append({"role": "assistant", "content": reply})
        return None if "STOP" in reply else reply


class Talk(ToolBenchmark):
    """The agent talks to a customer, and a model grades the conversation."""

    name = "talk"
    citations = "none"

    def task_ids(self) -> list[str]:
        return ["talk.1"]

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        customer = Customer(self.context)
        environment = TaskEnvironment(user=customer, state=customer.conversation)
        return "Help the customer.", environment

    def grade(
        self, task_id: str, environment: TaskEnvironment
    ) -> tuple[float, list[str]]:
        """Return the score, which a model gives, and as its details the texts of the conversation.

        Each call adds a line to the file `gradings`, so that a test can count them.
        """
        with Path("gradings").open("a") as file:
            file.write(f"{task_id}\n")
        conversation: list[dict[str, str]] = environment.state
        texts = [message["content"] for message in conversation]
        question = [{"role": "user", "content": "\n".join(texts)}]
        score = float(self.context.model("grade").complete(question).text)
        return score, texts


def open_benchmark(
    argument: str, settings: dict[str, str], context: controlplane.BenchmarkContext
) -> Talk:
    return Talk(argument, settings, context)
