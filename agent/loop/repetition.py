"""Notices a trial that does the same refused thing again and again."""

from __future__ import annotations

from dataclasses import dataclass

from agent.events.call_records import Judged
from sandbox import Ending

_REFUSED = frozenset({Ending.SYNTAX.value, Ending.REFUSED.value})


@dataclass(slots=True)
class Repetition:
    """How often in a row the same script was refused, or the same submission sent back: once a step at most."""

    most: int
    _code: str = ""
    _scripts: int = 0
    _submission: tuple[object, ...] = ()
    _submissions: int = 0
    _sent_back_by: str = ""

    def note(self, code: str, ending: str, submissions: list[Judged]) -> None:
        """Take a step into account. One without a submission does not interrupt a row of submissions."""
        refused = code if ending in _REFUSED else ""
        self._scripts = self._scripts + 1 if refused and refused == self._code else int(bool(refused))
        self._code = refused
        if not submissions:
            return
        last = submissions[-1]
        same = () if last.accepted else (last.answer, last.outcome, last.refs, last.message)
        self._submissions = self._submissions + 1 if same and same == self._submission else int(bool(same))
        self._submission = same
        self._sent_back_by = ", ".join(
            f"gate {one.gate} ({one.name})" if one.gate else one.name for one in last.rejections
        )

    @property
    def last_word(self) -> str:
        """What came of the latest submission of a trial that has no answer."""
        if not self._sent_back_by:
            return "nothing was submitted"
        return f"the last submission was sent back by {self._sent_back_by}"

    @property
    def reason(self) -> str:
        """Why nothing more is to be expected, or an empty string."""
        if self._scripts >= self.most:
            return f"the model wrote the same script {self._scripts} times in a row, each time refused before it ran"
        if self._submissions >= self.most:
            row = f"{self._submissions} times in a row"
            return f"the model submitted the same answer {row}, each time sent back by {self._sent_back_by}"
        return ""
