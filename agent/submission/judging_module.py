"""Where submissions are judged in an aide. Imports nothing, so that an aide can be prepared before anything else."""

from typing import Final

JUDGING_MODULE: Final = "agent.submission.judge_in_aide"
