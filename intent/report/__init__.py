"""The report, two pages and an appendix, and the figures of play and of result tables."""
