"""An evaluation in Inspect, in which our agent answers one sample: "What is a heron?".

    answer_sample(folder).samples[0].output.completion  # "It is a grey bird."

The model is Inspect's, with two replies that are written here. The first is a script that calls the
tool `lookup` for "otter", which it does not know, and for "heron". The second answers.
"""

import json
from pathlib import Path

import inspect_ai
from inspect_ai.agent import as_solver
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.tool import Tool, ToolError, tool

import controlplane

# A tool of Inspect that knows one word: `lookup("heron")` returns "heron: a grey bird".


@tool
def lookup() -> Tool:
    """Return the tool. For another word than "heron", it raises `ToolError`."""

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


def answer_sample(folder: Path) -> EvalLog:
    """Return Inspect's log of the evaluation. Our journal is in the folder `runs`."""
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


def model_reply(script: str) -> ModelOutput:
    """Return a reply of the model that has the agent run this script."""
    fields = {"state": "s", "plan": [], "done": False, "code": script}
    reply = ModelOutput.from_content("mockllm", json.dumps(fields))
    # Without a usage, Inspect would download a tokenizer to count the tokens.
    reply.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
    return reply
