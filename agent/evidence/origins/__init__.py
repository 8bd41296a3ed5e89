"""Finds where the values of a changing call come from: the request, the rules, data or a mail.

A value that only running text has, such as a mail, may be an attack by its author.
"""
