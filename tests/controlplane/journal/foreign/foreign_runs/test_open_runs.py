"""A stranger's journal of a run that is not over is continued only by `--trust`.

Some lines of such a *foreign* journal lack this user's mark, a signature. It ends in its last trial:
`resume` would play the trial, and `submit --force` would end the run without it. `own_journal` is a
journal that this user's run has written, of which foreign ones are made.
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


@pytest.mark.parametrize("forge", [unmarked, resumed_by_another])
@pytest.mark.parametrize("command", [("resume",), ("submit", "--force")], ids=" ".join)
def test_an_open_run_is_not_continued_if_its_journal_is_not_trusted(
    command: tuple[str, ...], forge: Forge, own_journal: Path, tmp_path: Path
) -> None:
    """A stranger wrote all lines again, or added a line by which the run goes on with another
    model. Not a byte of either journal changes."""
    foreign = foreign_journal_of_open_run(forge, own_journal, tmp_path)
    bytes_before = foreign.read_bytes()
    verb, *options = command

    refused = run_in_process(verb, foreign, *options, cwd=tmp_path)

    assert refused.code == UsageError.exit_code, refused.err
    assert "--trust" in refused.err
    assert foreign.read_bytes() == bytes_before


@pytest.mark.parametrize("command", [("resume",), ("submit", "--force")], ids=" ".join)
def test_an_open_run_is_continued_if_its_journal_is_trusted(
    command: tuple[str, ...], own_journal: Path, tmp_path: Path
) -> None:
    """`--trust` holds for this command only: the journal does not become the user's own."""
    foreign = foreign_journal_of_open_run(unmarked, own_journal, tmp_path)
    verb, *options = command

    continued = run_in_process(verb, foreign, *options, "--trust", cwd=tmp_path)

    assert continued.code == 0, continued.err
    with open_journal(foreign) as journal:
        assert journal.summary.submitted
        assert not journal.is_own
