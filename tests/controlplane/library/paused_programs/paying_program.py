"""A program with one task: to make the payments 1, 2 and 3, each once and in this order.

    python paying_program.py start SIGINT      sends itself this signal within the second payment
    python paying_program.py resume JOURNAL    continues that run, and prints 1.0 for right calls

With a score of 0.0, it also prints the calls. The model replies from the file `three.toml`.
"""

import os
import signal
import sys
import time

import controlplane
from controlplane import Task, TaskEnvironment, Tool

command, argument = sys.argv[1:]

paid: list[int] = []
"""The payments that the environment of the task has made."""


def pay(n: int) -> list[int]:
    """Make the payment with this number. The second one is disturbed by the signal."""
    paid.append(n)
    if command == "start" and n == 2:
        os.kill(os.getpid(), signal.Signals[argument])
        time.sleep(1)  # An interrupt comes while the payment goes on.
    return paid


def open_environment() -> TaskEnvironment:
    paid.clear()
    return TaskEnvironment([Tool(pay, "acts")])


def grade(end: TaskEnvironment) -> tuple[bool, list[str]]:
    """Return whether the calls were right, and for a wrong score the calls as its reason."""
    is_right = [call.arguments["n"] for call in end.calls] == [1, 2, 3]
    return is_right, [str(end.calls)]


tasks = [Task("task.1", "Pay thrice.", environment=open_environment, grade=grade)]
if command == "resume":
    run = controlplane.run(tasks, resume=argument)
    print(run.mean, run.trials[0].why)
else:
    try:
        controlplane.run(tasks, model="scripted:three.toml", runs_dir="runs")
    except KeyboardInterrupt as error:
        print(error)
