"""A program with a simulated user and a grader, both models:
`talk.py play|resume JOURNAL`, in its working folder."""

import os
import signal
import sys
import time

import controlplane
from controlplane import TaskEnvironment, ToolBenchmark


class Talk(ToolBenchmark):
    """The user asks for something in two turns, and a model grades the conversation."""

    name, citations = "talk", "none"

    def task_ids(self) -> list[str]:
        return ["talk.1"]

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        said = [{"role": "user", "content": "You are a customer. Begin."}]

        def reply(text: str) -> str | None:
            said.append({"role": "user", "content": text})
            answer = self.context.model("user").complete(said).text
            said.append({"role": "assistant", "content": answer})
            if len(said) == 5 and "play" in sys.argv:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(1)  # until the main thread has seen it
            return None if "STOP" in answer else answer

        return "Help the customer.", TaskEnvironment(user=reply, state=said)

    def grade(
        self, task_id: str, environment: TaskEnvironment
    ) -> tuple[float, list[str]]:
        texts = [message["content"] for message in environment.state]
        asked = [{"role": "user", "content": "\n".join(texts)}]
        return float(self.context.model("grade").complete(asked).text), texts


def open_benchmark(
    argument: str, settings: dict[str, str], context: controlplane.BenchmarkContext
) -> Talk:
    return Talk(argument, settings, context)
