"""A program with one task: to make the payments 1, 2 and 3, each once and in this order.

    python paying_program.py SIGINT      sends itself this signal within the second payment

The model replies from the file `three.toml`. A test continues the run with the same tasks:

    controlplane.run(TASKS, resume=JOURNAL)      its score is 1.0 for right calls
"""

import os
import signal
import sys
import time

import controlplane
from controlplane import Task, TaskEnvironment, Tool

paid: list[int] = []
"""The payments that the environment of the task has made."""

signals: list[signal.Signals] = []
"""The signals by which the second payment is disturbed; none in a run that is continued."""


def pay(n: int) -> list[int]:
    """Make the payment with this number."""
    paid.append(n)
    if n == 2:
        for signal_number in signals:
            os.kill(os.getpid(), signal_number)
            time.sleep(1)  # An interrupt comes while the payment goes on.
    return paid


def open_environment() -> TaskEnvironment:
    paid.clear()
    return TaskEnvironment([Tool(pay, "acts")])


def grade(end: TaskEnvironment) -> tuple[bool, list[str]]:
    """Return whether the calls were right, and the calls as the reason for a wrong score."""
    is_right = [call.arguments["n"] for call in end.calls] == [1, 2, 3]
    return is_right, [str(end.calls)]


TASKS = [Task("task.1", "Pay thrice.", environment=open_environment, grade=grade)]

if __name__ == "__main__":
    signals.append(signal.Signals[sys.argv[1]])
    try:
        controlplane.run(TASKS, model="scripted:three.toml", runs_dir="runs")
    except KeyboardInterrupt as error:
        print(error)
