"""The layers of isolation around a model's scripts, on a machine where one of them does not work.

Scripts of a model run in a sandbox of three layers: language, process and kernel. In these tests
the machine has no kernel layer. A user has to accept fewer layers: `--isolation language,process`.
"""

from pathlib import Path

import pytest

from controlplane.agent.submission import GateSettings
from controlplane.errors import UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.replay.judged_submissions import rejudged
from controlplane.sandbox import ForkServer
from tests.support.command import (
    CommandResult,
    check_error_line,
    run_in_process,
    write_config,
)
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER


def check_refused_for_missing_layer(result: CommandResult) -> None:
    """Assert that a command was refused, and told what works instead."""
    check_error_line(
        result,
        UsageError.exit_code,
        "the kernel layer does not work here (kernel: only Linux has it)",
        "sandbox doctor",
        "--isolation language,process",
    )


RUN = ("run", *PHONEBOOK_WITH_PLAYER, "ada", "grace", "--quiet")
"""Plays two tasks of a phonebook: what are the numbers of ada and grace?"""


@pytest.fixture
def no_kernel_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the sandbox report that its kernel layer does not work on this machine."""
    monkeypatch.setattr(
        ForkServer, "kernel_report", lambda server: {"kernel": "only Linux has it"}
    )


class TestRuns:
    """A run is refused without the kernel layer, unless its user does without it.

    The setting is `isolation`: "language,process" does without the kernel layer, and the default
    wants all three. `no_kernel_layer` lets the sandbox report that this layer does not work.
    """

    @pytest.mark.usefixtures("no_kernel_layer")
    def test_a_models_scripts_do_not_run_with_fewer_layers_than_the_settings_want(
        self, tmp_path: Path
    ) -> None:
        """By default, the settings want all three layers. The run is refused before it begins."""
        result = run_in_process(*RUN, cwd=tmp_path)

        check_refused_for_missing_layer(result)
        assert not list(tmp_path.glob("runs/*"))

    @pytest.mark.usefixtures("no_kernel_layer")
    def test_fewer_layers_are_accepted_by_a_flag(self, tmp_path: Path) -> None:
        result = run_in_process(*RUN, "--isolation", "language,process", cwd=tmp_path)

        assert result.code == 0

    @pytest.mark.usefixtures("no_kernel_layer")
    def test_fewer_layers_are_accepted_by_the_environment(self, tmp_path: Path) -> None:
        """Each setting may be given by an environment variable."""
        result = run_in_process(
            *RUN, cwd=tmp_path, CONTROLPLANE_ISOLATION="language,process"
        )

        assert result.code == 0

    @pytest.mark.usefixtures("no_kernel_layer")
    def test_fewer_layers_are_accepted_by_a_trusted_file_unless_a_flag_wants_all(
        self, tmp_path: Path
    ) -> None:
        """The flag `--isolation all` is stronger than the file `controlplane.toml`."""
        write_config(
            tmp_path / "controlplane.toml",
            '[run]\nisolation = "language,process"\n',
        )

        assert run_in_process(*RUN, cwd=tmp_path).code == 0
        check_refused_for_missing_layer(
            run_in_process(*RUN, "--isolation", "all", cwd=tmp_path)
        )


@pytest.fixture
def journal(tmp_path: Path, no_kernel_layer: None) -> Path:
    """The journal of a run whose user did without the kernel layer."""
    run_in_process(*RUN, "--isolation", "language,process", cwd=tmp_path)
    (path,) = tmp_path.glob("runs/*.jsonl")
    return path


@pytest.fixture
def journal_of_begun_run(journal: Path) -> Path:
    """The journal of a run that was cut off just after its start."""
    kept_lines: list[bytes] = []
    for line in journal.read_bytes().splitlines(keepends=True):
        kept_lines.append(line)
        if b'"type":"run_started"' in line:
            break
    journal.write_bytes(b"".join(kept_lines))
    return journal


class TestResumedRuns:
    """The user of a run did without the kernel layer, and the run was cut off at its start.

    The journal records that, and belongs to this user, so that `resume` may do without it, too.
    A flag says otherwise.
    """

    def test_a_run_is_resumed_with_the_layers_that_it_began_with(
        self, journal_of_begun_run: Path, tmp_path: Path
    ) -> None:
        """The journal records that the user accepted fewer layers."""
        assert run_in_process("resume", "last", "--quiet", cwd=tmp_path).code == 0

    def test_a_run_is_not_resumed_if_a_flag_wants_a_missing_layer(
        self, journal_of_begun_run: Path, tmp_path: Path
    ) -> None:
        """`--isolation all` wants the kernel layer, which does not work here."""
        recorded_bytes = journal_of_begun_run.read_bytes()

        refused = run_in_process("resume", "last", "--isolation", "all", cwd=tmp_path)

        check_refused_for_missing_layer(refused)
        assert journal_of_begun_run.read_bytes() == recorded_bytes

    def test_other_layers_of_a_resumed_run_are_recorded(
        self, journal_of_begun_run: Path, tmp_path: Path
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


class TestReplays:
    """A replay runs the scripts of a journal again, whose user did without the kernel layer.

    The journal may be a stranger's. So what it says about layers does not count.
    """

    @pytest.mark.usefixtures("journal")
    def test_a_replay_does_not_accept_fewer_layers_because_its_journal_does(
        self, tmp_path: Path
    ) -> None:
        """The user of the recorded run did without the kernel layer. This user has not said so."""
        replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)

        check_refused_for_missing_layer(replay)

    def test_a_journal_is_not_judged_again_with_fewer_layers_either(
        self, journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """To judge recorded answers by other gates, their checks run again."""
        monkeypatch.chdir(tmp_path)

        with open_journal(journal) as opened_journal:
            judgements = rejudged(opened_journal, GateSettings())
            with pytest.raises(UsageError, match="kernel layer"):
                next(judgements)

    @pytest.mark.usefixtures("journal")
    def test_a_replay_with_fewer_layers_is_accepted_by_a_flag(
        self, tmp_path: Path
    ) -> None:
        replay = run_in_process(
            "replay",
            "last",
            "--verify",
            "--isolation",
            "language,process",
            cwd=tmp_path,
        )

        assert replay.code == 0

    @pytest.mark.usefixtures("journal")
    def test_a_replay_with_fewer_layers_is_accepted_by_the_environment(
        self, tmp_path: Path
    ) -> None:
        """Each setting may be given by an environment variable."""
        replay = run_in_process(
            "replay",
            "last",
            "--verify",
            cwd=tmp_path,
            CONTROLPLANE_ISOLATION="language,process",
        )

        assert replay.code == 0

    @pytest.mark.usefixtures("journal")
    def test_a_layer_that_does_not_exist_is_an_error(self, tmp_path: Path) -> None:
        """A run with a misspelt layer would have one layer less."""
        replay = run_in_process(
            "replay", "last", "--verify", "--isolation", "glass", cwd=tmp_path
        )

        check_error_line(replay, UsageError.exit_code, "names no isolation layers")

    @pytest.mark.usefixtures("journal")
    def test_a_replay_that_runs_no_script_needs_no_layers(self, tmp_path: Path) -> None:
        """Without `--verify`, a replay only shows what is recorded."""
        assert run_in_process("replay", "last", cwd=tmp_path).code == 0
