"""A small invented shop of carts and documents, as the first messages of trials show it.

Before a model is asked, calls list the tree, read the rules and documents, and find named records.
"""

from collections.abc import Mapping
from datetime import datetime

from controlplane.sandbox import FileTree
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    EachOf,
    Executable,
    ExecutableKind,
    InitialCall,
    NamedFiles,
    Plain,
    ToolSchema,
)
from tests.agent.loop.initial_prompt.shop_files import SHOP_FILES

READ_FITTING_DOCUMENTS = InitialCall(
    "read",
    # returns {"paths": ["/docs/carts.md", "/docs/lore.md"]}; limit 0: all files
    each_of=EachOf(
        operation="find",
        arguments={"name": "*.md", "root": "/docs", "kind": "files", "limit": 0},
        field="paths",
    ),
    is_ranked=True,
)
"""Reads the documents that fit the request: for "Check out cart-1.", only `/docs/carts.md`."""

SHOP_SCHEMA = ToolSchema(
    operations=FILE_OPERATIONS,
    executables=(Executable("/bin/id", ExecutableKind.READS),),
    rules_document="/RULES.md",
    initial_calls=(
        # `level` 0: all levels. A folder with more than one file shows only their number.
        InitialCall("tree", {"root": "/", "level": 0}, longest_listing=1),
        InitialCall("exec", {"path": "/bin/id"}),
        InitialCall("read", {"path": "/RULES.md"}, most_chars=5),  # only `Carts`
        READ_FITTING_DOCUMENTS,
    ),
    # Records that the request names are shown, and records linked to them (found by `search`).
    named_files=NamedFiles(roots=("/data",), records="/data", search="search"),
)


class Shop:
    """The environment: files, and `/bin/id`, which tells who asks. `broken_operations` fail."""

    def __init__(
        self,
        tool_schema: ToolSchema = SHOP_SCHEMA,
        broken_operations: tuple[str, ...] = (),
        files: Mapping[str, str] = SHOP_FILES,
    ) -> None:
        self.tool_schema = tool_schema
        self._tree = FileTree(files)
        self._broken_operations = broken_operations

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation in self._broken_operations:
            raise CallError("unavailable", "no such luck")
        if operation == "exec":  # of /bin/id
            return {"stdout": "user: cust-2\n", "stderr": "", "exit_code": 0}
        return getattr(self._tree, operation)(**arguments)

    def answer(self, message: str, outcome: str, refs: object) -> None:
        raise AssertionError("before the model is asked, nobody answers")

    def now(self) -> datetime | None:
        return None
