"""Runs a script that nobody trusts."""
