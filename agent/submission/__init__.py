"""The one way an answer leaves a trial."""

from agent.submission.gated_exit import GatedExit, GateSettings
