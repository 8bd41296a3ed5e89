"""Commands on a finished run do nothing and say so; with `--json` they print its result."""

from pathlib import Path

import pytest

from tests.support.command import Result
from tests.support.in_process_command import inside

FINISHED = [
    ("resume", "is finished and submitted; there is nothing to resume"),
    ("submit", "is already submitted; see: "),
    ("poll", "are out; see: "),
]


@pytest.mark.parametrize(("verb", "says"), FINISHED)
def test_going_on_with_a_finished_run_does_nothing_and_says_so(
    verb: str, says: str, recorded: tuple[Path, Result]
) -> None:
    folder, _ = recorded
    (journal,) = folder.glob("runs/*.jsonl")
    before = journal.read_bytes()
    plain = inside(verb, "first", cwd=folder)
    assert (plain.code, plain.err) == (0, "")
    assert says in plain.out
    as_json = inside(verb, "first", "--json", cwd=folder)
    assert as_json.code == 0
    assert says in as_json.err
    assert as_json.json == inside("show", "first", "--json", cwd=folder).json
    assert journal.read_bytes() == before
