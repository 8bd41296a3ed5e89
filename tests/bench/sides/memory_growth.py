"""How much more memory a run of 1,000 trials needs than one of 100: with no leak, about the same.

`print_memory(ours)` prints `PSS of all processes: 100 trials 120.0 MiB, 1,000 trials 132.0 MiB, ratio 1.10`
"""

from tests.bench.sides.cost_sides import Side


def print_memory(side: Side) -> None:
    """Print the highest proportional memory of 100 and of 1,000 trials, and their ratio."""
    few_mb = side.play(100).peak_pss_mb
    many_mb = side.play(1000).peak_pss_mb
    print(
        f"PSS of all processes: 100 trials {few_mb:.1f} MiB, "
        f"1,000 trials {many_mb:.1f} MiB, ratio {many_mb / few_mb:.2f}"
    )
