"""The script solver: its initial prompt, turns, feedback and limits."""

from controlplane.agent.loop.cited_loop import CitedLoop
from controlplane.agent.loop.initial_prompt.reference.server_tool_lines import tool_line
from controlplane.agent.loop.initial_prompt.served_text import served_text
from controlplane.agent.loop.initial_prompt.system_prompt import system_prompt
from controlplane.agent.loop.known_prompts import PROMPT_FILES
from controlplane.agent.loop.limits.budget_limits import BudgetLimits
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.model_retry import ModelRetry
from controlplane.agent.loop.prompt_files import FOLDER, default_prompts, read_prompts
from controlplane.agent.loop.prompt_text_file import PromptError, read_text
from controlplane.agent.loop.prompt_texts import Prompts
from controlplane.agent.loop.script.trial_sandbox import sandbox_of
from controlplane.agent.loop.session.call_settings import CallSettings
from controlplane.agent.loop.session.trial_clock import TrialClock
from controlplane.agent.loop.session.trial_context import LeftOpen, TrialContext
from controlplane.agent.loop.session.trial_session import TrialSession
