"""Files with tasks of Inspect, a framework for evaluations, as texts that tests write into a folder.

`TASKS` has three tasks, which can be played:

- `words`: the agent has to keep a word with the tool `remember`, which writes it to Inspect's store.
  The scorer `kept` gives three numbers: whether the word is there, how many calls were made, and
  whether one was refused.
- `choices`: a multiple-choice question.
- `judged`: the score is given by a model, which Inspect asks.

`UNSUPPORTED_TASKS` has three that cannot: our agent answers once, in place of `generate`.
"""

TASKS = '''
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Target, choice, includes, mean, model_graded_qa, scorer
from inspect_ai.solver import (
    chain_of_thought, generate, multiple_choice, system_message, use_tools
)
from inspect_ai.tool import ToolError, tool
from inspect_ai.util import store


@tool
def remember():
    async def execute(word: str, times: int = 1) -> str:
        """Remember a word.

        Args:
            word: the word to keep
            times: how often
        """
        if not word:
            raise ToolError("no word was given")
        if times < 0:
            raise ZeroDivisionError("no times at all")  # a fault of the tool, unlike the error above
        kept_before = store().get("kept", [])
        store().set("kept", kept_before + [word] * times)
        return f"kept {word}"

    return execute


@scorer(metrics={"kept": [mean()], "calls": [mean()], "refused": [mean()]})
def kept():
    async def score(state, target: Target) -> Score:
        tool_calls = []
        errors = []
        for message in state.messages:
            tool_calls += getattr(message, "tool_calls", None) or []
            if getattr(message, "error", None):
                errors.append(message.error.message)
        is_kept = store().get("kept", []) == [target.text]
        is_refused = errors == ["no word was given"]
        value = {"kept": float(is_kept), "calls": float(len(tool_calls)), "refused": float(is_refused)}
        return Score(value=value, answer=state.output.completion)

    return score


@task
def words(limit: int = 2):
    samples = [
        Sample(input="Keep heron.", target="heron", id="heron"),
        Sample(input="Keep otter.", target="otter"),
    ]
    solver = [use_tools(remember()), generate()]
    return Task(dataset=samples[:limit], solver=solver, scorer=kept())


@task
def choices():
    sample = Sample(input="Which is a bird?", choices=["otter", "heron"], target="B", id="bird")
    solver = [system_message("Be short."), chain_of_thought(), multiple_choice()]
    return Task(dataset=[sample], solver=solver, scorer=[choice(), includes()])


@task
def judged():
    return Task(dataset=[Sample(input="Greet.", target="polite", id="one")], scorer=model_graded_qa())
'''

UNSUPPORTED_TASKS = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, solver


@task
def in_local_sandbox():
    return Task(dataset=[Sample(input="x")], scorer=includes(), sandbox="local")


@task
def generates_twice():
    return Task(dataset=[Sample(input="x", id="one")], solver=[generate(), generate()], scorer=includes())


@solver
def asks_no_model():
    async def solve(state, generate):
        return state

    return solve


@task
def never_generates():
    return Task(dataset=[Sample(input="x")], solver=asks_no_model(), scorer=includes())
"""
