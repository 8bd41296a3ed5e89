"""`replay --verify` finds no difference in a journal that nobody has changed.

A journal has the scripts that the model wrote in a run, and the results of the calls in them. So a
replay needs neither a model nor the benchmark: it runs the scripts again, and compares what they
print and submit with what the journal says:

    controlplane replay sample.jsonl --verify    ->    3 steps: everything is as recorded
"""

from pathlib import Path

from tests.support.command import ROOT, run_in_process


def test_the_sample_journal_replays_exactly(tmp_path: Path) -> None:
    """The journal is in the repository: a change of what scripts or gates do shows here."""
    sample_journal = ROOT / "runs/sample.jsonl"
    result = run_in_process("replay", sample_journal, "--verify", cwd=tmp_path)

    assert result.code == 0, result.err
    assert "3 steps: everything is as recorded" in result.out


LEFT_ANSWER = """
[[reply]]
code = '''
scratchpad["answer"], scratchpad["outcome"] = harness.count().number, "OUTCOME_OK"
'''
"""
"""A script that only sets an answer. In the last step of a trial, it is submitted all the same."""


def test_an_answer_that_the_last_script_left_replays_exactly(tmp_path: Path) -> None:
    """The trial has one step. No script submits its answer, so the replay has to."""
    (tmp_path / "script.toml").write_text(LEFT_ANSWER, encoding="utf-8")
    run = run_in_process(
        "run",
        "--benchmark=tests.support.many_trials:1",
        "--max-steps=1",
        "--model=scripted:script.toml",
        cwd=tmp_path,
    )
    assert run.code == 0, run.err

    (journal,) = (tmp_path / "runs").glob("*.jsonl")
    result = run_in_process("replay", journal, "--verify", cwd=tmp_path)

    assert result.code == 0, result.out + result.err
    assert "1 step: everything is as recorded" in result.out
