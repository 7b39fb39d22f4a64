"""Who plays, in practice: clients of language models, prompts, replies, scripted and human players."""
