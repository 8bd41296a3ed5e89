"""A benchmark of one task, whose user and grader are models.

Tests copy it to a folder as the module `talk`, and run it with `--benchmark talk`. Variables switch
what only some tests need: INTERRUPT_ONCE=1 sends the program Ctrl-C when the user has replied for
the second time, and NOTE_GRADING=1 appends an "x" to the file `graded` each time it grades.
"""

import os
import signal
import time
from pathlib import Path

import controlplane
from controlplane import TaskEnvironment, ToolBenchmark

INTERRUPTED = Path("interrupted")
"""A file that exists once the program has been interrupted, which happens only once."""
GRADED = Path("graded")


class Customer:
    """The user of the task, whom a model plays. The agent's `harness.say(text)` calls it."""

    def __init__(self, context: controlplane.BenchmarkContext) -> None:
        self.context = context
        self.conversation = [
            {"role": "user", "content": "You are a customer. Begin."},
        ]
        """What the model is told and replies, in the form that models take."""
        self.replies = 0

    def __call__(self, text: str) -> str | None:
        """Return what the user replies to the agent; None ends the conversation."""
        model = self.context.model("user")
        self.conversation.append({"role": "user", "content": text})
        reply = model.complete(self.conversation).text
        self.conversation.append({"role": "assistant", "content": reply})

        self.replies += 1
        if self.replies == 2 and os.environ.get("INTERRUPT_ONCE"):
            interrupt_once()
        return None if "STOP" in reply else reply


def interrupt_once() -> None:
    """Send Ctrl-C to this process, the first time only."""
    if not INTERRUPTED.exists():
        INTERRUPTED.touch()
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)  # until the main thread has seen it


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
        """Return the score, which a model gives to the conversation, and the conversation."""
        if os.environ.get("NOTE_GRADING"):
            with GRADED.open("a") as file:
                file.write("x")
        texts = [message["content"] for message in environment.state]
        question = [{"role": "user", "content": "\n".join(texts)}]
        score = float(self.context.model("grade").complete(question).text)
        return score, texts


def open_benchmark(
    argument: str, settings: dict[str, str], context: controlplane.BenchmarkContext
) -> Talk:
    return Talk(argument, settings, context)
