"""The cited loop: prompt, turn, feedback, budget; and the rerun of recorded scripts."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.loop.budget import BudgetLimits as BudgetLimits
    from agent.loop.cited_loop import CitedLoop as CitedLoop
    from agent.loop.cited_loop import LoopSettings as LoopSettings
    from agent.loop.initial_prompt import InitialPromptLimits as InitialPromptLimits
    from agent.loop.prompt_texts import PromptError as PromptError
    from agent.loop.prompt_texts import check_prompts as check_prompts
    from agent.loop.prompt_texts import prompts_digest as prompts_digest
    from agent.loop.script_rerun import Recording as Recording
    from agent.loop.script_rerun import RerunSettings as RerunSettings
    from agent.loop.script_rerun import rerun as rerun
    from agent.loop.script_rerun import run_again as run_again
    from agent.loop.trial_context import LeftOpen as LeftOpen
    from agent.loop.trial_context import ResumeState as ResumeState
    from agent.loop.trial_context import TrialContext as TrialContext
    from agent.loop.trial_session import TrialSession as TrialSession

_HOMES = {
    "trial_session": ("TrialSession",),
    "budget": ("BudgetLimits",),
    "cited_loop": (
        "CitedLoop",
        "LoopSettings",
    ),
    "initial_prompt": ("InitialPromptLimits",),
    "prompt_texts": (
        "PromptError",
        "check_prompts",
        "prompts_digest",
    ),
    "script_rerun": (
        "Recording",
        "RerunSettings",
        "rerun",
        "run_again",
    ),
    "trial_context": (
        "LeftOpen",
        "ResumeState",
        "TrialContext",
    ),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that nobody waits for what is not needed."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
