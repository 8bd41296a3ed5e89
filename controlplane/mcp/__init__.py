"""Servers of the Model Context Protocol: their tools for scripts, and our sandbox for other
agents."""
