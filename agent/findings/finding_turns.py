"""Computes findings in a trial's aide, in turns with the calls that they ask for, and orders answers by them.

A function is restarted whenever results arrive: it is a pure function of its arguments and of what it read.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from sandbox.interface import CallError, Plain, error_codes
from toolkit import CannotRead, Finding

if TYPE_CHECKING:
    from sandbox import Aide  # An aide's process imports this module, and needs no side of the parent.

_EVERY_FILE: Final = "*"


class Unread(Exception):
    """A call failed or was refused. `code` is the code of the failure, such as `not_found`."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class ReadCall:
    """One call that a function asks for."""

    operation: str
    arguments: Mapping[str, Any]

    @cached_property
    def key(self) -> str:
        """The text that all equal calls share."""
        return repr((self.operation, sorted(self.arguments.items())))


class Unanswered(BaseException):
    """Ends a function that asked for a result that is not there yet; no function catches it."""

    def __init__(self, calls: Sequence[ReadCall]) -> None:
        super().__init__("calls without an answer")
        self.calls = calls


Outcomes: TypeAlias = Mapping[str, Mapping[str, Any] | Unread]
AskListing: TypeAlias = Callable[[str, Mapping[str, Any]], Mapping[str, Any] | None]
"""Makes a call and returns its result; None if the result is too large."""


@dataclass(frozen=True, slots=True)
class WorkspaceReader:
    """Reads files, listings and tools. Every method raises `CannotRead` if a call fails or its result is cut off."""

    answers: Outcomes
    """The known outcomes of calls, by the key of the call."""
    tools: Mapping[str, str] = field(default_factory=dict)
    """Short descriptions of the environment's declared tools, by path."""
    expected: dict[str, ReadCall] = field(default_factory=dict)
    """Calls that go along with the next ones that are asked for, by their keys."""

    def expect(self, paths: Iterable[str] = (), searches: Iterable[tuple[str, str]] = ()) -> None:
        """Say which files will be needed, and which searches for a pattern below a folder, so that all are made side by
        side."""
        calls = [ReadCall("read", {"path": path}) for path in paths]
        calls += [_search(pattern, root) for pattern, root in searches]
        self.expected.update({call.key: call for call in calls if call.key not in self.answers})

    def paths(self, root: str = "/") -> Sequence[str]:
        """Return every file below a folder: from `find` or, if its result is cut off, from a tree or its parts."""
        call = ReadCall("find", {"name": _EVERY_FILE, "root": root, "kind": "files", "limit": 0})
        result = self._result(call)
        if not result.get("truncated"):
            return tuple(str(path) for path in result["paths"])
        tree = self._listing("tree", {"root": root, "level": 0}) or tree_in_parts(self._listing, root)
        return tuple(_files(tree, root.rstrip("/")))

    def find(self, name: str, root: str = "/") -> Sequence[str]:
        """Return the files below a folder whose names fit a glob."""
        call = ReadCall("find", {"name": name, "root": root, "kind": "files", "limit": 0})
        return tuple(str(path) for path in _whole(self._result(call), f"find {name}")["paths"])

    def search(self, pattern: str, root: str = "/") -> Sequence[tuple[str, str]]:
        """Return path and text of each line below a folder that a regular expression matches."""
        matches = _whole(self._result(_search(pattern, root)), f"search {pattern}")["matches"]
        return tuple((str(match["path"]), str(match["text"])) for match in matches)

    def read(self, path: str) -> str:
        """Return a file's text. Raises `LookupError` if there is none."""
        return self.read_all([path])[0]

    def read_all(self, paths: Sequence[str]) -> list[str]:
        """Return the texts of several files, which are read side by side; a long one is continued where it was cut off.

        Raises `LookupError` if one is missing.
        """
        texts = ["" for _ in paths]
        cut = list(range(len(paths)))
        while cut:
            starts = [{"start_line": texts[at].count("\n") + 1} if texts[at] else {} for at in cut]
            calls = [ReadCall("read", {"path": paths[at], **start}) for at, start in zip(cut, starts, strict=True)]
            try:
                parts = self._results(calls)
            except Unread as error:
                if error.code == error_codes.NOT_FOUND:
                    raise LookupError(str(error)) from None
                raise CannotRead(str(error)) from None
            for at, part in zip(cut, parts, strict=True):
                texts[at] += str(part["content"])
                if part.get("truncated") and not str(part["content"]).endswith("\n"):
                    msg = f"read {paths[at]}: what came back is cut off"
                    raise CannotRead(msg)
            cut = [at for at, part in zip(cut, parts, strict=True) if part.get("truncated")]
        return texts

    def run(self, tool: str, *words: str, stdin: str = "") -> str:
        """Return the output of a tool that only reads. An exit code other than 0 is a failure."""
        result = self._result(ReadCall("exec", {"path": tool, "args": list(words), "stdin": stdin}))
        if result["exit_code"] != 0:
            msg = f"{tool} ended with exit code {result['exit_code']}"
            raise CannotRead(msg)
        return str(result["stdout"])

    def _result(self, call: ReadCall) -> Mapping[str, Any]:
        try:
            return self._results([call])[0]
        except Unread as error:
            raise CannotRead(str(error)) from None

    def _listing(self, operation: str, arguments: Mapping[str, Any]) -> Mapping[str, Any] | None:
        try:
            return self._results([ReadCall(operation, arguments)])[0]
        except Unread as error:
            if error.code == error_codes.RESOURCE_EXHAUSTED:
                return None
            raise CannotRead(str(error)) from None

    def _results(self, calls: Sequence[ReadCall]) -> list[Mapping[str, Any]]:
        """Return the results of calls that only read, in their order. Raises `Unread` and `Unanswered`."""
        missing = [call for call in calls if call.key not in self.answers]
        if missing:
            raise Unanswered(missing)
        results: list[Mapping[str, Any]] = []
        for outcome in (self.answers[call.key] for call in calls):
            if isinstance(outcome, Unread):
                raise Unread(str(outcome), outcome.code)
            results.append(outcome)
        return results


