"""A stranger's journal, `theirs.jsonl`, and the commands that read it.

    write_strangers_journal([{"type": "run_opened", ...}, ...])
    check_commands_show_or_refuse("step.step", run_command_here)

Somebody else can write any event with valid hashes, such as a number of tokens of 10**400.
"""

import json
from pathlib import Path
from typing import Any

from controlplane.errors import JournalDamaged, NotAJournal
from controlplane.journal.journal_lines import GENESIS, line_of
from tests.support.command import CommandRunner

READING_COMMANDS = (
    "show theirs.jsonl",
    "show theirs.jsonl --json",
    "replay theirs.jsonl",
    "replay theirs.jsonl --trial read",
    "compare theirs.jsonl theirs.jsonl",
    "report theirs.jsonl -o page.html",
    "export theirs.jsonl --to trials.csv",
    "export theirs.jsonl --to steps.csv",
    "export theirs.jsonl --to calls.csv",
    "export theirs.jsonl --to otel.jsonl",
    "runs --runs-dir .",
)
"""Every command that reads a journal."""


REFUSED = (NotAJournal.exit_code, JournalDamaged.exit_code)
"""The exit codes of a command that refuses a journal."""


def write_strangers_journal(events: list[dict[str, Any]]) -> None:
    """Write the events of a journal as somebody else could: with numbers of any size.

    The file is `theirs.jsonl`. Its hashes are valid, since anybody can compute them.
    """
    previous_hash = GENESIS
    data = b""
    for event in events:
        text = json.dumps(event, separators=(",", ":"))
        line, previous_hash = line_of(text.encode(), previous_hash)
        data += line
    Path("theirs.jsonl").write_bytes(data)


def check_commands_show_or_refuse(field: str, run_command: CommandRunner) -> None:
    """Assert that each command reads `theirs.jsonl` or refuses it, and raises no exception.

    Python would print an exception as `OverflowError: ...`. All commands read a journal in the same
    way. So if the first, `show`, refuses it, the others are not tried. `field` is only for the
    message of a failed assertion: the field that was changed.
    """
    for command in READING_COMMANDS:
        result = run_command(*command.split())
        assert result.code == 0 or result.code in REFUSED, (field, command, result.err)
        assert "Error:" not in result.err, (field, command)
        if result.code in REFUSED:
            return
