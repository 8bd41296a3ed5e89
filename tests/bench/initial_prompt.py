"""How often the initial prompt shows what a task needs: the pages and records that its reference solution cites.

    python -m tests.bench.initial_prompt [SEEDS] [PROFILES] [NAMES]
    python -m tests.bench.initial_prompt latency [MS] [TRIALS]     (its time over the wire, each reply late by so much)

Each task of the embedded benchmark is opened once per profile, in the world of one of the seeds in turn. A trial is
complete if the initial prompt shows each file that the reference solution cites, the page that governs its family,
and each notice in force that overrides one of these pages. With `INITIAL_PROMPT_MISSING=1` it prints what each trial
lacks.
"""

import asyncio
import multiprocessing
import os
import re
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import date
from itertools import cycle
from multiprocessing.connection import Connection
from typing import Final

from benchmarks.bitgn.server import ServerOptions, serve
from benchmarks.ecom.ecom_benchmark import EcomBenchmark, TrialId
from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.tasks.generation import generate_task, task_ids
from benchmarks.ecom.tasks.task import Task
from benchmarks.ecom.world.generator import PLAYED
from controlplane.benchmark import BenchmarkContext, TaskSelection, start_selected_run
from controlplane.configuration.named_modules import open_benchmark
from tests.support.single_trial import first_message_of

GOVERNING: Final = {
    "archive": ("archive-fraud",),
    "catalogue": ("price-count", "product-existence", "sku-lookup"),
    "checkout": ("basket-addition", "basket-checkout", "unnamed-basket"),
    "crosslist": ("crosslist",),
    "discounts": ("discount-authority", "discount-grant", "discount-limit"),
    "dispatch": ("dispatch-wave",),
    "origins": ("origin-fact",),
    "returns": ("refund-approval", "refund-closure"),
    "staff": ("own-staff-record", "staff-count"),
    "stock": ("inventory-export", "stock-answer", "stock-count"),
    "uploads": ("receipt-rebuy", "receipt-reprice"),
    "verification": ("verification-restart",),
}
"""The page by which a family's tasks are decided, beside those that they cite."""
PROCESSES: Final = 2
_SHOWN: Final = re.compile(r'<section title="read ([^"]+?)(?: \([^")]*\))?">')
_NOTICE: Final = re.compile(r"/(\d{4}-\d\d-\d\d)-[^/]*$")


@dataclass(frozen=True)
class Opened:
    """What the initial prompt of a trial shows of what the trial needs."""

    trial: str
    world: str
    chars: int
    missing: tuple[str, ...]


def needed_files(task: Task, family: str) -> Iterator[str]:
    """Yield the files that the truth cites, the page that governs, and the notices in force that override a page."""
    workspace, truth = task.world.workspace(), task.truth
    pages = {task.world.names.documents[page] for page, families in GOVERNING.items() if family in families}
    pages.update(truth.documents)
    cited = {path.partition("#")[0] for path in truth.records} | pages
    yield from (path for path in cited if path in workspace.files)
    for path, text in workspace.files.items():
        dated = _NOTICE.search(path)
        in_force = dated and path.endswith(".md") and date.fromisoformat(dated[1]) <= workspace.clock.date()
        if in_force and any(page in text for page in pages):
            yield path


def open_trial(task_id: str, seed: int, profile: str, names: str) -> Opened:
    """Open a trial as a run does, and compare what it shows with what its truth needs."""
    key = TrialId(task_id, 0, seed, profile, "t").world_seed
    task = generate_task(task_id, key, replace(PLAYED, profile=profile, names=names))
    environment = EcomEnvironment(task.world.workspace())
    pieces = first_message_of(task.instruction, environment).first_message
    shown = set(_SHOWN.findall("".join(pieces)))
    needed = set(needed_files(task, task_id.rpartition(".")[0]))
    return Opened(task_id, f"{profile} {seed}", sum(map(len, pieces)), tuple(sorted(needed - shown)))


