from intent.behaviour.measures import read_details


def test_untrusted_details():
    assert read_details('{"status": "stalled", "turns": 6}') == {"status": "stalled", "turns": 6}
    for cell in (None, float("nan"), "", "[1]", '"x"', "{", "[" * 100_000, '{"a": "' + "x" * 200_000 + '"}'):
        assert read_details(cell) == {}
