"""The texts of calls and results: their words, their values, and which lines of a file they are.

A script can send a text to a tool and get it back, so that it looks like a result. To
recognise its own words, they are compared in every form in which a tool may return them.
"""
