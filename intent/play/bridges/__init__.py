"""Other libraries' players and games here, ours there: Axelrod, OpenSpiel, PettingZoo. Each loads when
used."""
