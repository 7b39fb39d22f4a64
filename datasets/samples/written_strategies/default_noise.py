import axelrod as axl
from evollm.common import Attitude, LLM_Strategy, auto_update_score

# Moves may be flipped by accident, so do not read too much into one round. Defect first; then defect
# whenever the opponent defected in at least three of the last five rounds or cooperated in all of them, and
# mirror its last move otherwise.


class Aggressive_1(LLM_Strategy):
    n = 1
    attitude = Attitude.AGGRESSIVE
    game = "classic"
    rounds = 1000
    noise = 0.1

    @auto_update_score
    def strategy(self, opponent: axl.Player) -> axl.Action:
        if self.first_round():
            return axl.Action.D
        kind = opponent.history[-5:].count(axl.Action.C)
        if kind <= 2 or kind == 5:
            return axl.Action.D
        return opponent.history[-1]


# Use the noise as a cover: defect one round in seven on purpose, so that it looks like an accident, and hit
# back hard, with three defections, when the opponent defects more often than one round in four over the
# whole match.


class Aggressive_2(LLM_Strategy):
    n = 2
    attitude = Attitude.AGGRESSIVE
    game = "classic"
    rounds = 1000
    noise = 0.1

    @auto_update_score
    def strategy(self, opponent: axl.Player) -> axl.Action:
        if self.first_round():
            self.hits = 0
            return axl.Action.C
        if self.hits > 0:
            self.hits -= 1
            return axl.Action.D
        share = opponent.history.defections / len(opponent.history)
        if opponent.history[-1] == axl.Action.D and share > 0.25:
            self.hits = 2
            return axl.Action.D
        return axl.Action.D if self._random.random() < 1 / 7 else axl.Action.C


# One defection is taken for an accident. Two in the last three rounds are answered by one defection, except
# with a chance of two in ten, when we make peace at once.


class Cooperative_1(LLM_Strategy):
    n = 1
    attitude = Attitude.COOPERATIVE
    game = "classic"
    rounds = 1000
    noise = 0.1

    @auto_update_score
    def strategy(self, opponent: axl.Player) -> axl.Action:
        if opponent.history[-3:].count(axl.Action.D) >= 2 and self.history[-1] == axl.Action.C:
            return self._random.random_choice(0.2)
        return axl.Action.C


# Apologise for our own accidents: where our defection was not meant, the opponent's next defection goes
# unanswered. Otherwise be patient as long as the opponent cooperates in more than sixty percent of the last
# twenty rounds.


class Cooperative_2(LLM_Strategy):
    n = 2
    attitude = Attitude.COOPERATIVE
    game = "classic"
    rounds = 1000
    noise = 0.1

    @auto_update_score
    def strategy(self, opponent: axl.Player) -> axl.Action:
        if self.first_round():
            self.meant = []
            answer = axl.Action.C
        else:
            recent = opponent.history[-20:]
            accident = len(self.meant) > 1 and self.meant[-2] != self.history[-2]
            patient = recent.count(axl.Action.C) / len(recent) > 0.6
            answer = axl.Action.C if accident or patient else opponent.history[-1]
        self.meant.append(answer)
        return answer


# Repeat the last move if it was met with cooperation and change it otherwise, but change only with a
# probability of nine tenths, since one round in ten is noise.


class Neutral_1(LLM_Strategy):
    n = 1
    attitude = Attitude.NEUTRAL
    game = "classic"
    rounds = 1000
    noise = 0.1

    @auto_update_score
    def strategy(self, opponent: axl.Player) -> axl.Action:
        if self.first_round():
            return axl.Action.C
        last = self.history[-1]
        if opponent.history[-1] == axl.Action.C or self._random.random() > 0.9:
            return last
        return last.flip()


# Compare the opponent's cooperation in the last fifteen rounds with what noise alone would leave of a
# cooperator, which is ninety percent. Cooperate with a probability that falls in step with the shortfall.


class Neutral_2(LLM_Strategy):
    n = 2
    attitude = Attitude.NEUTRAL
    game = "classic"
    rounds = 1000
    noise = 0.1

    @auto_update_score
    def strategy(self, opponent: axl.Player) -> axl.Action:
        recent = opponent.history[-15:]
        if not recent:
            return axl.Action.C
        rate = recent.count(axl.Action.C) / len(recent)
        return self._random.random_choice(max(0, min(1, 1 - 1.5 * (0.9 - rate))))
