"""The tools that the model may call, and their descriptions in prompts."""
