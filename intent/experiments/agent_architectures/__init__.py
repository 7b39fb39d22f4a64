"""The thesis on agent architectures (Cremonini 2025): tables, figures, hypotheses, published numbers."""
