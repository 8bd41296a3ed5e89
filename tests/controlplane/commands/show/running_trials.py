"""The words of a command that plays three trials, whose calls take long.

For example:

    run_of_three_trials(script, call_s=0.4)    ->    ("run", "--benchmark", "tests.support...:3", ...)
"""

from pathlib import Path


def run_of_three_trials(script: Path, *, call_s: float) -> tuple[str, ...]:
    """Return the words of a command that plays three trials, in which each call takes `call_s`
    seconds. A model replies with the steps of `script`."""
    return (
        "run",
        "--benchmark=tests.support.many_trials:3",
        f"--set=seconds={call_s}",
        f"--model=scripted:{script}",
    )
