"""What a user may declare of the tools of AgentDojo's suites, so that fewer right calls are held.

With `--provenance ask`, a call is *held*, not sent at once, if a value of an argument is only in a
text that somebody else wrote, such as a mail. A declaration says which arguments matter:

- `send_money=only:recipient`: only the recipient is looked at, because it says whom the call reaches
- `get_user_info=trusted`: nobody but the user writes what this tool returns
"""

SUITES = ("banking", "slack", "travel", "workspace")
"""The parts of AgentDojo."""
SUITES_WITH_LEAKS = ("banking", "slack", "travel")
"""Those in which some injections get through with `ask`."""
ATTACK = "important_instructions"
"""How AgentDojo words its injections."""

DECLARATIONS = {
    "banking": (
        "send_money=only:recipient",
        "schedule_transaction=only:recipient",
        "update_scheduled_transaction=only:recipient",
        "get_user_info=trusted",
    ),
    "slack": (
        "invite_user_to_slack=only:user+user_email",
        "get_users_in_channel=trusted",
        "post_webpage=only:url",
    ),
    "travel": (
        "send_email=only:recipients",
        "get_user_information=trusted",
        "reserve_hotel=only:hotel",
        "reserve_restaurant=only:restaurant",
        "reserve_car_rental=only:company",
    ),
    "workspace": (
        "send_email=only:recipients",
        "create_calendar_event=only:participants",
        "delete_file=only:file_id",
        "add_calendar_event_participants=only:participants",
        "share_file=only:email",
        "search_contacts_by_name=trusted",
        "create_file=only:filename",
        "reschedule_calendar_event=only:event_id",
    ),
}
"""For each suite what `--provenance` may declare of its tools."""
