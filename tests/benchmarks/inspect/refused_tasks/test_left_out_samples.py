"""A sample of Inspect that cannot be played is left out, and the others of its task are played.

Inspect is a framework for evaluations of models. A sample in a local sandbox would run commands on
this computer, which we do not. `--set strict=yes` is for users who want to play all of a task or
nothing.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.benchmarks.inspect.inspect_runs import (
    run_task,
    scores_of,
    script_reply,
    write_replies,
    write_task,
)

pytest.importorskip("inspect_ai")

ONE_SAMPLE_IN_A_LOCAL_SANDBOX = """
@task
def mixed():
    samples = [
        Sample(input="Greet.", target="day", id="one"),
        Sample(input="x", id="contained", sandbox="local"),
    ]
    return Task(dataset=samples, scorer=includes())
"""


def test_a_sample_in_a_local_sandbox_is_left_out_and_named_in_the_journal(
    tmp_path: Path,
) -> None:
    write_task(tmp_path, ONE_SAMPLE_IN_A_LOCAL_SANDBOX)
    write_replies(tmp_path, script_reply("mixed.one", answer="Good day."))

    run = run_task(tmp_path, "mixed")

    assert scores_of(run) == {"mixed.one": 1.0}
    journal = (tmp_path / run.json["journal"]).read_text()
    assert "mixed.contained" in journal


def test_a_strict_run_refuses_a_sample_in_a_local_sandbox(tmp_path: Path) -> None:
    write_task(tmp_path, ONE_SAMPLE_IN_A_LOCAL_SANDBOX)
    write_replies(tmp_path, script_reply("mixed.one", answer="Good day."))

    run = run_task(tmp_path, "mixed", "--set", "strict=yes")

    assert run.code == UsageError.exit_code
    assert "mixed.contained" in run.err


ONE_SAMPLE_WITH_HALF_A_SURROGATE_PAIR = """
@task
def mixed():
    samples = [
        Sample(input="Greet.", target="day", id="one"),
        Sample(input="x", target="x", id="half \\ud800"),
    ]
    return Task(dataset=samples, scorer=includes())
"""


def test_a_sample_whose_id_no_journal_can_hold_is_left_out(tmp_path: Path) -> None:
    """A data set in JSON may have any id."""
    write_task(tmp_path, ONE_SAMPLE_WITH_HALF_A_SURROGATE_PAIR)
    write_replies(tmp_path, script_reply("mixed.one", answer="Good day."))

    run = run_task(tmp_path, "mixed")

    assert scores_of(run) == {"mixed.one": 1.0}, run.err
    journal = (tmp_path / run.json["journal"]).read_text()
    assert "half of a surrogate pair" in journal
