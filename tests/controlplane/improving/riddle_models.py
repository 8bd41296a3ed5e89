"""The two models of a loop of `improve` over riddles, which one endpoint serves.

    with model_server(RiddleModels()) as server:

One model plays riddles. It finds an answer if its hints solve the riddle, and otherwise answers
"unknown". The other model, "big", proposes better hints.
"""

import hashlib
import json
import re
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from controlplane.improving.loop_record import LoopRecord
from tests.support.command import CommandResult, run_in_process, start_controlplane
from tests.support.phonebook_model import (
    ModelHttpRequest,
    ModelServer,
    Responder,
    completion_json,
    http_response,
    model_server,
)
from tests.support.product_files import ROOT

# The command `improve`, by which a big model rewrites the hints of a small one that solves riddles.
#
# The small model plays riddles, each made from the number of a *world*, with the text of `hints.txt` in
# its prompt. The big model, the proposer, sees failed trials, and proposes another text for the file.

PLAYER = "small"
"""The model that solves riddles."""

PROPOSER = "big"
"""The model that proposes hints."""

WORLD_OPTIONS = ("--train", "1-11", "--check", "101-106", "--final", "201-212")
"""The proposer sees trials in the worlds 1 to 11. The best hints are those with the best scores in the
worlds 101 to 106. Scores in the worlds 201 to 212 prove that these hints are better than the old ones."""

CHECK_WORLDS = range(101, 107)

FINAL_WORLDS = range(201, 213)


def improve_command(
    *options: str,
    proposer: str = PROPOSER,
    edited_file: str = "hints.txt",
    parts: tuple[str, ...] = WORLD_OPTIONS,
) -> list[str]:
    """Return the words of a command such as `improve --benchmark ... --with big --train 1-11`.

    It makes at most 12 proposals, and shows 4 failed trials to the proposer for each.
    """
    return [
        "improve",
        "--benchmark",
        "tests.controlplane.improving.riddles",
        "--model",
        PLAYER,
        "--reply-mode",
        "text",
        "--hints",
        "hints.txt",
        "--edit",
        edited_file,
        "--with",
        proposer,
        *parts,
        "--proposals",
        "12",
        "--batch",
        "4",
        *options,
    ]


# Six kinds of riddles, of which most are solved only with the right hints.
#
# For example:
#
#     alder = RiddleKind("alder", needed="Read the record twice.")
#     alder.is_solved_with("Solve the riddle. Read the record twice.")  # True


@dataclass(frozen=True)
class RiddleKind:
    """A kind of riddles, with one task: `alder.1`."""

    name: str
    needed: str = ""
    """A sentence that the hints must have, if it is not empty."""
    forbidden: str = ""
    """A sentence that the hints must not have, if it is not empty."""

    def is_solved_with(self, hints: str) -> bool:
        """Return True if a player with these hints solves the riddles of this kind."""
        if self.forbidden and self.forbidden in hints:
            return False
        return self.needed in hints

    def mended(self, hints: str) -> str:
        """Return hints with which riddles of this kind are solved.

        `alder.mended("Solve it.")` -> "Solve it.\\nRead the record twice.\\n"
        """
        if self.forbidden:
            return hints.replace(self.forbidden, "") + "\n"
        if self.needed:
            return f"{hints}\n{self.needed}\n"
        # Any hints will do for this kind, so a remark is added that changes nothing.
        return f"{hints}\nThink of {self.name} again.\n"


KINDS = (
    RiddleKind("alder", needed="Read the record twice."),
    RiddleKind("birch", needed="Name the code alone."),
    RiddleKind("cedar", needed="Keep the letter case."),
    RiddleKind("dogwood", forbidden="Answer before you look."),
    RiddleKind("elm", forbidden="Shorten every code."),
    RiddleKind("fir"),
)

KINDS_BY_NAME = {kind.name: kind for kind in KINDS}


