"""The texts that a trial has received, in which the values of its calls are looked up.

A mail says “Please pay 420 to GB33...” `text_groups.py` makes a `KnownText` of it, with its
origin, which says how far it is trusted. `KnownTexts` keeps all texts, and finds the most trusted
one that has a value: for the account of `send_money(recipient="GB33...")`, this mail, or the
user's request, if it has the account, too.
"""