def _search(pattern: str, root: str) -> ReadCall:
    return ReadCall("search", {"pattern": pattern, "root": root, "limit": 0})


def tree_in_parts(ask: AskListing, path: str) -> dict[str, Any]:
    """Return the tree below a folder that is too large for one call, from its list and the trees of its folders.

    A folder that is too large even for a list has None as its children.
    """
    listing = ask("list", {"path": path})
    children = listing and [
        (ask("tree", {"root": entry["path"], "level": 0}) or tree_in_parts(ask, entry["path"]))
        if entry["is_dir"]
        else {"name": entry["name"], "is_dir": False}
        for entry in listing["entries"]
    ]
    return {"name": path.rstrip("/").rsplit("/", 1)[-1] or "/", "is_dir": True, "children": children}


def _whole(result: Mapping[str, Any], what: str) -> Mapping[str, Any]:
    if result.get("truncated"):
        msg = f"{what}: what came back is cut off"
        raise CannotRead(msg)
    return result


def _files(node: Mapping[str, Any], path: str) -> Iterator[str]:
    if node.get("children", ()) is None:
        msg = f"{path} holds too many files for one listing: use harness.find('a*', root='{path}', limit=0) by hand"
        raise CannotRead(msg)
    for child in node.get("children") or ():
        below = f"{path}/{child['name']}"
        if child.get("is_dir"):
            yield from _files(child, below)
        else:
            yield below


