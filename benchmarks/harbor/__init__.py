"""Tasks in containers: `harbor:DIR` plays a folder of tasks in Harbor's format.

Each trial has a container of its own, in which the agent works and the task's verifier runs.
"""
