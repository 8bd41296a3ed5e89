"""The side of the control plane, with the flags that a comparison asks for.

`our_side(port, lengths, tools=True, platforms=None)` plays each run with `--agent exoskeleton`.
"""

from contextlib import ExitStack

from tests.bench.local_servers import platform_server
from tests.bench.sides.cost_sides import Side
from tests.bench.sides.further_trials import RunLengths


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
