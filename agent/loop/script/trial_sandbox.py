"""Connects the sandbox, in which scripts run, with the session of their trial.

The session makes what scripts ask for. It learns what they print, and can interrupt them:

    harness.read("/a.md") in a script    -> ScriptHost.call, a call of the trial
    print("12 books")                    -> the evidence: an answer may be checked by it
    session.interrupt("the client left") -> the script ends
"""

from __future__ import annotations

from controlplane.agent.loop.script.script_host import ScriptHost
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.sandbox import ForkServer, Layer, Limits, Sandbox


def sandbox_of(
    session: TrialSession,
    server: ForkServer,
    limits: Limits,
    isolation: frozenset[Layer],
) -> Sandbox:
    """Return the sandbox for the scripts of a trial. A `with` block starts and ends it."""
    box = Sandbox(
        session.tool_schema,
        ScriptHost(session),
        now=session.trial.now,
        seed=session.trial.seed,
        limits=limits,
        isolation=isolation,
        server=server,
    )
    # An answer may be checked by what the scripts compute and print.
    evidence_log = session.recorder.evidence_log
    box.on_script = evidence_log.add_script
    box.on_print = evidence_log.add_printed
    # A call has to end before the time of its script is over.
    box.report_call_ends(session.clock.end_calls_at)
    session.interrupt = box.interrupt
    # The benchmark's functions run in the same sandbox.
    session.recorder.calls.function_caller.functions.runner = box
    return box
