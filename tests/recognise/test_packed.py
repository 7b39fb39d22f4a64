import numpy as np

from intent.recognise.encoding import pack_rows


def test_known_codes_move_left_in_order():
    codes = np.array([[3, -1, 1, 2], [0, 1, -1, -1], [-1, -1, -1, -1]], dtype=np.int8)
    found, lengths = pack_rows(codes)
    assert found.tolist() == [[3, 1, 2, -1], [0, 1, -1, -1], [-1, -1, -1, -1]]
    assert lengths.tolist() == [3, 2, 0]


def test_rows_without_holes_stay_as_they_are():
    codes = np.array([[3, 1], [0, -1]], dtype=np.int8)
    assert pack_rows(codes)[0] is codes


def test_no_rounds():
    found, lengths = pack_rows(np.empty((2, 0), dtype=np.int8))
    assert found.shape == (2, 0)
    assert lengths.tolist() == [0, 0]
