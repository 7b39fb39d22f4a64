"""What words in the names of columns say: in English, and the usual ones of further languages.

Words are lower case, without accents. Those of other languages stand only where no English word is meant.
"""

from __future__ import annotations

__all__ = ["LAG", "OTHER", "OWN", "QUESTION", "ROLES", "ROUND_WORDS", "SEAT_WORDS", "SUMMARY", "TOTAL"]


def _words(*lines: str) -> tuple[str, ...]:
    return tuple(" ".join(lines).split())


OTHER = frozenset(
    _words(
        "other others opponent opponents opp partner partners their them theirs rival counterpart oth",
        "gegner gegenspieler mitspieler adversaire partenaire autre oponente contrincante companero otro",
        "adversario parceiro outro avversario compagno tegenstander medespeler",
        "对手 搭档 相手 الخصم الشريك",
    )
)
"""Words for the other player of a game."""

OWN = frozenset(_words("own my mine self ego focal your"))
"""Words for the player of the row."""

LAG = frozenset(_words("last lag lagged prev previous"))
"""Words for the round before."""

TOTAL = frozenset(
    _words("total totals cumulative cum running accumulated final sum gesamt summe totale 总 总计")
)
"""Words for amounts summed over rounds."""

SUMMARY = frozenset(
    _words(
        "per rate rates proportion fraction frequency freq percent percentage pct ratio mean average avg",
        "median sd anteil durchschnitt mittelwert taux moyenne tasa promedio taxa gemiddelde 率 比例 平均",
    )
)
"""Words for what sums up rounds or games, as a rate of cooperation: no move, and not what one brought."""

QUESTION = frozenset(_words("q question questions quiz comprehension"))
"""Words in the names of questions put to players beside their moves, and of the answers to them."""

SEAT_WORDS = frozenset(
    _words(
        "player agent subject participant seat p person bot llm side",
        "spieler joueur jugador jogador giocatore speler 玩家",
    )
)
"""Words before the number of a seat."""

ROUND_WORDS = frozenset(
    _words(
        "round r period t turn trial rd rnd iteration",
        "runde ronda ronde manche rodada turno 轮 轮次 回合 第",
    )
)
"""Words before the number of a round."""

ROLES: dict[str, tuple[str, ...]] = {
    "action": _words(
        "action choice move decision answer coop cooperate cooperated cooperation play played act response",
        "actual realised realized implemented defect defected history dec",
        "entscheidung wahl zug aktion handlung choix coup eleccion jugada accion escolha decisao jogada acao",
        "scelta decisione mossa azione keuze beslissing zet 选择 决策 行动 選択 行動 القرار الاختيار",
    ),
    "value": _words(
        "value contribution contributed contrib invest investment bid guess donation",
        "beitrag apport aporte contribuicao contributo bijdrage 贡献",
    ),
    "payoff": _words(
        "payoff payoffs score scores points reward earnings earning profit pay utility years penalty",
        "auszahlung punkte gewinn gain gains paiement pago ganancia puntos pagamento ganho pontos guadagno",
        "punti uitbetaling punten 收益 得分 支付 利得 العائد النقاط",
    ),
    "round": _words(
        "round period turn trial iteration rd rnd",
        "runde periode manche tour ronda periodo turno rodada ronde 轮 轮次 回合 期 الجولة",
    ),
    "player": _words(
        "player subject participant agent person pid sid uid worker name subj subid",
        "spieler teilnehmer proband joueur sujet jugador participante sujeto jogador giocatore partecipante",
        "soggetto speler deelnemer 玩家 被试 参与者 参加者 اللاعب المشارك",
    ),
    "match": _words(
        "match supergame episode interaction sequence cycle dyad pair group rematch gameid matchid",
        "partie begegnung paar gruppe paire groupe partida grupo partita gruppo coppia groep",
        "局 对局 组 المجموعة",
    ),
    "game": _words("game spiel jeu juego jogo gioco spel 游戏 اللعبة"),
    "session": _words(
        "session sess cohort lab experiment date wave batch",
        "sitzung seance sesion sessao sessione sessie 场次 الجلسة",
    ),
    "treatment": _words(
        "treatment treat condition cond arm variant",
        "bedingung traitement tratamiento condicion tratamento condicao trattamento condizione behandeling",
        "conditie 条件 处理",
    ),
    "model": _words("model llm modell modele modelo modello"),
    "language": _words("language lang sprache langue idioma lingua taal 语言"),
    "persona": _words("persona personality"),
    "strategy": _words("strategy strategie estrategia strategia"),
    "message": _words("message msg chat communication utterance nachricht mensaje mensagem messaggio"),
    "reasoning": _words("reasoning rationale reason explanation justification cot begrundung raison razon"),
    "private_thought": _words("thought thoughts"),
    "reply": _words("reply output completion"),
    "prompt": _words("prompt"),
    "decided": _words("decided intended intention chosen"),
    "input": _words("input"),
    "agreement": _words("coordination coordinated same agree agreed matched"),
    "option": _words("option"),
    "order": _words("order"),
    "advice": _words("advice advised recommendation recommended suggestion"),
    "question": _words("question questions quiz comprehension"),
}
"""Role -> words of which one stands in the name of such a column; the exact names of `KEYS` count too."""
