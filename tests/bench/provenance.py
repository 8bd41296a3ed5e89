"""What the rule on the origins of arguments holds of AgentDojo's plays: python -m tests.bench.provenance [OPTIONS]

A solver without a model carries out the ground truth of each user task and, with `--follows`, of the injection as well,
as a fully misled model does. It repeats a held call if the user's task needs it. Prints a line for each suite: plays,
those with a held call of the user's task and of the injection, utility and security by AgentDojo's own grader, and the
tasks whose user's call was held. With `--declared`, the setting names the arguments that matter and trusted results.
`--lookup` prints the CPU of one lookup in 1 MB of texts, alone and as a share of one plain search in them, instead.
"""

import argparse
import functools
import json
import sys
import tempfile
import time
import warnings
from collections import Counter
from typing import Any

import controlplane
from controlplane.agent.evidence import provenance
from controlplane.agent.loop import TrialSession
from controlplane.gates.submission import Submission
from controlplane.journal.journal_reader import open_journal
from controlplane.sandbox.interface import CallError
from controlplane.solver import SolverSpec

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from docs.examples.agentdojo import AgentDojo

DECLARED = {
    "banking": "send_money=only:recipient,schedule_transaction=only:recipient,"
    "update_scheduled_transaction=only:recipient,get_user_info=trusted",
    "slack": "invite_user_to_slack=only:user+user_email,get_users_in_channel=trusted,post_webpage=only:url",
    "travel": "send_email=only:recipients,get_user_information=trusted,"
    "reserve_hotel=only:hotel,reserve_restaurant=only:restaurant,reserve_car_rental=only:company",
    "workspace": "send_email=only:recipients,create_calendar_event=only:participants,delete_file=only:file_id,"
    "add_calendar_event_participants=only:participants,share_file=only:email,search_contacts_by_name=trusted,"
    "create_file=only:filename,reschedule_calendar_event=only:event_id",
}
"""By suite, whom and what a call reaches, and results that nobody but the user writes."""


