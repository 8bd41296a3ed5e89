"""What a trial costs in the control plane, and how many times as much as in a bare script.

A bare script plays the same trial without a control plane. It is a *floor*: no control plane can cost
less. A cost is measured without the start of the process, by a short and a long run.
"""

import os
import statistics
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import NamedTuple

from tests.bench.canned_tool_replies import STEPS
from tests.bench.local_servers import platform_server
from tests.bench.sides.cost_sides import Side

# What each further trial of a run costs, without the start of the process.
#
# A short and a long run cost the same start-up, so the difference of their costs is that of the further
# trials alone. `RunLengths(short=20, long=120).further_trials` is 100.


class TrialCost(NamedTuple):
    """What one trial costs, without the start of the process."""

    cpu_ms: float
    wall_ms: float


@dataclass(frozen=True)
class RunLengths:
    """The numbers of trials of a short and a long run."""

    short: int
    long: int

    @property
    def further_trials(self) -> int:
        return self.long - self.short


def measure_trial(side: Side, lengths: RunLengths) -> TrialCost:
    """Play a short and a long run; print and return what each of the further trials costs."""
    short_run = side.play(lengths.short)
    long_run = side.play(lengths.long)
    cpu_s = long_run.cpu_s - short_run.cpu_s
    wall_s = long_run.wall_s - short_run.wall_s
    cost = TrialCost(
        cpu_ms=cpu_s / lengths.further_trials * 1000,
        wall_ms=wall_s / lengths.further_trials * 1000,
    )
    print(
        f"{side.name:>13}: {cost.cpu_ms:6.2f} ms CPU and {cost.wall_ms:6.2f} ms wall a trial; "
        f"PSS {long_run.peak_pss_mb:5.1f} MiB"
    )
    return cost


# Plays trials by bare scripts, the *floors* that the control plane's cost is compared with.
#
# Each step asks the model, parses its reply and compiles the script in it. No program for such
# trials can leave this out. There are two floors:
#
# - "floor": the client of OpenAI converts requests and replies to its own types, as it usually does
# - "untyped floor": it does not, as in the control plane, so that this is the fair comparison

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


# How much more memory a run of 1,000 trials needs than one of 100: with no leak, about the same.
#
# `print_memory(ours)` prints `PSS of all processes: 100 trials 120.0 MiB, 1,000 trials 132.0 MiB, ratio 1.10`


def print_memory(side: Side) -> None:
    """Print the highest proportional memory of 100 and of 1,000 trials, and their ratio."""
    few_mb = side.play(100).peak_pss_mb
    many_mb = side.play(1000).peak_pss_mb
    print(
        f"PSS of all processes: 100 trials {few_mb:.1f} MiB, "
        f"1,000 trials {many_mb:.1f} MiB, ratio {many_mb / few_mb:.2f}"
    )


# The side of the control plane, with the flags that a comparison asks for.
#
# `our_side(port, lengths, tools=True, platforms=None)` plays each run with `--agent exoskeleton`.


def our_side(
    model_port: int,
    lengths: RunLengths,
    *,
    tools: bool,
    platforms: ExitStack | None,
) -> Side:
    """Return the control plane's side.

    With `tools`, the second solver plays, by native tool calls. With `platforms`, each length of run
    has a platform server of its own, with as many tasks, which ends with `platforms`.
    """
    flags: dict[int, list[str]] = {}
    for trials in (lengths.short, lengths.long):
        flags[trials] = []
        if tools:
            flags[trials] += ["--agent", "exoskeleton"]
        if platforms is not None:
            url = platforms.enter_context(platform_server(trials))
            flags[trials] += ["--platform", url]
    return Side("ours", model_port, flags)


class CostRatio(NamedTuple):
    """How many times as much as a bare script our trial costs."""

    cpu: float
    wall: float

    def __str__(self) -> str:
        return f"{self.cpu:.2f} CPU, {self.wall:.2f} wall"


def compare_with_floors(
    ours: Side, floors: Sequence[Side], lengths: RunLengths, rounds: int
) -> None:
    """Print what a trial costs each side, and how many times as much ours as each bare script.

    `measure_trial` prints the cost: "ours: 7.00 ms CPU ... a trial". This function prints the
    ratios to each floor, of each round and their medians. All sides are measured in each round, so
    that the load of the machine is the same for all.
    """
    ratios_by_floor: dict[str, list[CostRatio]] = {floor.name: [] for floor in floors}
    for _ in range(rounds):
        floor_costs = {floor.name: measure_trial(floor, lengths) for floor in floors}
        our_cost = measure_trial(ours, lengths)
        for name, floor_cost in floor_costs.items():
            ratio = CostRatio(
                cpu=our_cost.cpu_ms / floor_cost.cpu_ms,
                wall=our_cost.wall_ms / floor_cost.wall_ms,
            )
            ratios_by_floor[name].append(ratio)
            heading = f"ratio to {name}"
            print(f"{heading:>24}: {ratio}")

    for name, ratios in ratios_by_floor.items():
        median_ratio = CostRatio(
            cpu=statistics.median(ratio.cpu for ratio in ratios),
            wall=statistics.median(ratio.wall for ratio in ratios),
        )
        print(f"median ratio to the {name} over {rounds} rounds: {median_ratio}")
