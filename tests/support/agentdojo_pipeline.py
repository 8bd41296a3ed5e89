"""AgentDojo's own runner with a player that knows the ground truth, for comparisons with ours."""

from typing import Any

from agentdojo.agent_pipeline.base_pipeline_element import BasePipelineElement
from agentdojo.functions_runtime import FunctionCall
from agentdojo.types import text_content_block_from_string

from controlplane import Truth


class TruthPipeline(BasePipelineElement):
    """AgentDojo's own agent, which makes the calls of a ground truth and gives its answer."""

    name = "gpt-4o-2024-05-13"

    def __init__(self, truth: Truth) -> None:
        self.answer = truth.answer
        self.calls = []
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
        messages = []
        for call in self.calls:
            runtime.run_function(env, call.function, call.args)
            messages.append({"role": "assistant", "tool_calls": [call], "content": []})
        content = [text_content_block_from_string(self.answer)]
        messages.append({"role": "assistant", "tool_calls": None, "content": content})
        return query, runtime, env, messages, {}
