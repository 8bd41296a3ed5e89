"""The trusted side: starts children, answers a step's calls, checks what a child sends."""
