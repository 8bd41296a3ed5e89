"""The solver protocol, the built-in solvers, and the parts that a user can switch on and off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from controlplane.agent.model import Model
from controlplane.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from controlplane.agent.exoskeleton import SolverBindings
    from controlplane.agent.loop import LoopSettings, TrialSession
    from controlplane.sandbox import ForkServer


class Solver(Protocol):
    """Works on trials. It is called from many threads at once."""

    def solve(self, session: TrialSession) -> str:
        """Work on the session's trial, and submit an answer.

        Returns the reason for a missing answer, or an empty text if there is an answer.

        Calls, citations, submissions and model requests go through `session`, which
        records them in the journal. For work that an earlier attempt has already done,
        the session returns the recorded results. So a solver resumes a trial by
        reliving its work from the start.

        Raises `ModelError` if no model answers, and `LeftOpen`
        (`session.leave_if_stopped`) to leave the trial open.
        """
        ...


@dataclass(frozen=True, slots=True)
class SolverTools:
    """The resources that a solver can use."""

    model: Model | None
    """The model; None for a solver without a model."""
    loop: LoopSettings
    sandbox_server: Callable[[], ForkServer]
    """Returns the server of sandbox processes. The first call starts it."""
    parts: frozenset[str] = frozenset()
    """The parts of the solver that are switched on, such as `classifier`."""
    find_bindings: Callable[[], SolverBindings | None] = lambda: None
    """Returns what the benchmark adds to the solver's parts, such as
    the fields that the classifier fills in; None if it adds nothing."""


@dataclass(frozen=True, slots=True)
class SolverSpec:
    """The declaration of a solver, which works on trials: how it is opened, and what it needs.

    A module that defines one is a solver, named by `--agent MODULE`: `SOLVER = SolverSpec(open_mine)`.
    """

    open: Callable[[SolverTools], Solver]
    """Returns the solver of a run."""
    roles: tuple[str, ...] = ("solve",)
    """The roles in which the solver asks a model: `solve`,
    `classify`, `check_draft`, `format`; empty for no model."""
    parts: Mapping[str, bool] = field(default_factory=dict)
    """The parts that a user can switch on and off, with the defaults: `{"classifier": True}`.

    `SolverTools.parts` are those that are on in a run.
    """
    functions_part: str = ""
    """The name, among `parts`, of the part that offers the environment's functions.

    Empty if they are always offered.
    """
    plays_scripts: bool = True
    """True if a player (a program that writes scripts by rules) can take the model's place."""


_FUNCTIONS: Final = "helpers"
"""The part of both solvers that offers the environment's functions."""


def _open_cited(tools: SolverTools) -> Solver:
    """Return the solver of `controlplane.agent.loop.scripts`."""
    from controlplane.agent.loop import CitedLoop

    assert tools.model is not None
    return CitedLoop(tools.model, tools.sandbox_server(), tools.loop)


def _open_exoskeleton(tools: SolverTools) -> Solver:
    """Return the solver of `controlplane.agent.exoskeleton`."""
    from controlplane.agent.exoskeleton import Exoskeleton

    assert tools.model is not None
    bindings = tools.find_bindings()
    return Exoskeleton(
        tools.model,
        tools.loop,
        parts=tools.parts,
        bindings=bindings,
    )


SOLVERS: Final = {
    "cited": SolverSpec(
        _open_cited, parts={_FUNCTIONS: True}, functions_part=_FUNCTIONS
    ),
    "exoskeleton": SolverSpec(
        _open_exoskeleton,
        roles=("solve", "classify", "check_draft", "format"),
        parts=dict.fromkeys(
            (
                "classifier",
                "preflight",
                _FUNCTIONS,
                "evidence-store",
                "references",
                "formatter",
            ),
            True,
        ),
        functions_part=_FUNCTIONS,
        plays_scripts=False,
    ),
}
"""The built-in solvers by name. Any other name is that of a module."""


def chosen_parts(
    text: str, declared: Mapping[str, bool], solver: str
) -> frozenset[str]:
    """Return the parts that are on: the solver's defaults, changed by a text such as `-a,+b`.

    Raises `UsageError` for an unknown part, and for a part without a sign.
    """
    parts = dict(declared)
    for change in (word.strip() for word in text.split(",")):
        if not change:
            continue
        sign, name = change[0], change[1:].strip()
        if sign not in "+-":
            msg = f"--parts {change!r}: write -{change} to switch the part off, +{change} to switch it on"
            raise UsageError(msg)
        if name not in declared:
            msg = f"--parts {change!r}: the solver {solver!r} has no part {name!r}{did_you_mean(name, declared)}"
            raise UsageError(msg)
        parts[name] = sign == "+"
    return frozenset(name for name, is_on in parts.items() if is_on)
