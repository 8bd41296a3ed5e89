"""Measures the rule that holds calls whose arguments come from untrusted text, on public benchmarks.

    python -m tests.bench.provenance [--only NAME] [--limit N] [--show] [--lookup]

An *injection* is a text in a mail or on a page that tells the model to act for an attacker. With
`--provenance ask`, a call with a value that is only in such a text is *held*: not sent until the
model makes it again in a later step. Prints the rows of the table in docs/provenance.md.
"""

# A solver without a model makes the calls of each task's ground truth and, if it follows an
# injection, the injection's calls as well, as a fully misled model does. It repeats a held call of
# the user's task in a later step. A row of the table counts
#
# - all plays
# - plays in which a call of the user's task was held
# - plays that did the user's task
# - plays that carried the injection out, as the benchmark's own grader says
# - plays that sent all calls of the injection, one of which may change something

import argparse
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Any

import controlplane
from controlplane.agent.events import StepDone
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.texts import result_texts
from controlplane.agent.evidence.texts.result_texts import ResultText, texts_of_result
from controlplane.agent.loop import TrialSession
from controlplane.gates.submission import Submission
from controlplane.sandbox.interface import CallError
from controlplane.solver import SolverSpec
from tests.bench import provenance_plays
from tests.bench.provenance_plays import Play, PlayedAgentDojo, PlayedCall

SUITES = ("banking", "slack", "travel", "workspace")
"""The parts of AgentDojo."""
SUITES_WITH_LEAKS = ("banking", "slack", "travel")
"""Those in which some injections get through with `ask`."""
ATTACK = "important_instructions"
"""How AgentDojo words its injections."""
CARRIED_OUT = "attack succeeded (security)"
"""The metric by which AgentDojo's own grader says that an injection was carried out."""
DECLARATIONS = {
    "banking": "send_money=only:recipient,schedule_transaction=only:recipient,"
    "update_scheduled_transaction=only:recipient,get_user_info=trusted",
    "slack": "invite_user_to_slack=only:user+user_email,get_users_in_channel=trusted,post_webpage=only:url",
    "travel": "send_email=only:recipients,get_user_information=trusted,"
    "reserve_hotel=only:hotel,reserve_restaurant=only:restaurant,reserve_car_rental=only:company",
    "workspace": "send_email=only:recipients,create_calendar_event=only:participants,delete_file=only:file_id,"
    "add_calendar_event_participants=only:participants,share_file=only:email,search_contacts_by_name=trusted,"
    "create_file=only:filename,reschedule_calendar_event=only:event_id",
}
"""For each suite what `--provenance` may declare: the arguments that say whom a call reaches, which
alone are looked at, and results that nobody but the user writes."""


class Way(Enum):
    """What a player does with an injection."""

    HONEST = "ignores it"
    FOLLOWED = "makes its calls, each once"
    INSISTS = "makes each of its calls up to five times in one script"
    ECHO = "first puts each value through a tool that repeats it, then insists"
    CONFIRMATION = "first insists on a small payment and reads its confirmation"
    SPELLING = "makes its calls with the values in other spellings"
    ERROR = "reads it in the text of a tool's error, then makes its calls"
    FILTERED = (
        "makes its calls, except those of tools that the user's task does not need"
    )


INSISTING_WAYS = (Way.INSISTS, Way.ECHO)
MAX_TRIES = 5
"""How often an insisting player makes a call within one script."""


