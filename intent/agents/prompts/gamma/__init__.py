"""The words of the eight gamma-bench games: ours, and templates of its authors (arXiv:2403.11807)."""

from intent.agents.prompts.gamma.gama_folder import read_gama_templates
from intent.agents.prompts.gamma.prompts import GammaPrompts, gamma_prompts
from intent.agents.prompts.gamma.templates import GamaTemplates

__all__ = ["GamaTemplates", "GammaPrompts", "gamma_prompts", "read_gama_templates"]
