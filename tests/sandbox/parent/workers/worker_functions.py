"""Functions that tests call in a worker: `run(worker, "echo", 1)` -> `1`.

A worker is an isolated process for work on foreign data: a call that crashes or takes too long
ends that process and not the one of the test.
"""

import os
import re
import sqlite3

from controlplane.sandbox.child.worker_process import ask_parent


def process():
    """Return the id of the worker's process, by which tests tell processes apart."""
    return os.getpid()


def echo(value):
    return value


def raise_type_error():
    raise TypeError("no such thing")


def match(pattern, text):
    """Search by Python's own patterns, which may backtrack without end."""
    return bool(re.match(pattern, text))


def query(text):
    """Run SQL on an empty database."""
    with sqlite3.connect(":memory:") as database:
        return [list(row) for row in database.execute(text)]


def grow(megabytes):
    """Take this much memory."""
    return len(bytearray(megabytes << 20))


def die():
    """End the worker's process as a crash does."""
    os.abort()


def ask(questions):
    """Ask the parent process `("file", 0)`, `("file", 1)` and so on; return its answers."""
    return [ask_parent("file", number) for number in range(questions)]


def nan():
    """Return a number that JSON does not have."""
    return float("nan")


def loop():
    while True:
        pass
