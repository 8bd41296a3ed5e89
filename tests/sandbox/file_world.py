"""A world of files that tests have in an aide."""

import os

from sandbox import FileTree
from sandbox.files import AskedFiles

TREE = []
CHANGES = []


def begin(paths, directories, changes, data):
    base = AskedFiles(paths)
    tree = FileTree(
        base, directories=directories, changes=changes, on_change=lambda path, text: CHANGES.append([path, text])
    )
    TREE[:] = [tree, data]
    return data and data.get("constant")


def call(operation, arguments):
    CHANGES.clear()
    tree, data = TREE
    if operation == "data":
        return [{"data": data}, []]
    if operation == "forge":
        return arguments["reply"]
    result = getattr(tree, operation)(**arguments)
    if arguments.get("content") == "die":
        os.abort()
    return [result, list(CHANGES)]
