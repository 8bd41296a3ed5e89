"""The limits of a trial that takes turns: its steps, its time,
the model's context, unusable replies and repetitions."""
