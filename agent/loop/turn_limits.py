"""Conditions that end a trial: its budget, its model's context, repetition, and unusable replies in a row."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Final, TypedDict

from agent.events import Judged
from agent.loop.prompt_texts import Prompts, default_prompts
from agent.model.model_protocol import TOOL_NAME, ReplyMode, Tool
from agent.reply import FAULT_TEXTS, PROSE, SCHEMA
from sandbox import Ending


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """The limits of one trial. Defaults are the design's."""

    max_steps: int = 35
    """Steps before the nudge."""
    extra_steps: int = 5
    """Steps after the nudge."""
    warn_before: int = 5
    """Steps before the end at which the warning comes."""
    script_refunds: int = 3
    """Scripts with a syntax error or a refusal of the language layer that cost no step."""
    reply_refunds: int = 2
    """Unusable replies that cost no step."""
    unusable_replies: int = 10
    """Unusable replies in a row, after which the trial ends."""
    prose_replies: int = 10
    """Unusable replies in a row, after which the trial ends if the last one is prose."""
    same_refusals: int = 5
    """Times in a row that the same script may be refused, or the same submission sent back; then the trial ends."""
    same_scripts: int = 5
    """Times in a row that the same script may run with the same output; then the trial ends. 0: without a limit."""
    trial_time_s: float = 900.0
    """Wall-clock seconds of the whole trial."""


@dataclass(slots=True)
class Budget:
    """The part of its limits that one trial has spent."""

    limits: BudgetLimits
    spent: int = 0
    script_refunds: int = 0
    reply_refunds: int = 0
    started: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> int:
        """Steps left, those after the nudge included."""
        return self.limits.max_steps + self.limits.extra_steps - self.spent

    @property
    def exhausted(self) -> str:
        """Return the reason why nothing is left, or an empty string."""
        if self.left <= 0:
            added = f", and {self.limits.extra_steps} more after the nudge" * bool(self.limits.extra_steps)
            return f"no answer within {self.limits.max_steps} step{'s' * (self.limits.max_steps != 1)}{added}"
        if self.seconds_left <= 0:
            return f"no answer within {self.limits.trial_time_s:g} s"
        return ""

    @property
    def seconds_left(self) -> float:
        """Wall-clock seconds left of the trial."""
        return self.limits.trial_time_s - (time.monotonic() - self.started)

    def spend(self, *, script_refused: bool = False, reply_unusable: bool = False) -> bool:
        """Count one step, or one refund if the step earns one and one is left; return whether it was refunded."""
        if script_refused and self.script_refunds < self.limits.script_refunds:
            self.script_refunds += 1
        elif reply_unusable and self.reply_refunds < self.limits.reply_refunds:
            self.reply_refunds += 1
        else:
            self.spent += 1
            return False
        return True

    def notice(self) -> str:
        """Return the name of the prompt to add to the next message: `warning`, `nudge`, or an empty string."""
        if self.spent == self.limits.max_steps - (not self.limits.extra_steps) and self.spent > 0:
            return "nudge"
        if self.spent == self.limits.max_steps - self.limits.warn_before and self.spent > 0:
            return "warning"
        return ""


@dataclass(slots=True)
class ContextMeter:
    """The size of one trial's conversation compared with its model's context."""

    limit: int | None = None
    """Tokens of the context; None if they are unknown."""
    _: KW_ONLY
    prompts: Prompts = field(default_factory=default_prompts)
    """The texts sent to the model."""
    _chars: int = 0
    _tokens: int = 0
    """Tokens of the last request and its reply, as the endpoint counted them."""
    _counted_chars: int = 0
    """Characters of the conversation at that time."""
    _chars_per_token: float = 3.0
    """An estimate until the endpoint has counted a request; documents have more."""

    def add(self, text: str) -> None:
        """Count a message of the conversation."""
        self._chars += len(text)

    def count_request(self, prompt_tokens: int, completion_tokens: int, reply: str) -> None:
        """Note the endpoint's count of the conversation so far, to which `reply` is added next."""
        if prompt_tokens:
            self._chars_per_token = max(self._chars / prompt_tokens, 1.0)
            self._tokens, self._counted_chars = prompt_tokens + completion_tokens, self._chars + len(reply)

    def tokens(self, further: str = "") -> int:
        """Return the tokens of the conversation with a `further` message; partly estimated."""
        return self._tokens + round((self._chars + len(further) - self._counted_chars) / self._chars_per_token)

    @property
    def exhausted(self) -> str:
        """The reason why the model cannot be asked again, or an empty string: a reply takes 5 % of the context."""
        if self.limit is None or self.tokens() <= self.limit * 0.95:
            return ""
        msg = f"no answer within the model's context of {self.limit:,} tokens (--max-context-tokens)"
        if not self._tokens:
            msg += f": the first request has about {self.tokens():,}; lower --initial-prompt-chars"
        return msg

    def notice(self, message: str) -> tuple[str, ...]:
        """Return the texts to add to the next `message` if a quarter of the context is left, or less."""
        if self.limit is None or self.tokens(message) < self.limit * 0.75:
            return ()
        left = max(self.limit - self.tokens(message), 0)
        return (self.prompts.filled("context", tokens=f"{left // 100 * 100:,}"),)


