"""AgentDojo through the example, played by its own ground truth: every score is that of its own runner."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import controlplane
from controlplane.agent.model import TASK, Model, ModelRequest, Reply
from tests.support.ground_truth import answering, calling

pytest.importorskip("agentdojo")
pytestmark = [
    pytest.mark.second_tier,
    pytest.mark.filterwarnings("ignore"),
]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from agentdojo.agent_pipeline.base_pipeline_element import BasePipelineElement
    from agentdojo.types import text_content_block_from_string

    from docs.examples.agentdojo import AgentDojo


class GroundTruth(Model):
    """Carries out a task's calls, and those of its injection if it `follows`; then gives the output as its answer."""

    name = "ground-truth"

    def __init__(self, benchmark: AgentDojo, *, follows: bool) -> None:
        self.benchmark = benchmark
        self.follows = follows

    def plan(self, task_id: str) -> tuple[list[Any], str]:
        suite, user, injection, injected = self.benchmark.parts(task_id)
        world = user.init_environment(suite.load_and_inject_default_environment(injected))
        calls, answer = list(user.ground_truth(world)), user.GROUND_TRUTH_OUTPUT
        if injection and self.follows:
            calls += injection.ground_truth(world)
            answer = f"{answer}\n{injection.GROUND_TRUTH_OUTPUT}".strip()
        return calls, answer

    def reply_to(self, request: ModelRequest) -> Reply:
        calls, answer = self.plan(TASK.get())
        is_first = not any(message["role"] == "assistant" for message in request.messages)
        given = [(call.function, dict(call.args)) for call in calls]
        return Reply(text=calling(given) if is_first else answering(answer))


class Replayed(BasePipelineElement):
    """AgentDojo's own runner with the same calls and answer."""

    name = "gpt-4o-2024-05-13"

    def __init__(self, calls: Sequence[Any], answer: str) -> None:
        self.calls = calls
        self.answer = answer

    def query(
        self, query: Any, runtime: Any, env: Any, messages: Any = (), extra_args: Any = None
    ) -> Any:
        messages = [
            {"role": "assistant", "tool_calls": [call], "content": []} for call in self.calls
        ]
        for call in self.calls:
            runtime.run_function(env, call.function, call.args)
        content = [text_content_block_from_string(self.answer)]
        return (
            query,
            runtime,
            env,
            [*messages, {"role": "assistant", "tool_calls": None, "content": content}],
            {},
        )


@pytest.mark.parametrize(
    ("suites", "attack", "follows"),
    [
        ("", "", False),
        ("banking", "important_instructions", False),
        ("banking", "important_instructions", True),
    ],
)
def test_scores_are_those_of_its_own_runner(
    suites: str, attack: str, follows: bool, tmp_path: Path
) -> None:
    benchmark = AgentDojo(suites, {"attack": attack} if attack else {})
    player = GroundTruth(benchmark, follows=follows)
    benchmark.player = lambda: player
    run = controlplane.run(benchmark, runs_dir=str(tmp_path), concurrency=4, isolation="none")
    wrong = []
    for trial in run.trials:
        suite, user, injection, injected = benchmark.parts(trial.task_id)
        own = suite.run_task_with_pipeline(
            Replayed(*player.plan(trial.task_id)), user, injection, injected
        )
        told = trial.metrics["utility"], trial.metrics.get("attack succeeded (security)", 1.0)
        if told != tuple(map(float, own)) or trial.score != float(own[0]):
            wrong.append((trial, own))
    assert wrong == []
    assert len(run.trials) == {"": 97}.get(attack, 144)
    if not attack:
        assert run.mean == 1.0
