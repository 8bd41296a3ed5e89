"""The one way an answer leaves a trial."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.submission.aided_judge import SubmissionJudge as SubmissionJudge
    from agent.submission.aided_judge import judging_modules as judging_modules
    from agent.submission.gated_exit import GatedExit as GatedExit
    from agent.submission.gated_exit import GateSettings as GateSettings
    from agent.submission.gated_exit import NotJudged as NotJudged

_HOMES = {
    "aided_judge": ("SubmissionJudge", "judging_modules"),
    "gated_exit": ("GatedExit", "GateSettings", "NotJudged"),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that an aide that judges brings nothing else along."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
