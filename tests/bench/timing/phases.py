"""The phases of a trial, and the methods of the product that are timed for each.

A *trial* is one attempt at a task. Its CPU time is shared out among phases: the start, calls of
scripts, gates, the journal and others. The time of a method counts in its phase, without that of the
timed methods which it calls.
"""

from typing import Final

# The names of the rows that several methods share, or that no method has.
INITIAL_CALLS: Final = "initial calls"
CALLS: Final = "calls of scripts"
PROMPT: Final = "initial prompt, beside its calls"
EVIDENCE: Final = "evidence"
ORIGINS: Final = "origins of arguments"
OUTSIDE: Final = "beside trials: imports, command line, scheduling"
CHILDREN: Final = "child processes: scripts, workers, fork server"

PHASES: Final = {
    "controlplane.lifecycle.trials.trial_lifecycle:_TrialRun.run": "rest of a trial",
    "controlplane.lifecycle.trials.trial_lifecycle:TrialStart.started": "start",
    "controlplane.agent.loop.initial_prompt.first_message:write_batches": PROMPT,
    "controlplane.lifecycle.trials.trial_lifecycle:WatchedEnvironment.call": CALLS,
    "controlplane.lifecycle.trials.trial_lifecycle:WatchedEnvironment.begin": CALLS,
    "controlplane.agent.evidence.sending:CallSender.send": "recorder",
    "controlplane.agent.evidence.sending:CallSender.receive": "recorder",
    "controlplane.agent.evidence.log.evidence_log:EvidenceLog.add_call": EVIDENCE,
    "controlplane.agent.evidence.origins.call_origins:CallOrigins.learn": ORIGINS,
    "controlplane.agent.evidence.origins.call_origins:CallOrigins.origins_of": ORIGINS,
    "controlplane.agent.gated_exit:GatedExit.submit": "gates",
    "controlplane.agent.endpoint.endpoint:Endpoint.complete": "model",
    "controlplane.sandbox.face:Sandbox.run": "scripts, in the parent",
    "controlplane.journal.journal_writer:JournalWriter.write": "journal",
    "controlplane.lifecycle.run_lifecycle:RunEventLog.count": "summary",
}
"""The methods that are timed, as `module:Class.method`, each with its phase. A function is named in
the module that calls it, as `module:function`."""
