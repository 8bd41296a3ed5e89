"""Tools of a trial that run in a worker: those of a file tree, and some that misbehave.

A worker is an isolated process for work on foreign data. Its first call is `open_tools({"/a.md":
"alpha"}, (), data=None)`, and then `tools.call("read", {"path": "/a.md"})["content"]` -> `"alpha"`.
"""

import os

from controlplane.sandbox.files.file_tree import FileTree


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
