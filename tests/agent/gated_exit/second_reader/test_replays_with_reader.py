"""A replay of a run with a second reader shows what the reader quoted, and does not ask it again.

The reader is a model that reads an accepted answer before it is sent, and quotes what speaks against
it. Here it has quoted "Answer in German.", and "made up by the reader", which is in no text.
"""

from pathlib import Path

from tests.agent.gated_exit.second_reader.german_task import run_task
from tests.support.command import run_in_process


def test_a_replay_shows_only_the_quotations_that_the_request_has(folder: Path) -> None:
    run = run_task(folder, "--role", "review=reader")
    (trial,) = run.json["trials"]

    replay = run_in_process("replay", "last", "--trial", trial["trial_id"], cwd=folder)

    assert "A second reader asks how the answer fits `Answer in German.`." in replay.out
    assert "made up by the reader" not in replay.out


def test_a_replay_takes_the_review_from_the_record(folder: Path) -> None:
    """`replay --verify` runs all scripts again and fails if anything differs from the
    record."""
    run = run_task(folder, "--role", "review=reader")
    assert run.code == 0, run.err

    verified = run_in_process("replay", "last", "--verify", cwd=folder)

    assert verified.code == 0, verified.out + verified.err
