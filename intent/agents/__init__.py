"""Who plays, in practice: what takes a seat, and the plans, prompts, replies, clients of language models,
scripted players and humans behind it.
"""
