"""What a language model replied, read as one of the labels of a game, or refused."""

from intent.agents.replies.read import PARSERS, Parser, read_reply
from intent.agents.replies.reading import Reading
from intent.agents.replies.reasoning import strip_reasoning

__all__ = ["PARSERS", "Parser", "Reading", "read_reply", "strip_reasoning"]
