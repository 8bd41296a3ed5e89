"""The script solver: its initial prompt, turns, feedback and limits."""

from controlplane.agent.loop.cited_loop import CitedLoop
from controlplane.agent.loop.model_retry import ModelRetry
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
from controlplane.agent.loop.session.trial_context import (
    LeftOpen,
    TrialClock,
    TrialContext,
)
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.loop.step_limit import BudgetLimits, LoopSettings
from controlplane.agent.loop.system_prompt import served_text, system_prompt, tool_line
