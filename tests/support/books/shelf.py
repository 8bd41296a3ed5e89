"""The library with a tool that lends books, for trials of the second solver, `Exoskeleton`.

    shelf = Shelf()
    shelf.call("exec", {"path": "/bin/lend", "args": ["emma"]})
    shelf.lent  # 1

So tests see if a trial changes something, and how often.
"""

from collections.abc import Mapping

from controlplane.sandbox.interface import CallError, Plain
from tests.support.books.library import TOOL_SCHEMA, Library


class Shelf(Library):
    """The library, with a tool `/bin/lend` that lends a book, and with files nobody may write."""

    def __init__(self) -> None:
        super().__init__(TOOL_SCHEMA)
        self.lent = 0
        """How many books were lent."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "exec":  # There is no other tool than /bin/lend.
            self.lent += 1
            return {"stdout": "lent\n", "stderr": "", "exit_code": 0}
        if operation == "write":
            raise CallError("permission_denied", "nobody writes here")
        return super().call(operation, arguments)
