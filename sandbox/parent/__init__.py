"""The trusted side: starts children, answers the calls of a step, checks what a child sends."""
