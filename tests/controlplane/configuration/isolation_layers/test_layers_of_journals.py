"""A replay wants all layers of isolation, even if its journal was recorded with fewer.

`replay last --verify` runs the scripts of a journal again, in a sandbox of three layers: language,
process and kernel. The fixture `journal` takes the kernel layer away from this machine, and records
a run with the other two, as its user asked for. But a journal may come from a stranger, who must
not choose the layers. So a replay here is refused.
"""

from pathlib import Path

import pytest

from controlplane.agent.judging import GateSettings
from controlplane.errors import UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.replay.judged_submissions import rejudged
from tests.controlplane.configuration.isolation_layers.missing_layers import (
    check_refused_for_missing_layer,
)
from tests.support.command import run_in_process


@pytest.mark.usefixtures("journal")
def test_a_replay_is_refused_although_its_journal_was_recorded_with_fewer_layers(
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
