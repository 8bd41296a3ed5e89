"""The platform's replies about benchmarks, and to the start of runs and trials.

The reply of StartRun: `{"runId": "run-1", "trialIds": ["trial-1", "trial-2"]}`. Unknown
fields are ignored, so a newer platform may add some.
"""

from __future__ import annotations

from controlplane.benchmarks.bitgn.client.runs.wire_message import (
    PolicyName,
    WireMessage,
)


class WireTask(WireMessage):
    """One task of a benchmark."""

    task_id: str
    preview: str = ""
    hint: str = ""


class BenchmarkReply(WireMessage):
    """The reply of GetBenchmark."""

    description: str = ""
    policy: PolicyName = ""
    tasks: tuple[WireTask, ...] = ()


class StartRunReply(WireMessage):
    """The reply of StartRun."""

    run_id: str
    trial_ids: tuple[str, ...] = ()


class StartTrialReply(WireMessage):
    """The reply of StartTrial."""

    task_id: str = ""
    instruction: str = ""
    harness_url: str
