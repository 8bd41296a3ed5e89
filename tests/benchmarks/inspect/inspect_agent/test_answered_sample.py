"""This product as an agent inside Inspect, a framework for evaluations of models.

In a task of Inspect, `solver=as_solver(controlplane.inspect_agent(tools=[...]))` lets our agent
answer the samples: with the model of Inspect, which writes scripts that call the tools. Inspect
scores the answers and logs the model's replies; we write our journal as well.

Here, the agent answers "What is a heron?" after it has called a tool for "otter" and for "heron".
"""

from pathlib import Path

import pytest

pytest.importorskip("inspect_ai")
pytestmark = pytest.mark.filterwarnings("ignore")

from inspect_ai.log import EvalSample

import controlplane
from tests.benchmarks.inspect.inspect_agent.heron_evaluation import answer_sample


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of Inspect's log and of our journal."""
    return tmp_path_factory.mktemp("inspect_agent")


@pytest.fixture(scope="module")
def sample(folder: Path) -> EvalSample:
    """The answered sample in Inspect's log, with its scores and events."""
    log = answer_sample(folder)
    assert log.status == "success", log.error
    assert log.samples is not None
    (sample,) = log.samples
    return sample


def test_inspect_scores_the_answer_of_the_agent(sample: EvalSample) -> None:
    """The answer includes the target, "a grey bird", which gives the score C: correct."""
    assert sample.output.completion == "It is a grey bird."
    assert sample.scores is not None
    assert sample.scores["includes"].value == "C"


def test_inspect_logs_both_replies_of_the_model(sample: EvalSample) -> None:
    """The agent asks the model that Inspect gives it, so Inspect sees each request."""
    model_events = [event for event in sample.events if event.event == "model"]

    assert len(model_events) == 2


@pytest.mark.usefixtures("sample")
def test_the_journal_has_what_the_tools_of_inspect_returned(folder: Path) -> None:
    """The first script looks up `otter`, for which the tool raises an error, and `heron`."""
    (journal_path,) = (folder / "runs").glob("*.jsonl")
    with controlplane.open_journal(journal_path) as journal:
        (trial,) = journal.trials.values()

        assert trial.steps[0].output == (
            "failed_precondition: no word otter\nheron: a grey bird\n"
        )
