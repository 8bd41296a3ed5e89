"""A question about files, as the user asks it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from controlplane.questions.scope import QuestionScope

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class Question:
    """A question with everything that determines its run."""

    text: str
    scope: QuestionScope
    settings: Mapping[str, object] = field(default_factory=dict)
    """The settings that the user gave."""
    limits: Mapping[str, str] = field(default_factory=dict)
    """Options of the benchmark that limit its sources."""
    before: Path | None = None
    """The journal of the previous question of the conversation; None for the first question."""
