"""The lines about tasks with several tries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from controlplane.pass_rates import PassRates
from controlplane.terminal_text import one_line


def rates_lines(
    rates: Sequence[PassRates], flickers: Sequence[str], missing: Sequence[str] = ()
) -> list[str]:
    """Return the pass rates of tasks with several tries, one line for each number k of tries.

    pass@k is the chance that at least one of k tries passes; pass^k is the chance that
    all k pass. A last line names the tasks whose tries differ (`flickers`). `missing`
    names the tasks without a score, which the rates leave out.
    """
    if not rates:
        return []
    lines = []
    for rate in rates:
        line = f"pass@{rate.k} {rate.at_least_one}  pass^{rate.k} {rate.every_one}"
        if missing:
            line += f"  without {listed(missing)}, which had no score"
        lines.append(line)
    if flickers:
        lines.append(f"tries differ: {listed(flickers, max_names=12)}")
    else:
        lines.append("the tries of each task agree: all passed, or all failed")
    return lines


def listed(names: Iterable[str], max_names: int = 6) -> str:
    """Return the first names of a list, and the number of the other names: `a, b and 4 more`."""
    all_names = [one_line(name) for name in names]
    shown = ", ".join(all_names[:max_names])
    if len(all_names) > max_names:
        return f"{shown} and {len(all_names) - max_names} more"
    return shown
