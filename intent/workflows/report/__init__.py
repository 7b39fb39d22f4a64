"""The report: what is known of a log, a run or a table of labels, on one page."""

from __future__ import annotations

from intent.workflows.report.write import ReportResult, report

__all__ = ["ReportResult", "report"]
