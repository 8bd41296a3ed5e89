"""The benchmark `talk` with a user who interrupts the run after the second reply, by Ctrl-C.

A test writes this program to a file beside `talk.py`. `Customer` and `Talk` are the user, whom a model
plays, and the benchmark.
"""

TALK_WITH_INTERRUPT = """
import os
import signal
import time
from pathlib import Path

from controlplane import TaskEnvironment
from talk import Customer, Talk


class InterruptingCustomer(Customer):
    # Replies as a model says. After the reply to "in blue?", sends Ctrl-C to the program, only once.
    def __call__(self, text):
        reply = super().__call__(text)
        was_interrupted = Path("interrupted")
        if text == "in blue?" and not was_interrupted.exists():
            was_interrupted.touch()
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)  # until the main thread has seen it
        return reply


class TalkWithInterrupt(Talk):
    def generate(self, task_id):
        customer = InterruptingCustomer(self.context)
        environment = TaskEnvironment(user=customer, state=customer.conversation)
        return "Help the customer.", environment


def open_benchmark(argument, settings, context):
    return TalkWithInterrupt(argument, settings, context)
"""
