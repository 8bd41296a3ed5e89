"""The one way an answer leaves a trial."""

from typing import TYPE_CHECKING

import agent

if TYPE_CHECKING:
    from agent.submission.gated_exit import GatedExit, GateSettings, NotJudged, find_objections_in, judging_modules
    from agent.submission.second_reader import Ask, SecondReader

__getattr__ = agent.lazy_face(__name__, __file__)
