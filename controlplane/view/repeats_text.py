"""Says in lines of text what several tries of a task tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controlplane.comparison.resampling import PassRates, flickering, pass_rates
from controlplane.view.display_text import one_line


def repeats_lines(tries: Mapping[str, Sequence[float]]) -> list[str]:
    """Return what several tries of a task tell, given each task's scores; nothing if a task had but one."""
    return rates_lines(pass_rates(tries), flickering(tries))


def rates_lines(rates: Sequence[PassRates], flickers: Sequence[str]) -> list[str]:
    """Return a run's pass@k and pass^k, a line for each k, and the tasks that flicker."""
    lines = [f"pass@{each.k} {each.at_least_one}  pass^{each.k} {each.every_one}" for each in rates]
    if rates:
        lines.append(f"flickering: {listed(flickers, 12)}" if flickers else "no task flickers")
    return lines


def listed(names: Sequence[str], most: int = 6) -> str:
    """Return the first names of a list, and how many more there are."""
    shown = ", ".join(one_line(each) for each in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
