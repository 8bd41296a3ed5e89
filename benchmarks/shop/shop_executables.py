"""The tools of a shop in `/bin`, declared for those who judge or record the calls of a script.

`/bin/cat` only reads, and `/bin/checkout` changes records, so it is checked before it is run.
Which arguments are files says what a script has read: `/bin/cat -n /docs/returns.md` has read
the page, so an answer may cite it.
"""

from __future__ import annotations

from typing import Final

from controlplane.sandbox.interface import (
    Executable,
    ExecutableKind,
    FileArguments,
)

_READS: Final = ExecutableKind.READS
_CHANGES: Final = ExecutableKind.CHANGES
# `files` say which arguments of a tool are paths of files that it reads. With `first=1`, one
# argument precedes them: the expression of `jq`. With `count=1`, there is one file at most.
# `options` are those without an argument of their own.
EXECUTABLES: Final = (
    Executable(
        "/bin/availability",
        _READS,
        "what a branch can sell",
        files=FileArguments(count=1),
    ),
    Executable("/bin/cat", _READS, files=FileArguments(options=("-n", "--number"))),
    Executable("/bin/checkout", _CHANGES),
    Executable("/bin/date", _READS),
    Executable("/bin/discount", _CHANGES),
    Executable("/bin/id", _READS),
    Executable(
        "/bin/jq",
        _READS,
        files=FileArguments(first=1, options=("-r", "--raw-output")),
    ),
    Executable("/bin/payments", _CHANGES, "restarts verification"),
    Executable("/bin/refund", _CHANGES),
    Executable("/bin/sql", _READS, "queries the records"),
)
"""The tools of `/bin`, the same in the embedded world and on the remote platform."""
