"""Damage to bytes as disks, editors and people with bad intentions do it."""

import re
from random import Random

WORDS = (
    *(b"-1", b"0", b"1e308", b"NaN", b"Infinity", b"null", b"true", b"[]", b"{}", b'""', b"\x00", b"\xff\xfe"),
    *(b"99999999999", b"18446744073709551616", b"-0.0", b"1e-320", b"\xed\xa0\x80", b"\\ud800", b"9" * 400),
    *(number.to_bytes(8, "little") for number in (0, 1, 2**31, 2**53, 2**63, 2**64 - 1)),
)
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")


def mutated(data: bytes, dice: Random) -> bytes:
    """The data with one to eight changes, never empty."""
    found = bytearray(data)
    for _ in range(dice.choice((1, 1, 1, 2, 3, 8))):
        dice.choice((_flip, _flip, _overwrite, _drop, _repeat, _insert, _renumber, _cut))(found, dice)
        found = found or bytearray(b"x")
    return bytes(found)


def _flip(data: bytearray, dice: Random) -> None:
    data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)


def _overwrite(data: bytearray, dice: Random) -> None:
    place, word = dice.randrange(len(data)), dice.choice(WORDS)
    data[place : place + len(word)] = word


def _drop(data: bytearray, dice: Random) -> None:
    place = dice.randrange(len(data))
    del data[place : place + dice.choice((1, 2, 8, 40, 400))]


def _repeat(data: bytearray, dice: Random) -> None:
    place, from_here = dice.randrange(len(data)), dice.randrange(len(data))
    data[place:place] = data[from_here : from_here + dice.choice((1, 8, 40, 400))] * dice.choice((1, 1, 1, 20))


def _insert(data: bytearray, dice: Random) -> None:
    place = dice.randrange(len(data))
    data[place:place] = dice.choice(WORDS) if dice.random() < 0.5 else dice.randbytes(dice.randint(1, 9))


def _renumber(data: bytearray, dice: Random) -> None:
    """Another number in the place of one that is written out."""
    place = dice.randrange(len(data))
    found = NUMBER.search(data, place, place + 2000)
    if found is not None:
        data[found.start() : found.end()] = dice.choice(WORDS[:6] + WORDS[12:16])


def _cut(data: bytearray, dice: Random) -> None:
    if dice.random() < 0.3:
        del data[dice.randrange(len(data)) :]
