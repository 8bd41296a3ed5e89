"""This product as an agent inside Inspect, a framework for evaluations of models.

In a task of Inspect, `solver=as_solver(controlplane.inspect_agent(tools=[...]))` lets our agent
answer the samples: with the model of Inspect, which writes scripts that call the tools.
Inspect scores the answers and logs the model's replies; we write our journal as well.
"""

import json
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai")
pytestmark = pytest.mark.filterwarnings("ignore")

import inspect_ai
from inspect_ai.agent import as_solver
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.tool import Tool, ToolError, tool

import controlplane


@tool
def lookup() -> Tool:
    """A tool of Inspect that knows one word."""

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


LOOKUP_SCRIPT = """\
try:
    harness.lookup('otter')
except HarnessError as error:
    print(error)
print(harness.lookup('heron').value)
"""
ANSWER_SCRIPT = """\
scratchpad['answer'] = 'It is a grey bird.'
scratchpad['outcome'] = 'OUTCOME_OK'
harness.answer(scratchpad, lambda sp: 'grey' in sp['answer'])
"""
"""The scripts of the model's two replies: the first calls the tool twice, the second answers."""


def model_reply(script: str) -> ModelOutput:
    """Return a reply of the model that has the agent run this script.

    `state`, `plan` and `done` are further fields of a reply, which do not matter here.
    """
    reply = ModelOutput.from_content(
        "mockllm", json.dumps({"state": "s", "plan": [], "done": False, "code": script})
    )
    # Without a usage, Inspect would download a tokenizer to count the tokens.
    reply.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
    return reply


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of Inspect's log and of our journal."""
    return tmp_path_factory.mktemp("inspect_agent")


@pytest.fixture(scope="module")
def log(folder: Path) -> EvalLog:
    """Inspect's log after our agent has answered one sample, with the two scripts."""
    agent = controlplane.inspect_agent(tools=[lookup()], runs_dir=str(folder / "runs"))
    task = inspect_ai.Task(
        dataset=MemoryDataset([Sample(input="What is a heron?", target="a grey bird")]),
        solver=as_solver(agent),
        scorer=includes(),
    )
    replies = [model_reply(LOOKUP_SCRIPT), model_reply(ANSWER_SCRIPT)]
    (log,) = inspect_ai.eval(
        task,
        model=get_model("mockllm/model", custom_outputs=replies),
        log_dir=str(folder / "logs"),
        display="none",
    )
    return log


@pytest.fixture(scope="module")
def sample(log: EvalLog) -> EvalSample:
    """The only sample of the log, with its answer, scores and events."""
    assert log.status == "success", log.error
    assert log.samples is not None
    (sample,) = log.samples
    return sample


class TestAnsweredSample:
    """Our agent answers a sample of Inspect: "What is a heron?".

    The model's first script calls the tool `lookup` for "otter", which it does not know, and for
    "heron". The second answers "It is a grey bird.". `sample` is the sample in Inspect's log.
    """

    def test_inspect_scores_the_answer_of_the_agent(self, sample: EvalSample) -> None:
        """The answer includes the target, "a grey bird", which gives the score C: correct."""
        assert sample.output.completion == "It is a grey bird."
        assert sample.scores is not None
        assert sample.scores["includes"].value == "C"

    def test_inspect_logs_both_replies_of_the_model(self, sample: EvalSample) -> None:
        """The agent asks the model that Inspect gives it, so Inspect sees each request."""
        model_events = [event for event in sample.events if event.event == "model"]

        assert len(model_events) == 2

    @pytest.mark.usefixtures("log")
    def test_the_journal_has_what_the_tools_of_inspect_returned(
        self, folder: Path
    ) -> None:
        """The first script looks up `otter`, for which the tool raises an error, and `heron`."""
        (journal_path,) = (folder / "runs").glob("*.jsonl")
        with controlplane.open_journal(journal_path) as journal:
            (trial,) = journal.trials.values()

            assert trial.steps[0].output == (
                "failed_precondition: no word otter\nheron: a grey bird\n"
            )
