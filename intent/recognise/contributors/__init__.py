"""Types of contributors to a public good: how a subject's contribution answers those of the others."""

from intent.recognise.contributors.rules import STATUSES, TYPES, Rules, Verdict, classify

__all__ = ["STATUSES", "TYPES", "Rules", "Verdict", "classify"]
