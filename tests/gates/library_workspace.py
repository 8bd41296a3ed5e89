"""The workspace of a small library: its files, and the programs that a trial may run there.

A trial is one attempt of an agent at a task, such as "How long does a loan run?". The answer is in
`/docs/Loans.md`, and `/bin/query` is a program that only reads.
"""

from __future__ import annotations

from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    Executable,
    ExecutableKind,
    FileArguments,
    ToolSchema,
)

TOOL_SCHEMA = ToolSchema(
    operations=FILE_OPERATIONS,
    executables=(
        Executable("/bin/query", ExecutableKind.READS),
        # `files` says which arguments of a program are files: here all, except for the option -n.
        # show [-n] FILE...
        Executable(
            "/bin/show", ExecutableKind.READS, files=FileArguments(options=("-n",))
        ),
        # pick [-r] PATTERN FILE...: the first argument is not a file
        Executable(
            "/bin/pick",
            ExecutableKind.READS,
            files=FileArguments(first=1, options=("-r",)),
        ),
        # stock FILE ID...: only the first argument is a file
        Executable("/bin/stock", ExecutableKind.READS, files=FileArguments(count=1)),
        Executable("/bin/ship", ExecutableKind.CHANGES),
        Executable("/bin/odd", ExecutableKind.UNKNOWN),
    ),
    rules_document="/RULES.md",
)
"""What a trial in the workspace can call: the file operations and six programs.

The kind of a program says whether it only reads, changes something, or may do either.
"""

FILES = {
    "/docs/Loans.md": "A loan runs 21 days. Books marked reserved cannot be renewed. Ask the librarian for data.",
    "/shelves/north side/b-104.json": '{"id": "b-104", "title": "Die Küste", "copies": 3, "fee_cents": 1150}',
    "/shelves/north side/b-105.json": '{"id": "b-105", "title": "Harbour lights", "copies": 0}',
    "/logs/lent.tsv": "row\tbook\n7\tb-104\n8\tb-105\n",
    "/empty.txt": "",
}
"""The files of the workspace and their texts."""
