"""What a trial costs beside a bare script that does only what cannot be left out.

Prints ratios; run it by hand:

    python tests/bench/trial_cost.py [--trials 100]
    python tests/bench/trial_cost.py --over-the-wire     (some 31 platform calls a trial)
    python tests/bench/trial_cost.py --memory            (100 trials beside 1,000)
    python tests/bench/trial_cost.py --tools             (the second solver, three native tool calls a turn)

All sides talk to the same local model server, 10 trials at a time, five steps each with
three environment calls. The floor does the five calls through the `openai` client
(typed, and untyped as ours), five pydantic parses, one fork and five RestrictedPython
compiles. CPU and wall are those of whole processes, children included; start-up is
taken out by the difference of two lengths of run. Over the wire, the platform is our
own server, in a process that is not counted. `tests.bench.trial_phases` prints where
the time goes.
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

import psutil

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT))
AT_A_TIME = 10


def replies() -> list[str]:
    from tests.bench.file_benchmark import ANSWER, STEP

    codes = [STEP.format(at, at + 1) for at in range(4)] + [ANSWER]
    return [
        json.dumps(
            {
                "state": f"step {at}",
                "plan": ["read", "answer"],
                "done": False,
                "code": code,
            }
        )
        for at, code in enumerate(codes)
    ]


def replies_with_tools() -> list[str | dict[str, object]]:
    """Replies for the second solver, whose opening is a first
    turn, and whose formatter is asked without one."""

    def called(number: int, name: str, **arguments: object) -> dict[str, object]:
        function = {"name": name, "arguments": json.dumps(arguments)}
        return {"id": f"call_{number}", "type": "function", "function": function}

    turns = [
        [
            called(1, "list", path="/records"),
            called(2, "read", path=f"/records/{at}.json"),
            called(3, "read", path=f"/records/{at + 1}.json"),
        ]
        for at in range(4)
    ]
    record = {"path": "/records/7.json", "reason": "record r-7 holds the count 7"}
    end = called(
        3,
        "report_completion",
        message="7",
        outcome="OUTCOME_OK",
        documents=[],
        records=[record],
    )
    turns.append(
        [
            called(1, "read", path="/records/7.json"),
            called(2, "stat", path="/records/8.json"),
            end,
        ]
    )
    return [
        '{"message": "7"}',
        *({"content": None, "tool_calls": turn} for turn in turns),
    ]


def floor(trials: int, port: int, *, typed: bool) -> None:
    """The bare script, with the client's typed call
    or with its untyped one, which walks no messages."""
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

    def trial(number: int) -> None:
        messages = [
            {"role": "system", "content": "s" * 4000},
            {"role": "user", "content": f"trial {number}"},
        ]
        for _ in range(5):
            if typed:
                text = (
                    client.chat.completions.create(model="m", messages=messages)
                    .choices[0]
                    .message.content
                )
            else:
                body = {"model": "m", "messages": messages}
                reply = client.post(
                    "/chat/completions", body=body, cast_to=httpx2.Response
                ).json()
                text = reply["choices"][0]["message"]["content"]
            compile_restricted(
                Action.model_validate_json(text).code, "<script>", "exec"
            )
            messages += [
                {"role": "assistant", "content": text},
                {"role": "user", "content": "out " * 50},
            ]
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        list(pool.map(trial, range(trials)))


def ours(trials: int, port: int, *, platform: str, agent: str) -> None:
    """The control plane, through its own command line,
    with the benchmark in process or at the URL `platform`."""
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
        flags = f"run --benchmark {benchmark} --model canned --concurrency {AT_A_TIME} --agent {agent} --json"
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


def measured(
    side: str, trials: int, port: int, extra: list[str]
) -> tuple[float, float, float]:
    """Run one side as a process of its own; return CPU
    seconds, wall seconds, and the highest PSS in MiB."""
    started = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(
        [
            sys.executable,
            __file__,
            "--side",
            side,
            "--trials",
            str(trials),
            "--port",
            str(port),
            *extra,
        ]
    )
    highest = 0.0
    while process.poll() is None:
        highest = max(highest, tree_pss_mb(process.pid))
        time.sleep(0.25)
    if process.returncode:
        sys.exit(f"{side} ended with {process.returncode}")
    wall = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        wall,
        highest,
    )


@contextmanager
def model_server(
    spoken: Sequence[str | dict[str, object]], median_s: float = 0.0
) -> Iterator[int]:
    """Run the model server for as long as the block lasts, and give its port."""
    server = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("model_server.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdin
    assert server.stdout
    server.stdin.write(
        json.dumps({"replies": list(spoken), "median_s": median_s}) + "\n"
    )
    server.stdin.flush()
    with server:
        try:
            yield int(server.stdout.readline())
        finally:
            server.terminate()


@contextmanager
def platform_server(trials: int) -> Iterator[str]:
    """Serve so many trials over the wire for as long
    as the block lasts, and give the server's URL."""
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
    few, many = (measured("ours", trials, port, [])[2] for trials in (100, 1000))
    print(
        f"PSS of all processes: 100 trials {few:.1f} MiB, 1,000 trials {many:.1f} MiB, ratio {many / few:.2f}"
    )


def compare(
    trials: int,
    short: int,
    rounds: int,
    ports: tuple[int, int],
    extra: dict[int, list[str]],
) -> None:
    """Measure both sides in turn and print what each trial costs.

    `extra` holds flags of our side by length of run,
    and `ports` the model server of the floors and ours.
    """
    ratios: dict[str, list[tuple[float, float]]] = {}
    for _ in range(rounds):
        cost = {}
        for side in ("floor", "untyped floor", "ours"):
            few, many = (
                extra[count] if side == "ours" else []
                for count in (short, short + trials)
            )
            port = ports[side == "ours"]
            cpu_short, wall_short, _ = measured(side, short, port, few)
            cpu, wall, pss = measured(side, short + trials, port, many)
            cost[side] = (
                (cpu - cpu_short) / trials * 1000,
                (wall - wall_short) / trials * 1000,
            )
            cpu_ms, wall_ms = cost[side]
            print(
                f"{side:>13}: {cpu_ms:6.2f} ms CPU and {wall_ms:6.2f} ms wall a trial; PSS {pss:5.1f} MiB"
            )
        for text in ("floor", "untyped floor"):
            cpu_ratio, wall_ratio = (
                a / b for a, b in zip(cost["ours"], cost[text], strict=True)
            )
            ratios.setdefault(text, []).append((cpu_ratio, wall_ratio))
            print(
                f"{'ratio to ' + text:>24}: {cpu_ratio:.2f} CPU, {wall_ratio:.2f} wall"
            )
    for each, found in ratios.items():
        cpu_ratio, wall_ratio = (
            statistics.median(column) for column in zip(*found, strict=True)
        )
        print(
            f"median ratio to the {each} over {rounds} rounds: {cpu_ratio:.2f} CPU, {wall_ratio:.2f} wall"
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
        spoken = replies_with_tools() if options.tools else replies()
        with (
            model_server(replies()) as floors,
            model_server(spoken) as port,
            ExitStack() as platforms,
        ):
            if options.memory:
                compare_memory(port)
            else:
                few = max(options.trials // 5, AT_A_TIME)
                extra: dict[int, list[str]] = {few: [], few + options.trials: []}
                if options.tools:
                    for flags in extra.values():
                        flags += ["--agent", "exoskeleton"]
                if options.over_the_wire:
                    for each, flags in extra.items():
                        flags += [
                            "--platform",
                            platforms.enter_context(platform_server(each)),
                        ]
                compare(options.trials, few, options.rounds, (floors, port), extra)
