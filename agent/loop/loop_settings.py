"""The settings of a solver that every trial of a run shares, beside the limits of trials.

For example, a first message has at most 120,000 characters of documents.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.loop.prompt_files import Prompts, default_prompts
from controlplane.sandbox import ALL_LAYERS, Layer, Limits


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """Settings that every trial of a run shares."""

    initial_prompt_chars: int = 120_000
    """Max characters of documents and listings in the initial prompt."""
    limits: Limits = field(default_factory=Limits)
    """What one script may use: its time, its memory and its output."""
    isolation: frozenset[Layer] = ALL_LAYERS
    """The layers that keep scripts apart from the machine, such as a process without rights."""
    switches_reply_mode: bool = True
    """True if the model may be asked in another reply mode (JSON,
    tool call or text) after three replies with the same fault."""
    replies_in_fences: bool = False
    """True if the model is asked for scripts in ```python fences instead of JSON, from
    the start. It is not asked in another reply mode then."""
    prompts: Prompts = field(default_factory=default_prompts)
    """The texts sent to the model."""
