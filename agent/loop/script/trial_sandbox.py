"""Connects the sandbox, in which scripts run, with the session of their trial.

The session makes the calls that scripts ask for, learns what they print, and can interrupt them:

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
    # The sandbox tells the clock, before each call of a script, when the script's time is over:
    # by then, the call has to end. After the call, the sandbox tells it `inf`.
    box.report_call_ends(session.clock.end_calls_at)
    # The session lets the sandbox end a script, and run the benchmark's functions.
    session.interrupt = box.interrupt
    functions = session.recorder.calls.function_caller.functions
    functions.runner = box
    return box
