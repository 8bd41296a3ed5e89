"""The files and tools of a trial in which a test counts what the agent changes.

The agent reads the word in `/note.txt`, writes a report, deletes `/draft.txt`, and runs the tool
`/bin/checkout` once.
"""

from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    Executable,
    ExecutableKind,
    InitialCall,
    ToolSchema,
)

TOOL_SCHEMA = ToolSchema(
    operations=FILE_OPERATIONS,  # read, write, delete and so on
    executables=(
        Executable("/bin/id", ExecutableKind.READS, "prints the count"),
        Executable("/bin/checkout", ExecutableKind.CHANGES, "adds one to the count"),
    ),
    rules_document="/AGENTS.MD",
    initial_calls=(InitialCall("read", {"path": "/AGENTS.MD"}),),
)
"""What the scripts of an agent may call. The rules document is shown to the agent at the start."""


FILES = {
    "/AGENTS.MD": "Read the note, write the report, delete the draft, check out once, answer with the word.",
    "/note.txt": "the word is heron",
    "/draft.txt": "an old draft",
    "/bin/id": "",
    "/bin/checkout": "",
}
"""The files of each trial at its start."""
