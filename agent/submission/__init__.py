"""The one way an answer leaves a trial."""

from typing import TYPE_CHECKING

import agent

if TYPE_CHECKING:
    from agent.submission.gated_exit import GatedExit as GatedExit
    from agent.submission.gated_exit import GateSettings as GateSettings
    from agent.submission.gated_exit import NotJudged as NotJudged
    from agent.submission.gated_exit import SubmissionJudge as SubmissionJudge
    from agent.submission.gated_exit import judging_modules as judging_modules

_HOMES = {
    "gated_exit": ("GateSettings", "GatedExit", "NotJudged", "SubmissionJudge", "judging_modules"),
}
__getattr__ = agent.lazy_face(__name__, _HOMES)
