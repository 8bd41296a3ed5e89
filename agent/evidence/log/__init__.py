"""The evidence of a trial: what it has read, written and executed.

An answer may only cite what a call has read, and only for what its text says. Each call is
added by its effect: a read, a listing, a change, the run of a program, or a server's tool.
"""
