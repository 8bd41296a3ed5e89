"""A stranger's journal of a run that is not over is continued only by `--trust`.

A journal is *foreign* if some of its lines lack a signature of this user, the mark. The run was
interrupted in its last trial. `resume` would play this trial, and `submit --force` would end the
run without the trial. `own_journal` is a journal of this user, from which the foreign ones are
made.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.journal.journal_reader import open_journal
from tests.controlplane.journal.foreign.foreign_runs.open_run import (
    foreign_journal_of_open_run,
)
from tests.controlplane.journal.foreign.forgeries import (
    Forge,
    resumed_by_another,
    unmarked,
)
from tests.support.command import run_in_process

COMMANDS = [
    pytest.param("resume", (), id="resume"),
    pytest.param("submit", ("--force",), id="submit"),
]


@pytest.mark.parametrize(
    "forge",
    [
        pytest.param(unmarked, id="a stranger wrote all lines"),
        pytest.param(resumed_by_another, id="a stranger added a line, with his model"),
    ],
)
@pytest.mark.parametrize(("command", "options"), COMMANDS)
def test_an_open_run_is_not_continued_if_its_journal_is_not_trusted(
    command: str,
    options: tuple[str, ...],
    forge: Forge,
    own_journal: Path,
    tmp_path: Path,
) -> None:
    """The refused command leaves the journal as it is."""
    foreign = foreign_journal_of_open_run(forge, own_journal, tmp_path)
    bytes_before = foreign.read_bytes()

    refused = run_in_process(command, foreign, *options, cwd=tmp_path)

    assert refused.code == UsageError.exit_code, refused.err
    assert "--trust" in refused.err
    assert foreign.read_bytes() == bytes_before


@pytest.mark.parametrize(("command", "options"), COMMANDS)
def test_an_open_run_is_continued_if_its_journal_is_trusted(
    command: str, options: tuple[str, ...], own_journal: Path, tmp_path: Path
) -> None:
    """`--trust` holds for this command only: the journal does not become the user's own."""
    foreign = foreign_journal_of_open_run(unmarked, own_journal, tmp_path)

    continued = run_in_process(command, foreign, *options, "--trust", cwd=tmp_path)

    assert continued.code == 0, continued.err
    with open_journal(foreign) as journal:
        assert journal.summary.submitted
        assert not journal.is_own
