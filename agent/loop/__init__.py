"""The script solver: its initial prompt, turns, feedback and limits."""

from controlplane.agent.limits.spending import LeftOpen
from controlplane.agent.limits.trial_limits import TrialClock, TrialLimits
from controlplane.agent.loop.cited_loop import CitedLoop
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.prompt_files import (
    FOLDER,
    PROMPT_FILES,
    PromptError,
    Prompts,
    default_prompts,
    read_prompts,
    read_text,
)
from controlplane.agent.loop.script import sandbox_of
from controlplane.agent.loop.session.call_notes import CallSettings
from controlplane.agent.loop.session.trial_context import TrialContext
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.loop.system_prompt import served_text, system_prompt, tool_line
