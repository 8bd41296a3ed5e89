"""The tools of a shop in `/bin`, declared for those who judge or record the calls of a script.

`/bin/cat` only reads, and `/bin/checkout` changes records, so it is checked before it is run.
For some tools, `files` says which of their arguments are files that they read. After
`/bin/cat -n /docs/returns.md`, the script has read the page, so an answer may cite it.
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

EXECUTABLES: Final = (
    # `/bin/availability /proc/stores/store_graz.json AB-1`: one file, and then other arguments
    Executable(
        "/bin/availability",
        _READS,
        "what a branch can sell",
        files=FileArguments(count=1),
    ),
    # `/bin/cat -n /docs/returns.md /docs/stock.md`: any number of files. `options` are those that
    # take no argument, so the word after them is a file.
    Executable("/bin/cat", _READS, files=FileArguments(options=("-n", "--number"))),
    Executable("/bin/checkout", _CHANGES),
    Executable("/bin/date", _READS),
    Executable("/bin/discount", _CHANGES),
    Executable("/bin/id", _READS),
    # `/bin/jq -r .status /proc/carts/basket_1.json`: the first argument is not a file
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
