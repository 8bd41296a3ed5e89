"""The solver protocol, the solvers known by name, and the parts that a user switches on and off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from controlplane.agent.model import Model
from controlplane.agent.retry import RunBudget
from controlplane.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from controlplane.agent.exoskeleton import SolverBindings
    from controlplane.agent.loop import LoopSettings, TrialSession
    from controlplane.sandbox import ForkServer


class Solver(Protocol):
    """Works on trials. Called from many threads at once."""

    def solve(self, session: TrialSession) -> str:
        """Work on the session's trial and answer through it; return an empty string, or why there is no answer.

        Calls, citations, submissions and model requests go through `session`, which journals them. It answers what an
        earlier attempt did from the record, so a solver is resumed by repeating its work from the start.

        Raises `ModelError` if no model answers, and `LeftOpen` (`session.leave_if_stopped`) to leave the trial open.
        """
        ...


@dataclass(frozen=True, slots=True)
class SolverTools:
    """The resources of a solver."""

    model: Model | None
    """None for a solver without a model."""
    loop: LoopSettings
    sandbox_server: Callable[[], ForkServer]
    """Returns the server of sandbox processes; the first call starts it."""
    budget: RunBudget = field(default_factory=RunBudget)
    """The budget that all trials of the run share."""
    parts: frozenset[str] = frozenset()
    """Names of the parts that are switched on."""
    find_bindings: Callable[[], SolverBindings | None] = lambda: None
    """Returns the benchmark's description of its workspace, None if it has no description."""


@dataclass(frozen=True, slots=True)
class SolverSpec:
    """Opens a solver. A module is a solver if it has a spec as `SOLVER`."""

    open: Callable[[SolverTools], Solver]
    roles: tuple[str, ...] = ("solve",)
    """The roles in which it asks a model: `solve`, `classify`, `check_draft`, `format`; or none."""
    parts: Mapping[str, bool] = field(default_factory=dict)
    """Parts that can be switched on and off, and whether they are on by default."""
    functions_part: str = ""
    """The part that offers the environment's functions; empty if they are always offered."""
    plays_scripts: bool = True
    """A rule-based player, which writes scripts, can play with it."""


FUNCTIONS: Final = "helpers"
"""The part of both solvers that offers the environment's functions."""


def open_cited(tools: SolverTools) -> Solver:
    """Return the loop of `controlplane.agent.loop.cited_loop`."""
    from controlplane.agent.loop import CitedLoop

    assert tools.model is not None
    return CitedLoop(tools.model, tools.sandbox_server(), tools.loop, budget=tools.budget)


def open_exoskeleton(tools: SolverTools) -> Solver:
    """Return the solver of `controlplane.agent.exoskeleton`."""
    from controlplane.agent.exoskeleton import Exoskeleton

    assert tools.model is not None
    bindings = tools.find_bindings()
    return Exoskeleton(
        tools.model, tools.loop, parts=tools.parts, bindings=bindings, budget=tools.budget
    )


SOLVERS: Final = {
    "cited": SolverSpec(open_cited, parts={FUNCTIONS: True}, functions_part=FUNCTIONS),
    "exoskeleton": SolverSpec(
        open_exoskeleton,
        roles=("solve", "classify", "check_draft", "format"),
        parts=dict.fromkeys(
            ("classifier", "preflight", FUNCTIONS, "evidence-store", "references", "formatter"),
            True,
        ),
        functions_part=FUNCTIONS,
        plays_scripts=False,
    ),
}
"""Solvers by name; any other name is a module's."""


def chosen_parts(text: str, declared: Mapping[str, bool], solver: str) -> frozenset[str]:
    """Return the parts that are on: the solver's defaults with changes such as `-a,+b`. Raises `UsageError` for an
    unknown part, and for one without a sign."""
    parts = dict(declared)
    for change in (word.strip() for word in text.split(",")):
        if not change:
            continue
        sign, name = change[0], change[1:].strip()
        name = "evidence-store" if name == "ledger" else name  # its name in earlier versions
        if sign not in "+-":
            msg = f"--parts {change!r}: write -{change} to switch the part off, +{change} to switch it on"
            raise UsageError(msg)
        if name not in declared:
            msg = f"--parts {change!r}: the solver {solver!r} has no part {name!r}{did_you_mean(name, declared)}"
            raise UsageError(msg)
        parts[name] = sign == "+"
    return frozenset(name for name, is_on in parts.items() if is_on)
