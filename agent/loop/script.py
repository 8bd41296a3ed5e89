"""The turns of the script solver: the scripts of the replies, and the messages about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controlplane.agent.gated_exit import NotJudged
from controlplane.agent.loop.session.call_notes import call_notes
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.gates.submission import Probe, Submission
from controlplane.sandbox import ForkServer, Layer, Limits, Refusal, Sandbox, Verify
from controlplane.sandbox.interface import CallError, Plain

# Submits the answer that a script has put into its scratchpad.
#
# The *scratchpad* is a dictionary that all scripts of a trial share. What the gates or the
# environment object to the answer is raised in the script, which the model then reads as its error:
#
#     scratchpad["answer"] = "7 EUR"
#     harness.answer(scratchpad, verify)    Refusal: gate 3 (paths): /docs/fee.md was not read


def _submit_scratchpad(
    session: TrialSession, scratchpad: Mapping[str, Plain], verify: Verify
) -> None:
    """Submit the answer in the scratchpad. `verify` is the script's own check of it.

    Raises `Refusal` if it is not judged, not accepted, or not taken by the environment.
    """
    # The function `verify` stays in the script's process. The gates call it by `ask`.
    probe = Probe(verify.is_callable, verify.takes_one_argument, verify.ask)
    submission = Submission.from_scratchpad(scratchpad, probe)
    try:
        judged = session.submit(submission)
    except NotJudged as error:
        raise Refusal(str(error)) from None
    except CallError as error:
        message = (
            "The gates accepted the answer, but the environment did not take it "
            f"({error})."
        )
        raise Refusal(message) from None
    if not judged.accepted:
        raise Refusal(judged.message)


# The side of a trial that its scripts see: their calls, citations and answers.
#
# A script runs in a process without any access. What it asks for arrives here:
#
#     harness.read("/docs/fees.md")                  `call("read", {"path": "/docs/fees.md"})`
#     scratchpad.cite("/docs/fees.md", "the fee")    `cite("/docs/fees.md", "the fee")`
#     harness.answer(scratchpad, verify)             `answer({"answer": "7 EUR", ...}, verify)`


class ScriptHost:
    """Does what the scripts of one trial ask for (the sandbox's interface `Host`)."""

    def __init__(self, session: TrialSession) -> None:
        self._session = session

    def call(
        self, operation: str, arguments: Mapping[str, Plain], *, in_verify: bool = False
    ) -> dict[str, Plain]:
        """Make a declared call, and return its result. Raises `CallError`.

        The model gets notes about the call, such as that its result is cut off.
        """
        session = self._session
        result = session.make_call(
            operation, arguments, in_script=True, in_verify=in_verify
        )
        notes = call_notes(session.tool_schema, operation, arguments, result)
        session.recorder.step_log.add_new_notes(notes)
        return result

    def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Plain]]]
    ) -> list[Mapping[str, Plain] | CallError]:
        """Make the calls that a function of the benchmark asks for, and return their outcomes.

        They may only read, and are not calls of the script: they are neither checked nor limited.
        """
        return self._session.recorder.calls.make_all(calls)

    def cite(self, path: str, reason: str, quote: str = "") -> str:
        """Return the spelling with which `path` must be cited. Raises `Refusal`."""
        try:
            return self._session.check_citation(path, reason, quote)
        except ValueError as error:
            raise Refusal(str(error)) from None

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        """Submit the answer in the scratchpad. `verify` is the script's own check of it.

        Raises `Refusal` with the objections of the gates.
        """
        _submit_scratchpad(self._session, scratchpad, verify)


# Connects the sandbox, in which scripts run, with the session of their trial.
#
# The session makes the calls that scripts ask for, learns what they print, and can interrupt them:
#
#     harness.read("/a.md") in a script    -> ScriptHost.call, a call of the trial
#     print("12 books")                    -> the evidence: an answer may be checked by it
#     session.interrupt("the client left") -> the script ends


def sandbox_of(
    session: TrialSession,
    server: ForkServer,
    limits: Limits,
    isolation: frozenset[Layer],
) -> Sandbox:
    """Return the sandbox for the scripts of a trial. A `with` block starts and ends it.

    A script may not take longer than the whole trial.
    """
    step_wall_s = min(limits.step_wall_s, session.trial.limits.time_s)
    box = Sandbox(
        session.tool_schema,
        ScriptHost(session),
        now=session.trial.now,
        seed=session.trial.seed,
        limits=limits._replace(step_wall_s=step_wall_s),
        isolation=isolation,
        server=server,
    )
    # An answer may be checked by what the scripts compute and print.
    evidence_log = session.recorder.evidence_log
    box.on_script = evidence_log.add_script
    box.on_print = evidence_log.add_printed
    # The sandbox tells the clock, before each call of a script, when the script's time is over:
    # by then, the call has to end. After the call, the sandbox tells it `inf`.
    box.report_call_ends(session.clock.end_calls_at)
    # The session lets the sandbox end a script, and run the benchmark's functions.
    session.interrupt = box.interrupt
    session.recorder.calls.function_runner = box
    return box
