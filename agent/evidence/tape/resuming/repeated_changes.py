"""Makes the changes of a recorded trial again, in a new environment.

A process was killed in a trial, and the environment is lost with it. The trial goes on in a new
environment, which has to be as the old one was. So the changes are made again first:

    recorded                                      now
    read("/a.md")              "fee: 7"           not made: it has changed nothing
    write("/b.md", "x")        {"path": "/b.md"}  made
    write("/locked.md", "x")   permission_denied  not made: it has changed nothing
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.environment import Environment
from controlplane.agent.evidence.tape.resuming.repeated_calls import repeat_calls
from controlplane.agent.record.trial_record import TrialRecord


def repeat_changes(
    environment: Environment, record: TrialRecord, *, repeats_all_calls: bool
) -> None:
    """Make the changes of earlier attempts again in a new environment.

    With `repeats_all_calls`, calls that read or failed are made again, too, for a grader that judges
    the list of all calls. Raises `CallError` if a call that succeeded in the record fails now.
    """
    calls: Iterable[CallRecord] = record.all_calls
    if not repeats_all_calls:
        calls = [call for call in calls if call.result is not None]
    for repeated in repeat_calls(environment, calls, repeats_reads=repeats_all_calls):
        if repeated.error is not None and repeated.recorded.error is None:
            raise repeated.error
