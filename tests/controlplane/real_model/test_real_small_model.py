"""Runs with a real, small language model (SmolLM2) that llama.cpp serves on this machine.

The model is too small to solve a task. The tests show that whatever it writes ends in an answer or
a fallback (an answer of the harness), a score, and a journal that can be replayed.
"""

import shutil
from pathlib import Path

import pytest

from controlplane.agent.loop.prompts import FOLDER
from tests.support.command import (
    CommandResult,
    run_in_process,
    start_controlplane,
    wait_for_exit,
)

RUN_TIMEOUT_S = 700
"""A trial takes 25 s of CPU; a busy machine needs several times as long."""


def run_trials(folder: Path, model_url: str, *, count: int) -> CommandResult:
    """Run trials of the embedded benchmark with the prompts in a folder, and wait for the end.

    The options keep each trial short, and give the slow model time.
    """
    process = start_controlplane(
        "run",
        "--benchmark=ecom",
        f"--limit={count}",
        "--model=smollm2",
        "--prompt=prompts",
        "--json",
        "--max-steps=1",
        "--max-output-tokens=24",
        "--initial-prompt-chars=300",
        "--concurrency=1",
        "--trial-time=120",
        "--poll-time=5",
        cwd=folder,
        OPENAI_BASE_URL=model_url,
    )
    return wait_for_exit(process, within_s=RUN_TIMEOUT_S)


@pytest.mark.second_tier
def test_trials_with_a_real_model_end_with_an_answer_a_score_and_a_journal(
    small_model_url: str, tmp_path: Path, heavy: bool
) -> None:
    """One trial with a short prompt; in the heavy form five, with the whole prompt."""
    trial_count = 5 if heavy else 1
    shutil.copytree(FOLDER, tmp_path / "prompts")
    if not heavy:  # Most of the CPU time goes into reading the system prompt.
        system_prompt = tmp_path / "prompts/system.md"
        system_prompt.write_text("Write a Python script.\n", encoding="utf-8")

    run = run_trials(tmp_path, small_model_url, count=trial_count)
    assert run.code in (0, 1), run.err  # 1: a trial has no answer.
    replay = run_in_process(
        "replay", run.json["journal"], "--verify", "--json", cwd=tmp_path
    )

    assert run.json["submitted"]
    assert run.json["tokens"] > 0
    assert len(run.json["trials"]) == trial_count
    for trial in run.json["trials"]:
        assert trial["state"] in ("answered", "fallback")
        assert trial["score"] is not None
        assert trial["outcome"]
        assert trial["steps"] >= 1
    assert replay.code == 0
    assert replay.json["agrees"] is True
    assert replay.json["trials"] == trial_count
