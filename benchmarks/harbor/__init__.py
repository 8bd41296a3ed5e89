"""Tasks in containers: `harbor:DIR` plays a folder of tasks in Harbor's format.

Each trial has its own container. The agent works in it, and then the task's verifier
runs in it.
"""
