"""What the scripts and calls of a trial have added to its evidence, in parts by subject.

The *evidence* is what a trial has read, changed and executed. The gates, the rules that each
answer must pass, compare it with the answer: an answer may cite `/docs/fees.md` if a call has
read this file, and say that the fee is 7 if the file does.
"""

from __future__ import annotations

from controlplane.agent.evidence.log.found_quotations import FoundQuotations
from controlplane.agent.evidence.log.function_results import FunctionResults
from controlplane.agent.evidence.log.script_runs import ScriptRuns
from controlplane.agent.evidence.log.seen_workspace import SeenWorkspace
from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.sandbox.interface import ToolSchema


class EvidenceParts:
    """The evidence of one trial, which grows with each script and call.

    `CallLog` adds each call to the parts that it concerns: `read("/docs/fees.md")` adds the
    text of the file to `workspace`. `collected_evidence` puts the parts together for the gates.
    """

    def __init__(self, tool_schema: ToolSchema, most_text_bytes: int) -> None:
        self.workspace = SeenWorkspace(tool_schema, most_text_bytes)
        """The paths that calls have reached, and the texts that they saw there."""
        self.changes = TrialChanges()
        """The files that calls wrote or deleted, and the tools that may have changed something."""
        self.scripts = ScriptRuns()
        """The scripts of the trial, with what they printed."""
        self.function_results = FunctionResults()
        """The values of the benchmark's functions, which may support an answer."""
        self.quotations = FoundQuotations()
        """The quotations in citations that were found in the texts."""
        self.environment_has_failed = False
        """True once a call has failed because of the environment, such as by a lost connection,
        and not because of what was requested."""
