"""Private deliberation: what players write, announce and intend, against what they do."""
