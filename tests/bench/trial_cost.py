"""What a trial costs beside a bare script that does only what cannot be left out.

Prints ratios; run it by hand:

    python tests/bench/trial_cost.py [--trials 100]
    python tests/bench/trial_cost.py --over-the-wire     (some 31 platform calls a trial)
    python tests/bench/trial_cost.py --memory            (100 trials beside 1,000)
    python tests/bench/trial_cost.py --tools             (the second solver, three native tool calls a turn)

There are three sides: "ours", the control plane, and two floors below which no trial can
cost, scripts that make the same requests to a model without our program ("floor", with
the typed call of the `openai` client, and "untyped floor", with its untyped one, which
ours uses). All talk to a local model server, 10 trials at a time, five steps each with
three environment calls. CPU and wall are those of whole processes, children included;
start-up is taken out by the difference of two lengths of run. Over the wire, the
platform is our own server, in a process that is not counted. `tests.bench.trial_phases`
prints where the time goes.
"""

import argparse
import io
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import NamedTuple

import psutil

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT))
AT_A_TIME = 10
STEPS = 5


def replies() -> list[str]:
    """Return the replies of one trial: four steps that read, and one that answers."""
    from tests.bench.file_benchmark import ANSWER, STEP

    codes = [STEP.format(number, number + 1) for number in range(STEPS - 1)]
    codes.append(ANSWER)
    actions = []
    for number, code in enumerate(codes):
        action = {
            "state": f"step {number}",
            "plan": ["read", "answer"],
            "done": False,
            "code": code,
        }
        actions.append(json.dumps(action))
    return actions


def replies_with_tools() -> list[str | dict[str, object]]:
    """Return the replies of one trial of the second solver, which calls tools.

    The server gives the n-th reply to a request with n turns of the model in it. The
    solver's opening already has one, so its requests get the turns from the second reply
    on. The first is for the request that formats the answer, which has none.
    """

    def tool_call(number: int, name: str, **arguments: object) -> dict[str, object]:
        function = {"name": name, "arguments": json.dumps(arguments)}
        return {"id": f"call_{number}", "type": "function", "function": function}

    turns = []
    for number in range(STEPS - 1):
        reading_turn = [
            tool_call(1, "list", path="/records"),
            tool_call(2, "read", path=f"/records/{number}.json"),
            tool_call(3, "read", path=f"/records/{number + 1}.json"),
        ]
        turns.append(reading_turn)
    record = {"path": "/records/7.json", "reason": "record r-7 holds the count 7"}
    answering_turn = [
        tool_call(1, "read", path="/records/7.json"),
        tool_call(2, "stat", path="/records/8.json"),
        tool_call(
            3,
            "report_completion",
            message="7",
            outcome="OUTCOME_OK",
            documents=[],
            records=[record],
        ),
    ]
    turns.append(answering_turn)

    replies: list[str | dict[str, object]] = ['{"message": "7"}']
    for turn in turns:
        replies.append({"content": None, "tool_calls": turn})
    return replies