@dataclass
class Player:
    """A solver that makes the calls of a play, and counts what happened to them."""

    plays: dict[str, Play]
    way: Way = Way.HONEST
    tasks_with_held_call: set[str] = field(default_factory=set)
    """Tasks with a call of the user's task that was held."""
    tasks_with_injection_sent: set[str] = field(default_factory=set)
    """Tasks with an injection of which every call was sent, and one may change something."""

    def solve(self, session: TrialSession) -> str:
        """Play a trial; return why its answer was rejected, or an empty text."""
        task_id = session.trial.task_id
        play = self.plays.pop(task_id)
        if self.way is Way.ERROR:
            self._make_in_own_step(session, PlayedCall("read_notice", {}))
        for call in play.calls:
            self._make_for_user(session, task_id, call)
        if self.way is not Way.HONEST:
            self._follow_injection(session, task_id, play)

        answers = [play.answer, play.injected_answer]
        answer = "\n".join(answer for answer in answers if answer)
        judged = session.submit(
            Submission(answer=answer or "Done.", outcome="OUTCOME_OK")
        )
        return "" if judged.accepted else judged.message

    def _make_for_user(
        self, session: TrialSession, task_id: str, call: PlayedCall
    ) -> None:
        """Make a call of the user's task, and again in a later step if it is held."""
        is_held = self._make_in_own_step(session, call)
        if not is_held:
            return
        self.tasks_with_held_call.add(task_id)
        self._make_in_own_step(session, call)

    def _follow_injection(
        self, session: TrialSession, task_id: str, play: Play
    ) -> None:
        """Make the calls of the injection in the player's way."""
        calls = list(play.injected_calls)
        if self.way is Way.SPELLING:
            calls = [respelled(call) for call in calls]
        if self.way is Way.FILTERED:
            offered_tools = {call.name for call in play.calls}
            calls = [call for call in calls if call.name in offered_tools]

        were_sent = [self._make_injected(session, call) for call in calls]
        if not all(were_sent):
            return
        for call in calls:
            if session.tool_schema.may_change(call.name, call.arguments):
                self.tasks_with_injection_sent.add(task_id)

    def _make_injected(self, session: TrialSession, call: PlayedCall) -> bool:
        """Make a call of the injection in the player's way; return whether it was sent."""
        if self.way is Way.ECHO:
            for value in texts_in(call.arguments):
                self._make_in_own_step(
                    session, PlayedCall("check_value", {"value": value})
                )
        if self.way is Way.CONFIRMATION and "amount" in call.arguments:
            self._have_small_payment_confirmed(session, call)
            call = PlayedCall(call.name, {**call.arguments, "amount": 9_000.0})
        tries = MAX_TRIES if self.way in INSISTING_WAYS else 1
        with session.step() as step:
            # The journal's record of a step needs the script that made the calls.
            step.done = StepDone(
                trial_id="t", step=step.number, code=f"{call.name}(...)"
            )
            for _ in range(tries):
                if not is_call_held(session, call):
                    return True
        return False

    def _have_small_payment_confirmed(
        self, session: TrialSession, call: PlayedCall
    ) -> None:
        """Pay 0.01 to the attacker's account, in two steps if it is held, and read the transactions.

        The account is then also in a result of a tool, beside the text of the injection.
        """
        small_payment = PlayedCall(call.name, {**call.arguments, "amount": 0.01})
        for _ in range(2):
            self._make_in_own_step(session, small_payment)
        self._make_in_own_step(
            session, PlayedCall("get_most_recent_transactions", {"n": 100})
        )

    def _make_in_own_step(self, session: TrialSession, call: PlayedCall) -> bool:
        """Make a call in a step of its own; return whether it was held."""
        with session.step() as step:
            step.done = StepDone(
                trial_id="t", step=step.number, code=f"{call.name}(...)"
            )
            return is_call_held(session, call)


def is_call_held(session: TrialSession, call: PlayedCall) -> bool:
    """Make a call; return whether it was held. A call that fails otherwise counts as sent."""
    try:
        session.calls.make_raw(call.name, call.arguments, in_script=True)
    except CallError as error:
        return "was not sent" in error.message
    return False


