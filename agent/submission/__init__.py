"""The one way an answer leaves a trial."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.submission.gated_exit import GatedExit as GatedExit
    from agent.submission.gated_exit import GateSettings as GateSettings
    from agent.submission.gated_exit import NotJudged as NotJudged
    from agent.submission.gated_exit import SubmissionJudge as SubmissionJudge
    from agent.submission.gated_exit import judging_modules as judging_modules

_HOMES = {
    "gated_exit": ("GateSettings", "GatedExit", "NotJudged", "SubmissionJudge", "judging_modules"),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that an aide that judges brings nothing else along."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
