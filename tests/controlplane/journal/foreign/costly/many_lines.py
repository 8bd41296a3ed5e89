"""Journals of a megabyte with very many lines, trials or steps, or with a line that has no end.

    many_trials()    the start of a run with 40,000 trials

Each repeats one thing as often as it fits in: `MB // 24` is how often 24 bytes fit.
"""

from tests.controlplane.journal.foreign.journal_bytes import MB, Event, journal_of


def many_short_lines() -> bytes:
    """A line with its hashes has about 130 bytes."""
    notice = {"at_ms": 1, "type": "run_notice", "text": "a"}
    return journal_of(*[notice] * (MB // 130))


def many_trials() -> bytes:
    """The start of a run with 40,000 trials."""
    trials = [{"trial_id": str(number)} for number in range(MB // 24)]
    return journal_of(
        {"at_ms": 1, "type": "run_started", "run_id": "x", "trials": trials}
    )


def long_trial_id() -> bytes:
    """A notice about a trial whose id has half a megabyte."""
    return journal_of(
        {"at_ms": 1, "type": "notice", "trial_id": "y" * (MB // 2), "text": "a"}
    )


def many_steps() -> bytes:
    """The ends of thousands of steps."""
    steps: list[Event] = []
    for number in range(MB // 150):
        steps.append(
            {"at_ms": 1, "type": "step", "trial_id": "t", "step": number, "calls": []}
        )
    return journal_of(*steps)


def line_without_end() -> bytes:
    return b'{"prev":"' + b"0" * MB
