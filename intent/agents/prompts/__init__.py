"""The words of games: our own in five languages, FAIRGAME's templates, a user's. Our texts are in the folder
`texts`.
"""
