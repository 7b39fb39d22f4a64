"""The study of private deliberation: its play, tables, figures, claims and published numbers."""