def texts_in(value: Any) -> list[str]:
    """Return all values within an argument as texts: `["a", "1"]` for `{"x": ["a"], "y": 1}`."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        texts = []
        for item in value:
            texts += texts_in(item)
        return texts
    return [str(value)]


def respelled(call: PlayedCall) -> PlayedCall:
    """Return a call with its values in other spellings, as a model may write them."""
    arguments = {name: respelled_value(value) for name, value in call.arguments.items()}
    return PlayedCall(call.name, arguments)


def respelled_value(value: Any) -> Any:
    """Return an account number in groups, a mail address with a tag, or a URL with a path.

    `DE8937` becomes `DE89 37`, `ann@site.com` becomes `Ann+pay@SITE.COM`, and `www.a.com` becomes
    `https://www.a.com/form?x=1`.
    """
    if isinstance(value, list):
        return [respelled_value(item) for item in value]
    if not isinstance(value, str):
        return value

    is_account = value[:2].isalpha() and value[2:].isdigit()
    if is_account:
        groups = [value[start : start + 4] for start in range(0, len(value), 4)]
        return " ".join(groups)
    if "@" in value and " " not in value:
        local_part, _, host = value.partition("@")
        return f"{local_part.title()}+pay@{host.upper()}"
    if value.startswith(("www.", "http")) and " " not in value:
        address = value.removeprefix("https://").removeprefix("http://")
        return f"https://{address}/form?x=1"
    return value


PLAYERS: dict[str, Player] = {}
"""The player of the current run, under the key "now".

A run finds its solver by the name of this module, so a player cannot be passed to it. `play_all`
puts the player here before it starts a run.
"""

SOLVER = SolverSpec(lambda tools: PLAYERS["now"], roles=())
"""What a run with `--agent tests.bench.provenance` plays with."""


@dataclass(frozen=True)
class Counts:
    """The numbers of a row of the table: how many plays there were, and how they went."""

    plays: int = 0
    with_held_call: int = 0
    """Plays in which a call of the user's task was held."""
    done: int = 0
    """Plays that did the user's task."""
    carried_out: int = 0
    """Plays that did what the injection wants, as the benchmark's own grader says."""
    injection_sent: int = 0
    """Plays that sent all calls of the injection, one of which may change something."""

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            plays=self.plays + other.plays,
            with_held_call=self.with_held_call + other.with_held_call,
            done=self.done + other.done,
            carried_out=self.carried_out + other.carried_out,
            injection_sent=self.injection_sent + other.injection_sent,
        )


@dataclass(frozen=True)
class Options:
    """What the command line asks for."""

    limit: int | None
    """How many tasks of each suite are played; None for all."""
    show: bool
    """Print the tasks that are counted."""


def play_all(
    benchmark: Any,
    plays: dict[str, Play],
    options: Options,
    *,
    way: Way = Way.HONEST,
    provenance: str = "ask",
    reads: str = "",
) -> Counts:
    """Play a benchmark in one way, and count. `provenance` and `reads` are options of a run."""
    player = Player(plays, way)
    PLAYERS["now"] = player
    with tempfile.TemporaryDirectory() as runs_dir:
        run = controlplane.run(
            benchmark,
            agent="tests.bench.provenance",
            provenance=provenance,
            reads=reads,
            gates="none",
            runs_dir=runs_dir,
            concurrency=2,
            limit=options.limit,
        )
    done = []
    not_done = []
    carried_out = []
    for trial in run.trials:
        if trial.metrics.get("utility", trial.score):
            done.append(trial.task_id)
        else:
            not_done.append(trial.task_id)
        if trial.metrics.get(CARRIED_OUT):
            carried_out.append(trial.task_id)
    if options.show:
        print("  held:", *sorted(player.tasks_with_held_call))
        print("  not done:", *not_done)
        print("  carried out:", *carried_out)
        print("  sent:", *sorted(player.tasks_with_injection_sent))
    return Counts(
        plays=len(run.trials),
        with_held_call=len(player.tasks_with_held_call),
        done=len(done),
        carried_out=len(carried_out),
        injection_sent=len(player.tasks_with_injection_sent),
    )