# The hints that the proposer of a loop over riddles replies with.
#
#     message = '''# hints.txt
#     Solve the riddle.
#     # Trials
#     ## alder.1: score 0.00
#     AL-477
#     '''
#     better_hints(message)      # "Solve the riddle.\nRead the record twice.\n"
#     copying_hints(message)     # "Solve the riddle.\nThe id is AL-477.\n"
#
# The message to the proposer has the present hints, and trials of riddles with what their scripts
# printed: the id in the riddle's record, such as AL-477. All ids end with 77.


def better_hints(message: str) -> str:
    """Return the present hints, changed so that they solve the first riddle that failed."""
    hints, trials = hints_and_trials(message)
    failed_kinds = re.findall(r"## (\w+)\.1: score 0\.00", trials)
    if not failed_kinds:
        return f"{hints}\nGood luck.\n"
    return KINDS_BY_NAME[failed_kinds[0]].mended(hints)


def copying_hints(message: str) -> str | None:
    """Return hints that copy an id from a trial, or None if there is no id in the trials.

    `improve` refuses such hints, as the id is right in one world only.
    """
    hints, trials = hints_and_trials(message)
    record_id = re.search(r"^[A-Z]{2}-\d+77$", trials, re.MULTILINE)
    return f"{hints}\nThe id is {record_id[0]}.\n" if record_id else None


def was_refused(message: str) -> bool:
    """Return whether the message says that an earlier proposal was refused."""
    _, trials = hints_and_trials(message)
    return "refused" in trials


def hints_and_trials(message: str) -> tuple[str, str]:
    """Return two parts of a message: `("Solve the riddle.", "## alder.1: score 0.00\\n...")`."""
    files, _, trials = message.partition("\n# Trials\n")
    _, _, hints = files.partition("# hints.txt\n")
    return hints.strip("\n"), trials


# Loops of `improve` over riddles, whose right hints are known.
#
#     run = loop.improve("--json")
#     assert run.json["is_better"]
#
# There are riddles of six kinds, which a model solves by its hints (see `KINDS`). Another
# model, the proposer, mends the hints.


@dataclass(frozen=True)
class RiddleLoop:
    """A folder in which a loop edits the file `hints.txt`, and the server of its models."""

    folder: Path
    server: ModelServer

    def improve(
        self,
        *options: str,
        proposer: str = PROPOSER,
        edited_file: str = "hints.txt",
        parts: tuple[str, ...] = WORLD_OPTIONS,
    ) -> CommandResult:
        """Run the loop to its end. `parts` are options such as `("--train", "1-11", ...)`."""
        files = {"proposer": proposer, "edited_file": edited_file}
        return self.command(*improve_command(*options, **files, parts=parts))

    def command(self, *words: str) -> CommandResult:
        """Run any command in the folder: `loop.command("resume", "last")`."""
        return run_in_process(*words, cwd=self.folder, **self._environment)

    def start_command(self, *words: str) -> subprocess.Popen[str]:
        """Start any command as a process of its own, which a test may stop."""
        return start_controlplane(*words, cwd=self.folder, **self._environment)

    @property
    def _environment(self) -> dict[str, str]:
        return {
            "OPENAI_BASE_URL": self.server.url,
            "OPENAI_API_KEY": "none",
            "PYTHONPATH": str(ROOT),
        }

    @property
    def record(self) -> LoopRecord:
        """What the only loop in the folder has recorded: its plan, its proposals, its result."""
        (path,) = (self.folder / "runs").glob("*/loop.jsonl")
        return LoopRecord(path.parent)

    def requests_to(self, model: str) -> list[ModelHttpRequest]:
        """Return the requests so far that were for one of the two models."""
        requests = self.server.asked
        return [request for request in requests if request.body["model"] == model]


# How a player of riddles does, which the model of a loop asks for each riddle.
#
#     solved_by_hints("Read the record twice.", "Riddle of the kind alder, number 7: ...")    ->    True
#
# A player solves riddles by its hints, or by chance.

