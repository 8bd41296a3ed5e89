"""An agent for AgentDojo that already knows the right calls and the right answer.

AgentDojo (a benchmark of agents in an office, with attacks) runs agents it calls pipelines. This
one lets tests compare the scores of AgentDojo's own runner with ours for the same calls.
"""

from typing import Any

from agentdojo.agent_pipeline.base_pipeline_element import BasePipelineElement
from agentdojo.functions_runtime import FunctionCall
from agentdojo.types import text_content_block_from_string

from controlplane import Truth


class TruthPipeline(BasePipelineElement):
    """Makes the calls of a task's `Truth` in order, and answers with the truth's answer.

    `Truth(turns=[[("send_money", {"amount": 5})]], answer="done")` is one call and "done".
    """

    name = "gpt-4o-2024-05-13"  # AgentDojo wants the name of a model it knows.

    def __init__(self, truth: Truth) -> None:
        self.answer = truth.answer
        self.calls: list[FunctionCall] = []
        for calls in truth.turns:
            for function, arguments in calls:
                self.calls.append(FunctionCall(function=function, args=arguments))

    def query(
        self,
        query: Any,
        runtime: Any,
        env: Any,
        messages: Any = (),
        extra_args: Any = None,
    ) -> Any:
        """Play one task, as AgentDojo asks a pipeline to: `runtime` makes the calls in `env`.

        Returns its arguments with the conversation in place of `messages`, from which AgentDojo
        takes the answer.
        """
        conversation: list[dict[str, Any]] = []
        for call in self.calls:
            runtime.run_function(env, call.function, call.args)
            calling = {"role": "assistant", "tool_calls": [call], "content": []}
            conversation.append(calling)
        content = [text_content_block_from_string(self.answer)]
        answering = {"role": "assistant", "tool_calls": None, "content": content}
        conversation.append(answering)
        return query, runtime, env, conversation, {}
