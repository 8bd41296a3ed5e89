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


def interrupt_program() -> None:
    """Send Ctrl-C to this process, the first time only."""
    if os.environ.get("INTERRUPT_ONCE") and not INTERRUPTED.exists():
        INTERRUPTED.touch()
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)  # until the main thread has seen it


class Talk(ToolBenchmark):
    """The user asks for something in two turns, and a model grades the conversation."""

    name = "talk"
    citations = "none"

    def task_ids(self) -> list[str]:
        return ["talk.1"]

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        """Return the instruction, and an environment whose user is a model.

        What the agent says is a message to that model. Its reply is what the user says, or
        "STOP", which ends the conversation.
        """
        messages = [{"role": "user", "content": "You are a customer. Begin."}]

        def reply(text: str) -> str | None:
            messages.append({"role": "user", "content": text})
            user_text = self.context.model("user").complete(messages).text
            messages.append({"role": "assistant", "content": user_text})
            number_of_replies = len(messages) // 2
            if number_of_replies == 2:
                interrupt_program()
            return None if "STOP" in user_text else user_text

        return "Help the customer.", TaskEnvironment(user=reply, state=messages)

    def grade(
        self, task_id: str, environment: TaskEnvironment
    ) -> tuple[float, list[str]]:
        """Return the score, which a model gives to the conversation, and the conversation."""
        if os.environ.get("NOTE_GRADING"):
            with GRADED.open("a") as file:
                file.write("x")
        texts = [message["content"] for message in environment.state]
        question = [{"role": "user", "content": "\n".join(texts)}]
        return float(self.context.model("grade").complete(question).text), texts


def open_benchmark(
    argument: str, settings: dict[str, str], context: controlplane.BenchmarkContext
) -> Talk:
    return Talk(argument, settings, context)