def told(name: str, trials: list[Opened]) -> str:
    """Return one line of figures."""
    pages = sum(not any(path.startswith("/docs/") for path in trial.missing) for trial in trials)
    complete = sum(not trial.missing for trial in trials)
    chars = [trial.chars for trial in trials]
    return (
        f"{name:22} {complete / len(trials):6.1%} of {len(trials)} complete, in pages {pages / len(trials):6.1%}; "
        f"characters {sum(chars) // len(chars):,} on average, at most {max(chars):,}"
    )


def main(seeds: str = "1-5", profiles: str = "prod,dev,hard", names: str = "mixed") -> None:
    first, _, last = seeds.partition("-")
    chosen = cycle(range(int(first), int(last or first) + 1))
    tasks = list(zip(task_ids(), chosen, strict=False))
    asked = [(*task, profile, names) for task in tasks for profile in profiles.split(",")]
    with ProcessPoolExecutor(PROCESSES) as pool:
        opened = list(pool.map(open_trial, *zip(*asked, strict=True), chunksize=4))
    groups, missed = defaultdict(list), Counter[str]()
    for (_, _, profile, _), trial in zip(asked, opened, strict=True):
        groups[profile].append(trial)
        groups[trial.trial.rpartition(".")[0]].append(trial)
        missed.update({re.sub(r"[^/]+$", "", path) for path in trial.missing})
    for name, trials in groups.items():
        print(told(name, trials))
    print(told("all", opened))
    print("folders of what is missing:", missed.most_common(12))
    if os.environ.get("INITIAL_PROMPT_MISSING"):
        for trial in opened:
            if trial.missing:
                print(trial.world, trial.trial, *trial.missing)


@contextmanager
def running(target: Callable[[Connection], None]) -> Iterator[int]:
    """Run a server in a process of its own for as long as the block lasts; yield its port."""
    here, there = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=target, args=(there,))
    process.start()
    try:
        if not here.poll(60):
            msg = "the server did not start in 60 s"
            raise TimeoutError(msg)
        yield here.recv()
    finally:
        process.terminate()
        process.join()


def serve_public(tell: Connection) -> None:
    """Serve worlds in the public vocabulary."""
    benchmark = EcomBenchmark(settings=replace(PLAYED, names="public"))
    serve(benchmark, ServerOptions(), on_listening=lambda url: tell.send(int(url.rpartition(":")[2])))


def delay_replies(tell: Connection) -> None:
    """Pass bytes on to a server of worlds, and its replies back `DELAY_MS` later."""
    delay_s = float(os.environ["DELAY_MS"]) / 1000

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, late_by: float) -> None:
        with suppress(ConnectionError):
            while part := await reader.read(2**20):
                asyncio.get_running_loop().call_later(late_by, writer.write, part)
        asyncio.get_running_loop().call_later(late_by, writer.close)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", int(os.environ["UPSTREAM_PORT"]))
        await asyncio.gather(relay(reader, up_writer, late_by=0), relay(up_reader, writer, late_by=delay_s))

    async def listen() -> None:
        server = await asyncio.start_server(connected, "127.0.0.1", 0)
        tell.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(listen())


def latency(ms: str = "35", trials: str = "40") -> None:
    """Print how long the initial prompt takes over the wire, and its calls."""
    times, calls = [], []
    with running(serve_public) as port:
        os.environ.update(DELAY_MS=ms, UPSTREAM_PORT=str(port), BITGN_API_KEY="any")
        with running(delay_replies) as late_port:
            os.environ["BITGN_HOST"] = f"http://127.0.0.1:{late_port}"
            benchmark = open_benchmark("bitgn:ecom", {}, BenchmarkContext()).benchmark
            started = start_selected_run(benchmark, TaskSelection(limit=int(trials)), name="latency", seed=0)
            for head in started.trials:
                trial = benchmark.start_trial(head.trial_id)
                began = time.perf_counter()
                prompt = first_message_of(trial.instruction, trial.environment)
                times.append(time.perf_counter() - began)
                calls.append(len(prompt.calls))
            benchmark.close()
    slowest = sorted(times)[int(0.9 * len(times))]
    median = statistics.median(times)
    print(f"the initial prompt at {ms} ms a reply, {len(times)} trials: median {median:.3f} s, p90 {slowest:.3f} s")
    print(f"calls: {statistics.mean(calls):.1f} on average, at most {max(calls)}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["latency"]:
        latency(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