def floor(trials: int, port: int, *, typed: bool) -> None:
    """Run the baseline: what a trial cannot do without, and nothing of our program.

    Each step asks the model, parses its reply and compiles the script in it. The fork at
    a trial's end stands for the process in which our program runs scripts. `typed` is
    whether the client checks and converts requests and replies to its own types.
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
        completion = client.chat.completions.create(model="m", messages=messages)
        return completion.choices[0].message.content

    def untyped_reply(messages: list[dict[str, str]]) -> str:
        body = {"model": "m", "messages": messages}
        response = client.post("/chat/completions", body=body, cast_to=httpx2.Response)
        return response.json()["choices"][0]["message"]["content"]

    def run_trial(number: int) -> None:
        messages = [
            {"role": "system", "content": "s" * 4000},
            {"role": "user", "content": f"trial {number}"},
        ]
        for _ in range(STEPS):
            text = typed_reply(messages) if typed else untyped_reply(messages)
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

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        list(pool.map(run_trial, range(trials)))


def ours(trials: int, port: int, *, platform: str, agent: str) -> None:
    """Run the trials by the control plane's own command line.

    The benchmark is at the URL `platform`, or in this process if that is empty.
    """
    from controlplane.__main__ import main

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
        flags = (
            f"run --benchmark {benchmark} --model canned "
            f"--concurrency {AT_A_TIME} --agent {agent} --json"
        )
        sys.argv = ["controlplane", *flags.split(), "--runs-dir", folder]
        with redirect_stdout(io.StringIO()):
            try:
                main()
            except SystemExit as ended:
                if ended.code:
                    raise


def tree_pss_mb(root: int) -> float:
    """Return the proportional memory of a process and all below it, in MiB."""
    total = 0
    with suppress(psutil.Error):
        for process in (
            psutil.Process(root),
            *psutil.Process(root).children(recursive=True),
        ):
            with suppress(psutil.Error):
                total += process.memory_full_info().pss
    return total / 2**20


class Cost(NamedTuple):
    """What a process and its children used."""

    cpu_s: float
    wall_s: float
    peak_pss_mb: float
    """The highest proportional memory, in MiB."""


def cpu_s_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(side: str, trials: int, port: int, flags: Sequence[str] = ()) -> Cost:
    """Run one side as a process of its own, with more flags of this script."""
    started_s = time.monotonic()
    cpu_before_s = cpu_s_of_children()
    command = [sys.executable, __file__, "--side", side]
    command += ["--trials", str(trials), "--port", str(port), *flags]
    process = subprocess.Popen(command)
    peak_pss_mb = 0.0
    while process.poll() is None:
        peak_pss_mb = max(peak_pss_mb, tree_pss_mb(process.pid))
        time.sleep(0.25)
    if process.returncode:
        sys.exit(f"{side} ended with {process.returncode}")
    return Cost(
        cpu_s=cpu_s_of_children() - cpu_before_s,
        wall_s=time.monotonic() - started_s,
        peak_pss_mb=peak_pss_mb,
    )


@contextmanager
def model_server(
    replies: Sequence[str | dict[str, object]], median_s: float = 0.0
) -> Iterator[int]:
    """Yield the port of a model server with these replies, which runs during the block.

    It waits before it replies, `median_s` in the median.
    """
    server = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("model_server.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdin
    assert server.stdout
    server.stdin.write(
        json.dumps({"replies": list(replies), "median_s": median_s}) + "\n"
    )
    server.stdin.flush()
    with server:
        try:
            yield int(server.stdout.readline())
        finally:
            server.terminate()


@contextmanager
def platform_server(trials: int) -> Iterator[str]:
    """Yield the URL of a server with this many trials, which runs during the block."""
    serve = [
        sys.executable,
        "-m",
        "controlplane",
        "serve",
        "--benchmark",
        f"tests.bench.file_benchmark:{trials}",
    ]
    with subprocess.Popen(
        serve, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout
        try:
            yield server.stdout.readline().split()[-1]
        finally:
            server.terminate()


def compare_memory(port: int) -> None:
    """Print the highest proportional memory of 100 and of 1,000 trials, and their ratio."""
    few_mb = measure("ours", 100, port).peak_pss_mb
    many_mb = measure("ours", 1000, port).peak_pss_mb
    print(
        f"PSS of all processes: 100 trials {few_mb:.1f} MiB, "
        f"1,000 trials {many_mb:.1f} MiB, ratio {many_mb / few_mb:.2f}"
    )


class TrialCost(NamedTuple):
    """What one trial costs, without the start of the process."""

    cpu_ms: float
    wall_ms: float


def measure_trial(
    side: str, trials: int, short: int, port: int, flags: dict[int, list[str]]
) -> TrialCost:
    """Measure a run of `short` trials and one of `trials` more, and print and return
    what each of the further ones costs. `flags` are those of a run of each length."""
    short_run = measure(side, short, port, flags.get(short, []))
    long_run = measure(side, short + trials, port, flags.get(short + trials, []))
    cost = TrialCost(
        cpu_ms=(long_run.cpu_s - short_run.cpu_s) / trials * 1000,
        wall_ms=(long_run.wall_s - short_run.wall_s) / trials * 1000,
    )
    print(
        f"{side:>13}: {cost.cpu_ms:6.2f} ms CPU and {cost.wall_ms:6.2f} ms wall a trial; "
        f"PSS {long_run.peak_pss_mb:5.1f} MiB"
    )
    return cost


def compare(
    trials: int,
    short: int,
    rounds: int,
    *,
    floor_port: int,
    our_port: int,
    our_flags: dict[int, list[str]],
) -> None:
    """Measure all sides in turn and print what each trial costs.

    `our_flags` are flags of our side by the number of trials of a run. The ports are
    those of the model servers.
    """
    cpu_ratios: dict[str, list[float]] = {"floor": [], "untyped floor": []}
    wall_ratios: dict[str, list[float]] = {"floor": [], "untyped floor": []}
    for _ in range(rounds):
        floor_costs = {
            side: measure_trial(side, trials, short, floor_port, {})
            for side in cpu_ratios
        }
        our_cost = measure_trial("ours", trials, short, our_port, our_flags)
        for side, floor_cost in floor_costs.items():
            cpu_ratio = our_cost.cpu_ms / floor_cost.cpu_ms
            wall_ratio = our_cost.wall_ms / floor_cost.wall_ms
            cpu_ratios[side].append(cpu_ratio)
            wall_ratios[side].append(wall_ratio)
            heading = f"ratio to {side}"
            print(f"{heading:>24}: {cpu_ratio:.2f} CPU, {wall_ratio:.2f} wall")

    for side in cpu_ratios:
        cpu_ratio = statistics.median(cpu_ratios[side])
        wall_ratio = statistics.median(wall_ratios[side])
        print(
            f"median ratio to the {side} over {rounds} rounds: "
            f"{cpu_ratio:.2f} CPU, {wall_ratio:.2f} wall"
        )


def measure_all_sides(options: argparse.Namespace) -> None:
    """Start the servers and compare the sides, or the memory of two lengths of run."""
    our_replies = replies_with_tools() if options.tools else replies()
    with (
        model_server(replies()) as floor_port,
        model_server(our_replies) as our_port,
        ExitStack() as platforms,
    ):
        if options.memory:
            compare_memory(our_port)
            return

        short = max(options.trials // 5, AT_A_TIME)
        our_flags: dict[int, list[str]] = {}
        for trials in (short, short + options.trials):
            our_flags[trials] = []
            if options.tools:
                our_flags[trials] += ["--agent", "exoskeleton"]
            if options.over_the_wire:
                url = platforms.enter_context(platform_server(trials))
                our_flags[trials] += ["--platform", url]
        compare(
            options.trials,
            short,
            options.rounds,
            floor_port=floor_port,
            our_port=our_port,
            our_flags=our_flags,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--over-the-wire", action="store_true")
    parser.add_argument("--tools", action="store_true")
    parser.add_argument("--agent", default="cited")
    parser.add_argument("--side", choices=["floor", "untyped floor", "ours"])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--platform", default="")
    options = parser.parse_args()
    if options.side in ("floor", "untyped floor"):
        floor(options.trials, options.port, typed=options.side == "floor")
    elif options.side == "ours":
        ours(
            options.trials, options.port, platform=options.platform, agent=options.agent
        )
    else:
        measure_all_sides(options)
