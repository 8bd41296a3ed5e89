"""A replay does not do without a layer of isolation because its journal says so.

`replay last --verify` runs the scripts of a journal again, in a sandbox of three layers: language,
process and kernel. The user of the recorded run did without the kernel layer, which does not work
here. But the journal may be a stranger's, so what it says about layers does not count.
"""

from pathlib import Path

import pytest

from controlplane.agent.submission import GateSettings
from controlplane.errors import UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.replay.judged_submissions import rejudged
from tests.controlplane.configuration.isolation_layers.missing_layers import (
    check_refused_for_missing_layer,
)
from tests.support.command import run_in_process


@pytest.mark.usefixtures("journal")
def test_a_replay_does_not_accept_fewer_layers_because_its_journal_does(
    tmp_path: Path,
) -> None:
    replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)

    check_refused_for_missing_layer(replay)


def test_a_journal_is_not_judged_again_with_fewer_layers_either(
    journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To judge recorded answers by other gates, their checks run again."""
    monkeypatch.chdir(tmp_path)

    with open_journal(journal) as opened_journal:
        judgements = rejudged(opened_journal, GateSettings())
        with pytest.raises(UsageError, match="kernel layer"):
            next(judgements)


@pytest.mark.usefixtures("journal")
def test_a_replay_that_runs_no_script_needs_no_layers(tmp_path: Path) -> None:
    """Without `--verify`, a replay only shows what is recorded."""
    assert run_in_process("replay", "last", cwd=tmp_path).code == 0
