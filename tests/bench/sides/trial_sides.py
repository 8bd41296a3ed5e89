"""Plays trials by one of the sides that `trial_cost.py` compares, in this process.

    python tests/bench/sides/trial_sides.py --side ours --trials 12 --port 8000

The side "ours" is the control plane. The sides "floor" and "untyped floor" are bare scripts that only
do what no program for such trials can leave out. The model server is at the port.
"""

import argparse
import io
import os
import sys
import tempfile
import warnings
from contextlib import redirect_stdout
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.bench.local_servers import STEPS

CONCURRENT_TRIALS = 10
FLOORS = ("floor", "untyped floor")


def play_floor(trials: int, port: int, *, is_typed: bool) -> None:
    """Play trials by a bare script: only what no program for such trials could leave out.

    Each step asks the model, parses its reply and compiles the script in it. The fork at
    a trial's end stands for the process in which our program runs scripts. If `is_typed`, the
    client of OpenAI converts requests and replies to its own types; ours does not.
    """
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
        response = client.post("/chat/completions", body=body, cast_to=httpx2.Response)
        return response.json()["choices"][0]["message"]["content"]

    def run_trial(number: int) -> None:
        messages = [
            {"role": "system", "content": "s" * 4000},
            {"role": "user", "content": f"trial {number}"},
        ]
        for _ in range(STEPS):
            text = typed_reply(messages) if is_typed else untyped_reply(messages)
            action = Action.model_validate_json(text)
            compile_restricted(action.code, "<script>", "exec")
            messages += [
                {"role": "assistant", "content": text},
                {"role": "user", "content": "out " * 50},
            ]

        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)

    with ThreadPoolExecutor(CONCURRENT_TRIALS) as pool:
        for _ in pool.map(run_trial, range(trials)):
            pass  # An exception of a trial is raised here.


def play_ours(trials: int, port: int, *, platform: str, agent: str) -> None:
    """Run the trials by the command line of the control plane, in this process.

    The benchmark is served at the URL `platform`; if that is empty, it is in this process, too.
    """
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(
            OPENAI_BASE_URL=f"http://127.0.0.1:{port}/v1",
            OPENAI_API_KEY="none",
            PYTHONWARNINGS="",
        )
        benchmark = f"tests.bench.file_benchmark:{trials}"
        if platform:
            os.environ.update(BITGN_HOST=platform, BITGN_API_KEY="any")
            benchmark = "bitgn:shelf --rule-sets none"
        run_in_this_process(
            f"--benchmark {benchmark} --model canned --concurrency {CONCURRENT_TRIALS} "
            f"--agent {agent} --runs-dir {folder}"
        )


def run_in_this_process(flags: str) -> None:
    """Run `controlplane run` with these flags, without its output. Exits if the run fails."""
    from controlplane.__main__ import main

    sys.argv = ["controlplane", "run", *flags.split(), "--json"]
    with redirect_stdout(io.StringIO()):
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", choices=[*FLOORS, "ours"])
    parser.add_argument("--trials", type=int)
    parser.add_argument("--port", type=int)
    parser.add_argument("--agent", default="cited")
    parser.add_argument("--platform", default="")
    options = parser.parse_args()

    if options.side == "ours":
        play_ours(
            options.trials, options.port, platform=options.platform, agent=options.agent
        )
    else:
        play_floor(options.trials, options.port, is_typed=options.side == "floor")


if __name__ == "__main__":
    main()
