"""A host that measures what the calls of a sandbox cost.

The sandbox, a child process in which scripts run, asks its *host* in this process for calls:

    host.call_all([("read", {"path": "/a.md"})])    # makes the calls, and adds to `host.reads_cost`
"""

from collections.abc import Sequence

from controlplane.agent.loop import TrialSession
from controlplane.agent.loop.script import ScriptHost
from controlplane.sandbox.functions import Call, Outcome
from tests.bench.timing.costs import Cost, cost_of


class TimedHost(ScriptHost):
    """Makes the calls for which the sandbox asks, and adds up what they cost."""

    def __init__(self, session: TrialSession) -> None:
        super().__init__(session)
        self.reads_cost = Cost(time_ms=0.0, cpu_ms=0.0)

    def call_all(self, calls: Sequence[Call]) -> list[Outcome]:
        make_calls = super().call_all
        outcomes: list[Outcome] = []
        cost = cost_of(lambda: outcomes.extend(make_calls(calls)))
        self.reads_cost = self.reads_cost.plus(cost)
        return outcomes