IsSolved = Callable[[str, str], bool]
"""Tells from the hints and the riddle's text whether a player solves it."""


def solved_by_hints(hints: str, riddle: str) -> bool:
    """`solved_by_hints("Read the record twice.", "Riddle of the kind alder, ...")` -> True"""
    kind = re.findall(r"kind (\w+), number", riddle)[-1]
    return KINDS_BY_NAME[kind].is_solved_with(hints)


def solved_by_chance(hints: str, riddle: str) -> bool:
    """Return True for half of all hints and riddles, but always the same for equal ones."""
    digest = hashlib.sha256((hints + riddle).encode()).digest()
    return digest[0] < 128


# Replies of a model that is asked to solve a riddle: a right one and a wrong one.
#
# A riddle is solved by the id of its record. A reply is a JSON object with a Python script, its
# `code`, which submits an answer:
#
#     solving_reply()    ->    '{..., "code": "... scratchpad['answer'] = record['id'] ..."}'


def solving_reply() -> str:
    """Return a reply whose script answers with the id of the record."""
    return reply_with("record['id']")


def failing_reply() -> str:
    """Return a reply whose script answers "unknown"."""
    return reply_with("'unknown'")


def reply_with(answer: str) -> str:
    """Return a reply whose script prints the record's id, and submits this Python expression."""
    script = (
        "import json\n"
        "record = json.loads(harness.look().content)\n"
        "print(record['id'])\n"
        f"scratchpad['answer'] = {answer}\n"
        "scratchpad['outcome'] = 'OUTCOME_OK'\n"
        "harness.answer(scratchpad, lambda sp: bool(sp['answer']))"
    )
    # Besides the code, a reply says what the model sees, what it will do next, and that it is done.
    return json.dumps({"state": "looks", "plan": [], "done": True, "code": script})


# A loop of `improve` over riddles, with its first hints in a file and a server of its models.
#
#     with riddle_loop_in(folder, RiddleModels()) as loop:
#         loop.improve("--json")
#
# The hints have two sentences that harm, and lack three that help.

FIRST_HINTS = "Solve the riddle.\nAnswer before you look.\nShorten every code.\n"
"""The hints before the loop. They have the sentences that dogwood and elm must not have, and lack those
that alder, birch and cedar need."""


@contextmanager
def riddle_loop_in(folder: Path, models: Responder) -> Iterator[RiddleLoop]:
    """Write the first hints into a folder, and serve the models of its loop for the block."""
    (folder / "hints.txt").write_text(FIRST_HINTS, encoding="utf-8")
    with model_server(models) as server:
        yield RiddleLoop(folder, server)


LOOK_AGAIN = "Look at the record again."
"""What a rule of the user says when it sends an answer back. The player then solves the riddle."""


@dataclass
class RiddleModels:
    """Responds to the requests to both models."""

    is_solved: IsSolved = solved_by_hints
    copies_id: bool = True
    """True if the proposer cheats until it is refused: its hints have an id that it has seen."""

    def __call__(self, request: ModelHttpRequest, connection: socket.socket) -> bytes:
        messages = request.body["messages"]
        assert isinstance(messages, list)
        contents = [str(message["content"]) for message in messages]
        if request.body["model"] == "big":
            reply = self._reply_of_proposer(contents)
        else:
            reply = self._reply_of_player(contents)
        return http_response(200, completion_json(reply))

    def _reply_of_player(self, contents: list[str]) -> str:
        """Return a script. The first message has the hints, the last may send an answer back."""
        system_message, riddle, *_ = contents
        if LOOK_AGAIN in contents[-1] or self.is_solved(system_message, riddle):
            return solving_reply()
        return failing_reply()

    def _reply_of_proposer(self, contents: list[str]) -> str:
        """Return new hints. The user message has the present ones, and riddles that failed."""
        _system_message, user_message, *_ = contents
        if self.copies_id and not was_refused(user_message):
            return copying_hints(user_message) or better_hints(user_message)
        return better_hints(user_message)
