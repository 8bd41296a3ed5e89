"""Functions that tests have run in a worker."""

import os
import re
import socket
import sqlite3
from array import array

from controlplane.sandbox.child.parent_connection import ask_parent
from controlplane.sandbox.files.file_tree import FileTree


def process():
    return os.getpid()


def echo(value):
    return value


def raise_type_error():
    raise TypeError("no such thing")


def match(pattern, text):
    return bool(re.match(pattern, text))


def query(text):
    with sqlite3.connect(":memory:") as database:
        return [list(row) for row in database.execute(text)]


def grow(megabytes):
    return len(bytearray(megabytes << 20))


def die():
    os.abort()


def ask(questions):
    return [ask_parent("double", number) for number in range(questions)]


def nan():
    return float("nan")


def loop():
    while True:
        pass


def reach_out(kind):
    """Try what only the machine could give. Returns what came of it."""
    try:
        if kind == "file":
            return os.open("/", os.O_RDONLY)
        if kind == "socket":
            return socket.socket().fileno()
        if kind == "fork":
            return os.fork()
        if kind == "array":
            return array("b", [1]).tolist()
        if kind == "parent":
            return str(os.kill(os.getppid(), 0))
        return dict(os.environ)
    except (OSError, PermissionError, ImportError) as error:
        return type(error).__name__


class WorldTools:
    def __init__(self, tree, data):
        self.tree, self._data = tree, data

    def call(self, operation, arguments):
        if operation == "data":
            return {"data": self._data}
        if operation == "forge":
            return arguments["result"]
        if operation == "spin":
            while True:
                pass
        result = getattr(self.tree, operation)(**arguments)
        if arguments.get("content") == "die":
            os.abort()
        return result


def open_tools(files, directories, data):
    return WorldTools(FileTree(files, directories=directories), data)
