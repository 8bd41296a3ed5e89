"""Parses texts that are data, such as JSON or a table, and not sentences.

The author of sentences, such as a mail, may give a model false orders. Data does not.
"""