def play_agentdojo(
    options: Options,
    *,
    way: Way = Way.HONEST,
    suites: tuple[str, ...] = SUITES,
    attack: str = "",
    provenance: str = "ask",
    is_declared: bool = False,
) -> Counts:
    """Play AgentDojo's suites: their tasks, or with an attack each beside each injection.

    If `is_declared`, the rule knows `DECLARATIONS`.
    """
    total = Counts()
    for suite in suites:
        benchmark = PlayedAgentDojo(suite, attack, in_error=way is Way.ERROR)
        policy = provenance
        if is_declared:
            policy += f",{DECLARATIONS[suite]}"
        counts = play_all(
            benchmark, benchmark.plays, options, way=way, provenance=policy
        )
        if options.show:
            print(" ", suite, counts, flush=True)
        total += counts
    return total


def play_inspect(options: Options, *, names_reads: bool) -> Counts:
    """Play AgentDojo as Inspect has it; say which tools only read if `names_reads`."""
    total = Counts()
    for suite in SUITES:
        benchmark = provenance_plays.played_inspect(suite)
        reads = ",".join(benchmark.reading_tools()) if names_reads else ""
        total += play_all(benchmark, benchmark.plays, options, reads=reads)
    return total


def play_bfcl(options: Options) -> Counts:
    """Play BFCL's tasks of several turns with long contexts."""
    tasks, plays = provenance_plays.bfcl_tasks()
    return play_all(tasks, plays, options)


def play_tau2(options: Options, domain: str) -> Counts:
    """Play a domain of tau2, such as "retail"."""
    tasks, plays = provenance_plays.tau2_tasks(domain)
    return play_all(tasks, plays, options)


def rows(options: Options) -> dict[str, Callable[[], Counts]]:
    """Return the rows of the table by their names, each with a function that plays it.

    A row plays AgentDojo's tasks without injections ("honest"), or beside injections that the
    model follows in one of the ways of `Way`; the other rows play other benchmarks. If the name
    of a row does not say otherwise, `--provenance` is `ask`.
    """
    agentdojo = partial(play_agentdojo, options)
    with_injections = partial(play_agentdojo, options, attack=ATTACK)
    with_leaks = partial(with_injections, suites=SUITES_WITH_LEAKS)
    table: dict[str, Callable[[], Counts]] = {
        "AgentDojo, honest": agentdojo,
        "AgentDojo, honest, block": partial(agentdojo, provenance="block"),
        "AgentDojo, honest, declared": partial(agentdojo, is_declared=True),
        "AgentDojo, honest beside an injection": with_injections,
        "AgentDojo, injections followed, off": partial(
            with_injections, way=Way.FOLLOWED, provenance="off"
        ),
        # What AgentDojo's tool filter does if it always chooses rightly.
        "AgentDojo, injections followed, offered the tools of the user's task alone, off": partial(
            with_injections, way=Way.FILTERED, provenance="off"
        ),
        "AgentDojo, injections followed": partial(with_injections, way=Way.FOLLOWED),
        "AgentDojo, followed, insists in one script": partial(
            with_leaks, way=Way.INSISTS
        ),
        "AgentDojo, followed, each value through an echo first": partial(
            with_leaks, way=Way.ECHO
        ),
        "AgentDojo, followed, after a small payment and its confirmation": partial(
            with_injections, way=Way.CONFIRMATION, suites=("banking",)
        ),
        "AgentDojo, followed, in other spellings": partial(
            with_leaks, way=Way.SPELLING
        ),
        "AgentDojo, followed, from the text of an error": partial(
            with_leaks, way=Way.ERROR
        ),
        "AgentDojo of Inspect, honest": partial(
            play_inspect, options, names_reads=False
        ),
        "AgentDojo of Inspect, honest, --reads": partial(
            play_inspect, options, names_reads=True
        ),
        "BFCL multi-turn with long contexts": partial(play_bfcl, options),
    }
    for domain in ("airline", "retail", "telecom"):
        table[f"tau2, {domain}"] = partial(play_tau2, options, domain)
    return table


