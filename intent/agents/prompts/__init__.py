"""The words of games: our own in five languages, FAIRGAME's and GAMA-Bench's templates, a user's."""

from intent.agents.prompts.fairgame import FairgamePrompts, fairgame_prompts
from intent.agents.prompts.fairgame_weights import weights_of
from intent.agents.prompts.load import load_prompts, prompts_from_json
from intent.agents.prompts.prompt_set import PromptSet

__all__ = [
    "FairgamePrompts",
    "PromptSet",
    "fairgame_prompts",
    "load_prompts",
    "prompts_from_json",
    "weights_of",
]