@dataclass(slots=True)
class _Row:
    """How often the same thing came in a row. Nothing interrupts the row."""

    times: int = 0
    _last: object = None

    def count(self, thing: object) -> int:
        """Count a thing; return how often it came."""
        self.times = (self.times + 1 if thing == self._last else 1) if thing else 0
        self._last = thing
        return self.times


@dataclass(slots=True)
class Repetition:
    """Counts, at most once a step, how often in a row the same script was refused or ran without new output, and the
    same submission was sent back."""

    most: int
    most_runs: int = 0
    """Max runs of the same script with the same output; 0: without a limit."""
    _refusals: _Row = field(default_factory=_Row)
    _runs: _Row = field(default_factory=_Row)
    _submissions: _Row = field(default_factory=_Row)
    _sent_back_by: str = ""

    def count_turn(self, code: str, ending: str, submissions: list[Judged]) -> None:
        """Take a step into account. A step without a submission does not interrupt a row of submissions."""
        self._refusals.count(code if ending in (Ending.SYNTAX, Ending.REFUSED) else "")
        if submissions:
            last = submissions[-1]
            self._submissions.count(() if last.accepted else (last.answer, last.outcome, last.refs, last.message))
            self._sent_back_by = ", ".join(
                f"gate {one.gate} ({one.name})" if one.gate else one.name for one in last.rejections
            )

    def count_run(self, code: str, output: str) -> tuple[str, ...]:
        """Take the run of a script into account; return what to tell the model if it goes round in circles."""
        if self._runs.count((code, output)) != 3:
            return ()
        return ("<note>\nThis script ran 3 times in a row with the same output: do something else.\n</note>\n",)

    @property
    def last_word(self) -> str:
        """The gates that sent the latest submission back, in words."""
        if not self._sent_back_by:
            return "nothing was submitted"
        return f"the last submission was sent back by {self._sent_back_by}"

    @property
    def reason(self) -> str:
        """The reason why the trial is given up, or an empty string."""
        refusals, runs, submissions = self._refusals.times, self._runs.times, self._submissions.times
        if refusals >= self.most:
            return f"the model wrote the same script {refusals} times in a row, each time refused before it ran"
        if 0 < self.most_runs <= runs:
            return f"the model ran the same script {runs} times in a row, each time with the same output"
        if submissions >= self.most:
            row = f"{submissions} times in a row"
            return f"the model submitted the same answer {row}, each time sent back by {self._sent_back_by}"
        return ""


class Form(TypedDict, total=False):
    """The arguments of `Model.complete` that ask for an action in some form."""

    schema: Mapping[str, object] | None
    tools: tuple[Tool, ...]
    tool_choice: str


_FORMS: Final[Mapping[ReplyMode | None, Form]] = {
    None: {"schema": SCHEMA},
    ReplyMode.TOOL: {
        "schema": SCHEMA,
        "tools": (Tool(name=TOOL_NAME, description="Run one Python script.", parameters=SCHEMA),),
        "tool_choice": TOOL_NAME,
    },
    ReplyMode.JSON: {"schema": {}},
    ReplyMode.TEXT: {"schema": None},
}


@dataclass(slots=True)
class UnusableStreak:
    """The unusable replies since the last usable one."""

    switches: bool = True
    """True if the reply mode may change; False if the user chose one."""
    limits: BudgetLimits = field(default_factory=BudgetLimits)
    mode: ReplyMode | None = None
    """The mode to ask in; None for the endpoint's own choice."""
    _replies: int = 0
    _faults: Counter[str] = field(default_factory=Counter)
    """The faults in the streak, counted by their descriptions."""
    _same: _Row = field(default_factory=_Row)
    _is_prose: bool = False

    @property
    def form(self) -> Form:
        """The form of the next request."""
        return _FORMS[self.mode]

    @property
    def reason(self) -> str:
        """The reason why the trial is given up after too many unusable replies, or an empty string."""
        most = self.limits.prose_replies if self._is_prose else self.limits.unusable_replies
        return self.cause if self._faults.total() >= most else ""

    @property
    def cause(self) -> str:
        """The fault of the latest replies, or an empty string if the last one was usable."""
        row = self._faults.total()
        if not row:
            return ""
        last = "the last reply" if row == 1 else f"each of the last {row} replies"
        which = "every reply" if row == self._replies else last
        if len(self._faults) == 1:
            return f"{which} {next(iter(self._faults))}"
        causes = ", ".join(f"{times} {text}" for text, times in self._faults.most_common())
        return f"{which} was unusable: {causes}"

    def count_reply(self, fault: str, asked_in: str) -> str:
        """Count a reply: its fault, empty for a usable one, and the mode that it was asked in, empty if it has none.

        Return the mode to use from here on if it changes after three replies with the same fault, else an empty string.
        """
        self._replies += 1
        same = self._same.count(fault)
        self._is_prose = fault in PROSE
        if not fault:
            self._faults.clear()
            return ""
        self._faults[FAULT_TEXTS.get(fault, "was unusable")] += 1
        ladder = [ReplyMode.SCHEMA, ReplyMode.TOOL, ReplyMode.JSON, ReplyMode.TEXT]
        if not self.switches or same < 3 or asked_in not in ladder[:-1]:
            return ""
        self.mode, self._same = ladder[ladder.index(ReplyMode(asked_in)) + 1], _Row()
        return str(self.mode)
