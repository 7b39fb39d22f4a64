"""The hypotheses of published studies, as criteria that games can fail."""
