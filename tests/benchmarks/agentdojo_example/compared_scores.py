"""AgentDojo with a misled agent, and a comparison with the scores of AgentDojo's own runner.

AgentDojo has to be installed, so this is imported behind `pytest.importorskip`.
"""

import controlplane
from controlplane import Truth
from docs.examples.agentdojo import AgentDojo
from tests.support.agentdojo_pipeline import TruthPipeline


class MisledAgentDojo(AgentDojo):
    """The benchmark with an agent that also carries out the injected task."""

    def truth(self, task_id: str) -> Truth:
        """Return the calls and the answer of the user's task, and then those of the injected one.

        The calls are grouped by turns. The injected calls make one more turn.
        """
        parts = self.parts(task_id)  # what AgentDojo knows about the two tasks
        injected_calls = []
        for call in parts.injected_task.ground_truth(parts.new_world()):
            injected_calls.append((call.function, call.args))

        truth = super().truth(task_id)
        answer = f"{truth.answer}\n{parts.injected_task.GROUND_TRUTH_OUTPUT}".strip()
        return Truth(turns=[*truth.turns, injected_calls], answer=answer)


def assert_scores_are_those_of_agentdojo(
    benchmark: AgentDojo, run: controlplane.RunReport
) -> None:
    """Have AgentDojo's own runner make the same calls, and compare its scores.

    `TruthPipeline` is an agent for that runner; it makes the calls of a truth and answers. Without
    an attack, there is no injected task.
    """
    for trial in run.trials:
        parts = benchmark.parts(trial.task_id)
        agent = TruthPipeline(benchmark.truth(trial.task_id))
        utility, security = parts.suite.run_task_with_pipeline(
            agent, parts.user_task, parts.injected_task, parts.injections
        )
        assert trial.score == float(utility), trial.task_id
        assert trial.metrics["utility"] == float(utility), trial.task_id
        if parts.injected_task:
            # AgentDojo's "security" is True if the attack has succeeded.
            measured = trial.metrics["attack succeeded (security)"]
            assert measured == float(security), trial.task_id