class Computation:
    """One call of a function, and the outcomes that it has so far."""

    def __init__(self, function: str, arguments: Mapping[str, Any], tools: Mapping[str, str]) -> None:
        """`function` is `module:name`; `tools` says by path what the declared tools do."""
        module, _, name = function.partition(":")
        self._function: Callable[..., Finding[Any]] = getattr(import_module(module), name)
        self._arguments = dict(arguments)
        self._answers: dict[str, Mapping[str, Any] | Unread] = {}
        self._reader = WorkspaceReader(self._answers, dict(tools))
        """The same for all turns, so that a function may keep what it has learned from earlier ones."""

    def turn(self, answers: list[Any]) -> list[Plain]:
        """Take the outcomes of the requested calls; return the finding or further calls, and CPU seconds.

        The reply is `["found", finding, seconds]` or `["asks", [[operation, arguments], ...], seconds]`. Raises
        `CallError` `failed_precondition` if the function cannot read what it needs.
        """
        began = time.process_time()
        for operation, arguments, result, failure in answers:
            code, message = failure or ("", "")
            self._answers[ReadCall(operation, arguments).key] = Unread(message, code) if failure else result
        try:
            result = self._function(self._reader, **self._arguments)
        except Unanswered as unanswered:
            wanted = {call.key: call for call in unanswered.calls} | self._reader.expected
            self._reader.expected.clear()
            calls: list[Plain] = [[call.operation, dict(call.arguments)] for call in wanted.values()]
            return ["asks", calls, time.process_time() - began]
        except CannotRead as error:
            raise CallError(error_codes.FAILED_PRECONDITION, str(error)) from None
        refs: list[Plain] = [{"path": reference.path, "reason": reference.reason} for reference in result.refs]
        finding: Plain = {"value": result.value, "refs": refs, "notes": list(result.notes)}
        return ["found", finding, time.process_time() - began]


_current: Final[list[Computation]] = []
"""The computation that was begun last, if there is one."""


def begin(function: str, arguments: dict[str, Any], tools: dict[str, str], answers: list[Any]) -> list[Plain]:
    """Begin to compute a finding and take its first turn, with the outcomes of calls that were made before."""
    _current[:] = [Computation(function, arguments, tools)]
    return _current[0].turn(answers)


def go_on(answers: list[Any]) -> list[Plain]:
    """Take the next turn of the finding that was begun."""
    if not _current:
        raise CallError(error_codes.INTERNAL, "the process that computed the finding has ended")
    return _current[0].turn(answers)


def forget_trial() -> None:
    """Drop the computation that was begun last."""
    _current.clear()


FINDING_MODULE: Final = "agent.findings.finding_turns"
"""The module that an aide must have imported."""
TIMED_OUT: Final = 124
"""The exit code of a tool that timed out, as `timeout(1)` has it."""
Asked: TypeAlias = tuple[str, dict[str, Any]]
"""An operation and its arguments."""
Outcome: TypeAlias = "Mapping[str, Plain] | CallError"
Ask: TypeAlias = Callable[[Sequence[Asked]], list[Outcome]]
"""Makes calls and returns the outcome of each, in their order."""


_MOST_CALLS: Final = 300
"""Calls that one function may make."""
_CPU_S: Final = 2.0
_WALL_S: Final = 60.0
"""Seconds that one finding may take, its calls included."""


def compute_finding(
    function: str,
    arguments: Mapping[str, Any],
    *,
    aide: Aide | None,
    ask: Ask,
    tools: Mapping[str, str] = MappingProxyType({}),
    answered: Sequence[tuple[Asked, Outcome]] = (),
) -> dict[str, Plain]:
    """Return a finding as the result of a call: `value`, `refs`, `notes`. `tools` says by path what each tool does.

    `answered` are calls that were made before, with their outcomes, so that the function need not ask for them.

    Raises `CallError`: `failed_precondition` if the function cannot read what it needs, `resource_exhausted` beyond the
    limits, `internal` if it fails.
    """
    deadline = time.monotonic() + _WALL_S
    take_turn = _turns_in(aide, function, dict(arguments), dict(tools))
    answers: list[Plain] = [_answer(call, outcome) for call, outcome in answered]
    used_s, calls = 0.0, 0
    while True:
        if time.monotonic() > deadline or used_s > _CPU_S:
            msg = f"the finding took more than {_CPU_S:g} s of CPU, or {_WALL_S:g} s"
            raise CallError(error_codes.RESOURCE_EXHAUSTED, msg)
        match take_turn(answers, _CPU_S - used_s):
            case ["found", {"value": value, "refs": list(refs), "notes": list(notes)}, float()]:
                return {"value": value, "refs": refs, "notes": notes}
            case ["asks", list(wanted), float(cpu_s)] if wanted and all(map(_is_asked, wanted)):
                used_s, calls = used_s + max(cpu_s, 0.0), calls + len(wanted)
                if calls > _MOST_CALLS:
                    msg = f"the finding needs more than {_MOST_CALLS} calls: read what it needs by hand"
                    raise CallError(error_codes.RESOURCE_EXHAUSTED, msg)
                questions = [(str(operation), dict(given)) for operation, given in wanted]
                outcomes, again = _asked_twice(questions, ask, _MOST_CALLS - calls)
                calls += again
                answers = [_answer(call, outcome) for call, outcome in zip(questions, outcomes, strict=True)]
            case _:
                msg = "the function returned no finding"
                raise CallError(error_codes.INTERNAL, msg)


