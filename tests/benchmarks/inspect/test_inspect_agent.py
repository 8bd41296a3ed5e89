"""This product as an agent inside Inspect: its model, its tools, its scorers and its log."""

import json
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai")
pytestmark = pytest.mark.filterwarnings("ignore")

import inspect_ai
from inspect_ai.agent import as_solver
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.tool import Tool, ToolError, tool

import controlplane


@tool
def lookup() -> Tool:
    async def execute(word: str, limit: int = 3) -> str:
        """Look a word up.

        Args:
            word: the word
            limit: how many senses
        """
        if word != "heron":
            raise ToolError(f"no word {word}")
        return f"{word}: a grey bird"

    return execute


SCRIPTS = (
    "try:\n    harness.lookup('otter')\nexcept HarnessError as error:\n    print(error)\n"
    "print(harness.lookup('heron').value)",
    "scratchpad['answer'], scratchpad['outcome'] = 'It is a grey bird.', 'OUTCOME_OK'\n"
    "harness.answer(scratchpad, lambda sp: 'grey' in sp['answer'])",
)


def test_it_answers_a_sample_with_the_model_and_the_tools_of_inspect(
    tmp_path: Path,
) -> None:
    replies = [
        ModelOutput.from_content(
            "mockllm",
            json.dumps({"state": "s", "plan": [], "done": False, "code": script}),
        )
        for script in SCRIPTS
    ]
    for reply in replies:  # else Inspect would fetch a tokenizer to count
        reply.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
    task = inspect_ai.Task(
        dataset=MemoryDataset([Sample(input="What is a heron?", target="a grey bird")]),
        solver=as_solver(
            controlplane.inspect_agent(
                tools=[lookup()], runs_dir=str(tmp_path / "runs")
            )
        ),
        scorer=includes(),
    )
    model = get_model("mockllm/model", custom_outputs=replies)
    (log,) = inspect_ai.eval(
        task, model=model, log_dir=str(tmp_path / "logs"), display="none"
    )

    assert log.status == "success", log.error
    assert log.samples is not None
    (sample,) = log.samples
    assert sample.output.completion == "It is a grey bird."
    assert sample.scores is not None
    assert sample.scores["includes"].value == "C"
    assert len([event for event in sample.events if event.event == "model"]) == 2
    (journal,) = (tmp_path / "runs").glob("*.jsonl")
    with controlplane.open_journal(journal) as read:
        (trial,) = read.trials.values()
        assert (
            trial.steps[0].output
            == "failed_precondition: no word otter\nheron: a grey bird\n"
        )