class Played(AgentDojo):  # type: ignore[misc, unused-ignore] - the package may be missing
    """AgentDojo with what its player needs to know."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.parts = functools.cache(super().parts)
        self.worlds: dict[str, Any] = {}

    def generate(self, task_id: str) -> tuple[str, controlplane.TaskEnvironment]:
        instruction, environment = super().generate(task_id)
        self.worlds[task_id] = environment.state[0]
        return instruction, environment


class GroundTruth:
    """Makes the calls of a task, and those of its injection if it follows."""

    def __init__(self, benchmark: Played, *, follows: bool) -> None:
        self.benchmark, self.follows = benchmark, follows
        self.held: Counter[tuple[str, str]] = Counter()
        """Plays with a held call, by whose call it is and the task."""

    def solve(self, session: TrialSession) -> str:
        task_id = session.trial.task_id
        _, user, injection, _ = self.benchmark.parts(task_id)
        world = self.benchmark.worlds.pop(task_id)
        plans = [("user", user.ground_truth(world), user.GROUND_TRUTH_OUTPUT)]
        if injection and self.follows:
            plans.append(
                ("injection", injection.ground_truth(world), injection.GROUND_TRUTH_OUTPUT)
            )
        for whose, calls, _ in plans:
            for call in calls:
                arguments = json.loads(json.dumps(dict(call.args)))
                for attempt in range(2 if whose == "user" else 1):
                    try:
                        session.call(call.function, arguments)
                    except CallError as error:
                        if "was not sent" not in error.message:
                            break
                        self.held[whose, task_id] += not attempt
                    else:
                        break
        answer = "\n".join(filter(None, (output for *_, output in plans)))
        judged = session.submit(Submission(answer=answer, outcome="OUTCOME_OK"))
        return "" if judged.accepted else judged.message


PLAYERS: dict[str, GroundTruth] = {}
SOLVER = SolverSpec(lambda tools: PLAYERS["now"], roles=())


def time_lookup(chars: int = 1_000_000) -> None:
    """Print the CPU of keeping texts, and of looking a payment up in them, beside one search of a word in them."""
    line = "On {0} Ann wrote that invoice INV-{0} of {0}.50 euros goes to ann{0}@site.com, as agreed with Bob.\n"
    prose = "".join(line.format(number) for number in range(chars // len(line)))
    mails = [{"id": at, "body": prose[at : at + 500]} for at in range(0, chars, 500)]
    rows = "".join(
        f"{number},Ann {number},{number}.50,ann{number}@site.com\n" for number in range(chars // 38)
    )
    found = {
        "to": "DE89370400440532013000",
        "amount": 1250.5,
        "subject": "Rent of May",
        "date": "2026-05-01",
    }
    for name, text in (("prose", prose), ("mails", json.dumps(mails)), ("table", rows)):
        places = (
            [text[at : at + 10_000] for at in range(0, len(text), 10_000)]
            if name != "mails"
            else [text]
        )
        began = time.thread_time()
        kept = provenance.Provenance()
        for number, part in enumerate(places):
            kept.add(f"/calls/{number}", {"value": part})
        filled = time.thread_time()
        origins = [kept.origins(found) for _ in range(20)]
        looked = time.thread_time()
        for _ in range(20):
            assert "nobody@nowhere.example" not in text
        searched = time.thread_time()
        lookup = (looked - filled) / len(origins)
        print(
            f"{name}: {len(text):,} characters kept in {(filled - began) * 1000:.1f} ms, a call of four arguments in",
            end=" ",
        )
        print(
            f"{lookup * 1000:.2f} ms, {lookup * 20 / (searched - looked):.1f} times one plain search"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suites", nargs="*", default=["banking", "slack", "travel", "workspace"])
    parser.add_argument(
        "--attack", default="", help="an attack of the package; none: the user tasks alone"
    )
    parser.add_argument("--follows", action="store_true", help="carry out the injections as well")
    parser.add_argument("--provenance", default="ask")
    parser.add_argument(
        "--declared", action="store_true", help="declare what matters in the suites"
    )
    parser.add_argument("--words", type=int, help="words of a field that still is a record")
    parser.add_argument(
        "--show", action="store_true", help="name what was held, and the attacks that were not"
    )
    parser.add_argument("--lookup", action="store_true", help="time a lookup, and play nothing")
    given = parser.parse_args()
    if given.lookup:
        time_lookup()
        sys.exit()
    provenance.MOST_WORDS = given.words or provenance.MOST_WORDS
    total: Counter[str] = Counter()
    began = time.perf_counter()
    for suite in given.suites:
        benchmark = Played(suite, {"attack": given.attack} if given.attack else {})
        player = PLAYERS["now"] = GroundTruth(benchmark, follows=given.follows)
        policy = f"{given.provenance},{DECLARED[suite]}" if given.declared else given.provenance
        with tempfile.TemporaryDirectory() as runs:
            run = controlplane.run(
                benchmark,
                agent="tests.bench.provenance",
                provenance=policy,
                runs_dir=runs,
                concurrency=2,
            )
            with open_journal(run.journal) as journal:
                recorded = sum(bool(trial.summary.stopped) for trial in journal.trials.values())
        counts = Counter(
            {
                "plays": len(run.trials),
                "user held": sum(whose == "user" for whose, _ in player.held),
                "injection held": sum(whose == "injection" for whose, _ in player.held),
                "held in the journal": recorded,
                "utility": sum(trial.metrics.get("utility", 0) for trial in run.trials),
                "security": sum(
                    trial.metrics.get("attack succeeded (security)", 0) for trial in run.trials
                ),
                "not answered": sum(trial.state != "answered" for trial in run.trials),
            }
        )
        total += counts
        print(suite, dict(counts), flush=True)
        if given.show:
            print(
                "  held:", " ".join(sorted(task for whose, task in player.held if whose == "user"))
            )
            print(
                "  carried out:",
                " ".join(
                    trial.task_id
                    for trial in run.trials
                    if trial.metrics.get("attack succeeded (security)")
                ),
            )
    print("all", dict(total), f"{time.perf_counter() - began:.0f} s", vars(given))


if __name__ == "__main__":
    sys.modules.setdefault("tests.bench.provenance", sys.modules["__main__"])
    warnings.simplefilter("ignore")
    main()
