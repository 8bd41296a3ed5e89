"""What a remote trial offers to scripts: its tool schema, and the rule sets for its answers.

The tool schema declares the operations, such as `read` and `exec`, and what the initial
prompt of a trial shows: a tree of the files, matching documents, and the tools' help.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from controlplane.benchmarks.shop.shop_schema import shop_tool_schema
from controlplane.sandbox.interface import NamedFiles

RULE_SETS: Final = ("ecom",)
"""The rule sets that a run with this runtime uses."""

# Limits of the initial prompt of a trial.
MAX_LISTED_FILES: Final = 6
"""The most files of one folder in the tree. A larger folder shows its first files and a count."""
RANKED_CHARS: Final = 7_600
"""The most characters of all documents that match the instruction."""
HELP_CHARS: Final = 400
"""The most characters of one tool's help."""
RECORD_CHARS: Final = 600
"""The most characters of a file that matches the instruction but is not named in it."""
_NAMED_FILES: Final = NamedFiles(
    # The folders of files that an instruction may refer to
    roots=("/proc", "/uploads"),
    records="/proc",  # The folder of records.
    search="search",  # The operation that finds them.
    each_chars=RECORD_CHARS,
    # The ids in a record are not looked up. The shop's functions read the records that
    # belong together.
    follows_records=False,
)
"""The files that the initial prompt shows if the instruction refers to them."""
TOOL_SCHEMA: Final = replace(
    shop_tool_schema(
        _NAMED_FILES,
        listing=MAX_LISTED_FILES,
        ranked_chars=RANKED_CHARS,
        help_chars=HELP_CHARS,
    ),
    reads_side_by_side=True,  # Calls that only read may be made at the same time.
)
