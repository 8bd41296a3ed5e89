"""A run is resumed with the layers of isolation that it began with, unless a flag says otherwise.

Scripts of a model run in a sandbox of three layers: language, process and kernel. The user of the
run did without the kernel layer, `--isolation language,process`, which its journal records. The run
was cut off just after its start.
"""

from pathlib import Path

from tests.controlplane.configuration.isolation_layers.missing_layers import (
    check_refused_for_missing_layer,
)
from tests.support.command import run_in_process


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
