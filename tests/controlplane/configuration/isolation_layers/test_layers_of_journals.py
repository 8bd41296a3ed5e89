"""A replay wants all layers of isolation, even if its journal was recorded with fewer.

`replay last --verify` runs the scripts of a journal again, in a sandbox of three layers: language,
process and kernel. The fixture `journal` takes the kernel layer away from this machine, and records
a run with the other two, as its user asked for. But a journal may come from a stranger, who must
not choose the layers. So a replay here is refused.
"""

from pathlib import Path

import pytest

from controlplane.agent.trial_gates import GateSettings
from controlplane.errors import UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.replay.judged_submissions import rejudged
from tests.controlplane.configuration.isolation_layers.missing_layers import (
    check_refused_for_missing_layer,
)
from tests.support.command import run_in_process

# A run is resumed with the layers of isolation that it began with, unless a flag says otherwise.
#
# Scripts of a model run in a sandbox of three layers: language, process and kernel. The user of the
# run did without the kernel layer, `--isolation language,process`, which its journal records. The run
# was interrupted just after its start.


def test_a_run_is_resumed_with_the_layers_that_it_began_with(
    journal_of_begun_run: Path, tmp_path: Path
) -> None:
    assert run_in_process("resume", "last", "--quiet", cwd=tmp_path).code == 0


def test_a_run_is_not_resumed_if_a_flag_wants_a_missing_layer(
    journal_of_begun_run: Path, tmp_path: Path
) -> None:
    """`--isolation all` wants the kernel layer, which does not work here."""
    recorded_bytes = journal_of_begun_run.read_bytes()

    refused = run_in_process("resume", "last", "--isolation", "all", cwd=tmp_path)

    check_refused_for_missing_layer(refused)
    assert journal_of_begun_run.read_bytes() == recorded_bytes


def test_other_layers_of_a_resumed_run_are_recorded(
    journal_of_begun_run: Path, tmp_path: Path
) -> None:
    """The user resumes with the process layer only. A notice in the journal says so."""
    resumed = run_in_process(
        "resume", "last", "--isolation", "process", "--quiet", cwd=tmp_path
    )

    assert resumed.code == 0, resumed.err
    assert (
        "the setting isolation is process until the run is resumed again"
        in journal_of_begun_run.read_text()
    )


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
