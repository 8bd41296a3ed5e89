"""Tools over a world of files that tests have in an aide."""

import os

from sandbox import FileTree


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
