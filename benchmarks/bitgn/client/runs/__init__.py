"""Runs on the platform: their start, their trials, their scores."""
