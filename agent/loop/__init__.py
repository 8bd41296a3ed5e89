"""The cited loop: initial prompt, turns, feedback, limits; runs recorded scripts again."""

from agent.first_message.initial_calls import InitialPromptLimits
from agent.loop.cited_loop import CitedLoop
from agent.loop.initial_prompt import served_text, system_prompt, tool_line
from agent.loop.prompt_texts import FOLDER, HOLES, PromptError, Prompts, default_prompts, read_prompts, read_text
from agent.loop.script_runs import Recording, RerunSettings, rerun, run_again, sandbox_of
from agent.loop.trial_session import LeftOpen, TrialContext, TrialSession
from agent.loop.turn_limits import BudgetLimits
from agent.loop.turn_loop import LoopSettings, ModelRetry