def _turns_in(
    aide: Aide | None, function: str, arguments: dict[str, Any], tools: dict[str, str]
) -> Callable[[list[Plain], float], object]:
    """Return what takes a turn in an aide, or without one in this process."""
    if aide is None:
        computation = Computation(function, arguments, tools)
        return lambda answers, _: computation.turn(answers)
    turns = itertools.chain(["begin"], itertools.repeat("go_on"))

    def take_turn(answers: list[Plain], cpu_s: float) -> object:
        turn = next(turns)
        given = [function, arguments, tools] if turn == "begin" else []
        return aide.call(f"{FINDING_MODULE}:{turn}", *given, answers, cpu_s=cpu_s, keeps=True)

    return take_turn


def _asked_twice(questions: Sequence[Asked], ask: Ask, room: int) -> tuple[list[Outcome], int]:
    """Make calls, repeat those whose tool timed out if there is `room`, and return also how many were repeated."""
    outcomes = ask(questions)
    results = [{} if isinstance(outcome, CallError) else outcome for outcome in outcomes]
    late = [at for at, result in enumerate(results) if result.get("exit_code") == TIMED_OUT]
    if not late or len(late) > room:
        return outcomes, 0
    for at, outcome in zip(late, ask([questions[at] for at in late]), strict=True):
        outcomes[at] = outcome
    return outcomes, len(late)


def _is_asked(data: object) -> bool:
    match data:
        case [str(), dict()]:
            return True
    return False


def _answer(question: Asked, outcome: Outcome) -> Plain:
    if isinstance(outcome, CallError):
        return [*question, None, [str(outcome.code), str(outcome.message)]]
    return [*question, dict(outcome), None]


MakeCall: TypeAlias = Callable[[str, Mapping[str, Plain]], Mapping[str, Plain]]


class AnswerToOrder(NamedTuple):
    """An answer before its references are in order."""

    outcome: str
    message: str
    task_type: str
    documents: tuple[str, ...]
    records: tuple[str, ...]
    protected: bool = False


def reasons_of(finding: Mapping[str, Plain]) -> dict[str, str]:
    """Return the references of a finding: paths in their order, each with its reason."""
    refs = finding.get("refs")
    listed = [reference for reference in refs if isinstance(reference, dict)] if isinstance(refs, list) else []
    return {str(reference["path"]): str(reference["reason"]) for reference in listed}


def ordered_answer(
    call: MakeCall, check: str, request: str, answer: AnswerToOrder, findings: str = "[]", *, in_order: bool = True
) -> tuple[str, dict[str, str]] | None:
    """Return an answer's message, possibly from a finding, and its references with their reasons as the check has them;
    None if it cannot read what it needs. `findings` is the JSON list of what the trial found."""
    given = {**answer._asdict(), "documents": [*answer.documents], "records": [*answer.records]}
    try:
        reply = call(check, {"request": request, "answer": given, "findings": findings, "in_order": in_order})
    except CallError:
        return None
    match reply.get("value"):
        case {"message": str(message)}:
            return message, reasons_of(reply)
    return None
