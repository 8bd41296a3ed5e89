"""The script solver: its initial prompt, turns, feedback and limits."""

from controlplane.agent.limits.spending import LeftOpen
from controlplane.agent.limits.trial_limits import TrialClock, TrialLimits
from controlplane.agent.loop.prompts import (
    FOLDER,
    PROMPT_FILES,
    LoopSettings,
    PromptError,
    Prompts,
    default_prompts,
    read_prompts,
    read_text,
)
from controlplane.agent.loop.scripts import CitedLoop, sandbox_of
from controlplane.agent.loop.system_prompt import served_text, system_prompt, tool_line
from controlplane.agent.loop.trial_session import (
    CallSettings,
    TrialContext,
    TrialSession,
)
