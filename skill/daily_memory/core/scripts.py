"""One spelling for characters that mean the same: the table behind `text.fold`."""

from __future__ import annotations

_PAIRS = ""
_ACCENTED = "àáâãäåçèéêëìíîïñòóôõöùúûüýÿÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖÙÚÛÜÝ"
_PLAIN = "aaaaaaceeeeiiiinooooouuuuyyAAAAAACEEEEIIIINOOOOOUUUUY"
_FULL_WIDTH_SHIFT = 0xFEE0


def _table() -> dict[int, int]:
    table = {code + _FULL_WIDTH_SHIFT: code for code in range(0x21, 0x7F)}
    table[0x3000] = 0x20
    table.update(zip(map(ord, _ACCENTED), map(ord, _PLAIN), strict=True))
    codes = [ord(character) for character in _PAIRS]
    table.update(zip(codes[::2], codes[1::2], strict=True))
    return table


FOLDING = _table()
