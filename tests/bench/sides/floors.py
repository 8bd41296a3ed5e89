"""Plays trials by bare scripts, the *floors* that the control plane's cost is compared with.

Each step asks the model, parses its reply and compiles the script in it. No program for such
trials can leave this out. There are two floors:

- "floor": the client of OpenAI converts requests and replies to its own types, as it usually does
- "untyped floor": it does not, as in the control plane, so that this is the fair comparison
"""

import os
import warnings

from tests.bench.canned_replies import STEPS

FLOORS = ("floor", "untyped floor")
CONCURRENT_TRIALS = 10
SYSTEM_PROMPT = "s" * 4000
OUTPUT_OF_SCRIPT = "out " * 50


def play_floor(trials: int, port: int, *, is_typed: bool) -> None:
    """Play trials by the floor whose client converts to types, or by the untyped one."""
    # The side "ours" imports this module, too, and must not pay for imports of the floors.
    from concurrent.futures import ThreadPoolExecutor

    import httpx2
    import openai
    from pydantic import BaseModel
    from RestrictedPython import compile_restricted

    class Action(BaseModel):
        state: str
        plan: list[str]
        done: bool
        code: str

    warnings.simplefilter("ignore", SyntaxWarning)
    client = openai.OpenAI(
        base_url=f"http://127.0.0.1:{port}/v1", api_key="none", max_retries=0
    )

    def typed_reply(messages: list[dict[str, str]]) -> str:
        """Ask the model by the usual call of OpenAI's client."""
        completion = client.chat.completions.create(model="m", messages=messages)
        return completion.choices[0].message.content

    def untyped_reply(messages: list[dict[str, str]]) -> str:
        """Ask the model by the client's bare POST, and read the JSON of the reply."""
        body = {"model": "m", "messages": messages}
        # With this class for the reply, the client hands it out as it came.
        response = client.post("/chat/completions", body=body, cast_to=httpx2.Response)
        return response.json()["choices"][0]["message"]["content"]

    def run_trial(number: int) -> None:
        messages = [
            {"role": "system", "content": SYSTEM_PROMPT},
            {"role": "user", "content": f"trial {number}"},
        ]
        for _ in range(STEPS):
            text = typed_reply(messages) if is_typed else untyped_reply(messages)
            action = Action.model_validate_json(text)
            compile_restricted(action.code, "<script>", "exec")
            messages += [
                {"role": "assistant", "content": text},
                {"role": "user", "content": OUTPUT_OF_SCRIPT},
            ]

        # The control plane runs a trial's scripts in a process of their own.
        if (child := os.fork()) == 0:
            os._exit(0)
        os.waitpid(child, 0)

    with ThreadPoolExecutor(CONCURRENT_TRIALS) as pool:
        for _ in pool.map(run_trial, range(trials)):
            pass  # An exception of a trial is raised here.
