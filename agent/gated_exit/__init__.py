"""The gated exit: the only way for an answer to leave a trial."""

from controlplane.agent.gated_exit.fallback_answer import fallback_answer
from controlplane.agent.gated_exit.gated_exit import GatedExit
from controlplane.agent.gated_exit.submission_refusal import NotJudged
