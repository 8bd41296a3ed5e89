"""The one way an answer leaves a trial: through the gates, to the environment."""

from agent.submission.gated_exit import GatedExit, GateSettings, NotJudged, find_objections_in, judging_modules
from agent.submission.second_reader import Ask, SecondReader
