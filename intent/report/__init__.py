"""The report on one page, section by section, and the figures of play and of result tables."""
