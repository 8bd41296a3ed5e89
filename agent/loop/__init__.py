"""The cited loop: prompt, turn, feedback, budget; and the rerun of recorded scripts."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.loop.cited_loop import CitedLoop
    from agent.loop.initial_prompt import InitialPromptLimits, preview_turn_one, system_prompt
    from agent.loop.prompt_texts import PromptError, Prompts, default_prompts, read_hints, read_prompts
    from agent.loop.script_runs import Recording, RerunSettings, rerun, run_again
    from agent.loop.trial_session import LeftOpen, ResumeState, TrialContext, TrialSession
    from agent.loop.turn_limits import BudgetLimits
    from agent.loop.turn_loop import LoopSettings

_HOMES = {
    "turn_limits": ("BudgetLimits",),
    "cited_loop": ("CitedLoop",),
    "turn_loop": ("LoopSettings",),
    "initial_prompt": ("InitialPromptLimits", "preview_turn_one", "system_prompt"),
    "prompt_texts": ("PromptError", "Prompts", "default_prompts", "read_hints", "read_prompts"),
    "script_runs": ("Recording", "RerunSettings", "rerun", "run_again"),
    "trial_session": ("LeftOpen", "ResumeState", "TrialContext", "TrialSession"),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that nobody waits for what is not needed."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
