"""Learns facts about a request from the results of the calls that an environment declares.

For example, the output `user: m-7` of `/bin/whoami` says that the member `m-7` asks. Such facts
decide which further files the first message shows: here, the records of this member.
"""

from __future__ import annotations

from controlplane.agent.initial_calls.call_kind import CallKind
from controlplane.agent.initial_calls.call_texts import result_text
from controlplane.agent.initial_calls.sent_call import SentCall
from controlplane.agent.retrieval.asker import asker_of, asks_who
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.sandbox.interface import ToolSchema


def learn_facts(sent: SentCall, facts: RequestFacts, tool_schema: ToolSchema) -> None:
    """Wait for a call, and add what its result says to `facts`.

        read /RULES.md    sets `facts.rules`
        exec /bin/date    adds its output to `facts.outputs`
        exec /bin/whoami  also sets `facts.asker`, the user who asks

    Results of other calls add nothing.
    """
    declared = sent.declared
    if declared.kind is CallKind.READS_RULES:
        text = sent.call.result().get(declared.operation.json_field, "")
        facts.rules = str(text)
        return
    if declared.kind is not CallKind.RUNS_TOOL:
        return
    output = result_text(declared.operation, sent.call.result())
    facts.outputs.append(output)
    # An environment whose records have owners also says which tool prints who asks:
    # `RecordOwners(fields=("owner_id",), tool="/bin/whoami")`.
    owners = tool_schema.record_owners
    if owners is not None and asks_who(owners, sent.call):
        facts.asker = asker_of(owners, output)
