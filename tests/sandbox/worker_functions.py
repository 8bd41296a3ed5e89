"""Functions that tests call in a worker: `worker.call("tests.sandbox.worker_functions:echo", 1)`.

A worker is an isolated process for work on foreign data: a call that crashes or takes too long
ends that process and not the one of the test.
"""

import os
import re
import socket
import sqlite3
from array import array

from controlplane.sandbox.child.parent_connection import ask_parent
from controlplane.sandbox.files.file_tree import FileTree


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


def reach_out(kind):
    """Try to get something that the isolation keeps from workers, and return it.

    `reach_out("socket")` -> `5` (a descriptor) if it is there for the taking, or
    `"PermissionError"` if the isolation works. The environment variables can be read, but must
    not have a secret among them.
    """
    try:
        match kind:
            case "file":
                return os.open("/", os.O_RDONLY)
            case "socket":
                return socket.socket().fileno()
            case "fork":
                return os.fork()
            case "array":
                return array("b", [1]).tolist()
            case "parent":
                no_signal = 0  # It only asks whether a signal could be sent.
                return str(os.kill(os.getppid(), no_signal))
            case "environment":
                return dict(os.environ)
    except (OSError, PermissionError, ImportError) as error:
        return type(error).__name__


class WorldTools:
    """The tools of a test's world: those of a file tree, and some that misbehave.

    `loop_without_end` never returns, `return_given` returns the argument `result`, whatever it
    is, and a write of the text "die" ends the process.
    """

    def __init__(self, tree, data):
        self.tree, self._data = tree, data

    def call(self, operation, arguments):
        if operation == "data":
            return {"data": self._data}
        if operation == "return_given":
            return arguments["result"]
        if operation == "loop_without_end":
            while True:
                pass
        result = getattr(self.tree, operation)(**arguments)
        if arguments.get("content") == "die":
            os.abort()  # After the write, before its result is sent.
        return result


def open_tools(files, directories, data):
    """Return the tools of a trial. Its worker calls this once, before the first call of a tool.

    `data` is whatever the trial's environment wants its tools to know.
    """
    return WorldTools(FileTree(files, directories=directories), data)
