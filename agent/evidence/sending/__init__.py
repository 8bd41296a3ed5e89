"""Sends the calls of a trial and its functions, and writes them to the journal."""