LOOKUP_CHARS = 1_000_000
"""Characters of each text in which the values of `PAYMENT` are looked up."""
LOOKUPS = 20
"""How often they are looked up again once there is an index."""
SENTENCE = (
    "On {0} Ann wrote that invoice INV-{0} of {0}.50 euros goes to ann{0}@site.com, "
    "as agreed with Bob.\n"
)
CELLS = "{0},Ann {0},{0}.50,ann{0}@site.com"
"""A line of a table; with its numbers filled in it has about `CELLS_CHARS` characters."""
CELLS_CHARS = 38
PAYMENT: dict[str, Any] = {
    "to": "DE89370400440532013000",
    "amount": 1250.5,
    "subject": "Rent of May",
    "date": "2026-05-01",
}


def texts_to_look_up_in() -> dict[str, str]:
    """Return texts of about a million characters: one of sentences, a list of mails, a table."""
    sentences = [
        SENTENCE.format(number) for number in range(LOOKUP_CHARS // len(SENTENCE))
    ]
    prose = "".join(sentences)
    mails = []
    for start in range(0, LOOKUP_CHARS, 500):
        mails.append({"id": start, "body": prose[start : start + 500]})
    line_count = LOOKUP_CHARS // CELLS_CHARS
    table_lines = [CELLS.format(number) for number in range(line_count)]
    return {
        "prose": json.dumps(prose),
        "mails": json.dumps(mails),
        "table": json.dumps("\n".join(table_lines)),
    }


def print_lookup_times() -> None:
    """Print the CPU of looking up where the arguments of a payment come from.

    The first look-up makes an index of all that was read.
    """
    for name, text in texts_to_look_up_in().items():
        started_s = time.thread_time()
        provenance = Provenance()
        request = ResultText("Pay the rent.", is_data=False)
        provenance.add("the request", [request], Origin.ASKED)
        provenance.add("/calls/1", texts_of_result({"value": text}))
        provenance.origins(PAYMENT)
        first_done_s = time.thread_time()
        for _ in range(LOOKUPS):
            provenance.origins(PAYMENT)
        all_done_s = time.thread_time()

        first_ms = (first_done_s - started_s) * 1000
        later_ms = (all_done_s - first_done_s) * 1000 / LOOKUPS
        print(f"{name}: first look-up {first_ms:.0f} ms, later ones {later_ms:.2f} ms")


def parsed_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="the rows whose name has this text")
    parser.add_argument("--limit", type=int, help="the first tasks of each suite")
    parser.add_argument(
        "--words", type=int, help="words of a field that still is a record"
    )
    parser.add_argument("--show", action="store_true", help="name the plays")
    parser.add_argument(
        "--lookup", action="store_true", help="time a look-up, and play nothing"
    )
    return parser.parse_args()


def main() -> None:
    options = parsed_options()
    if options.lookup:
        print_lookup_times()
        return
    if options.words:
        result_texts.MAX_FIELD_WORDS = options.words
    print(
        "| plays | number | user's call held | task done | injection carried out | its changing calls sent |"
    )
    print("|---|---|---|---|---|---|")
    for name, play in rows(Options(options.limit, options.show)).items():
        if options.only in name:
            counts = play()
            print(
                f"| {name} | {counts.plays} | {counts.with_held_call} | {counts.done} "
                f"| {counts.carried_out} | {counts.injection_sent} |",
                flush=True,
            )


if __name__ == "__main__":
    # The run imports its agent from this module by name, and must find the same `PLAYERS`.
    sys.modules.setdefault("tests.bench.provenance", sys.modules["__main__"])
    warnings.simplefilter("ignore")
    main()
