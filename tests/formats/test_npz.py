"""`.npz` files of others: what is taken, and every way in which one may lie."""

import io
import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from attn_gui.formats import load, open_file, untrusted_bytes
from tests.costs import taking
from tests.failing import each


@dataclass(frozen=True)
class Member:
    """An entry of a zip, and what the zip claims about it where that is not the truth."""

    name: str
    data: bytes
    packed: bytes | None = None  # what really stands in the file
    size: int | None = None
    method: int = 0
    flags: int = 0

    def fields(self) -> tuple[int, ...]:
        packed = self.data if self.packed is None else self.packed
        size = len(self.data) if self.size is None else self.size
        return 20, self.flags, self.method, 0, 33, zlib.crc32(self.data), len(packed), size


def zipped(*members: Member, comment: bytes = b"") -> bytes:
    """A zip written by hand, so that it can lie."""
    out, directory = io.BytesIO(), io.BytesIO()
    for member in members:
        name, offset = member.name.encode(), out.tell()
        out.write(b"PK\3\4" + struct.pack("<HHHHHIIIHH", *member.fields(), len(name), 0) + name)
        out.write(member.data if member.packed is None else member.packed)
        directory.write(b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", 20, *member.fields(), len(name), *[0] * 5, offset))
        directory.write(name)
    counts = (len(members), len(members), directory.tell(), out.tell(), len(comment))
    return out.getvalue() + directory.getvalue() + b"PK\5\6\0\0\0\0" + struct.pack("<HHIIH", *counts) + comment


def with_end64(data: bytes, directory: int | None = None, place: int | None = None) -> bytes:
    """A zip with the end of one of more than 4 GiB: its counts stand apart, and the old ones say nothing."""
    counts = struct.unpack("<HHIIH", data[-14:])
    size = counts[2] if directory is None else directory
    told = struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, counts[0], counts[1], size, counts[3])
    at = len(data) - 22 if place is None else place
    old = struct.pack("<HHIIH", 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return data[:-22] + b"PK\6\6" + told + b"PK\6\7" + struct.pack("<IQI", 0, at, 1) + data[-22:-14] + old


def npy(array: object, pickled: bool = False) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(array), allow_pickle=pickled)
    return buffer.getvalue()


def header(shape: tuple[int, ...], descr: str = "<f8", data: bytes = b"") -> bytes:
    """A header that claims what it likes, then `data`."""
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape!r}, }}".encode().ljust(117) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text + data


def entry(name: str, array: object) -> Member:
    return Member(f"{name}.npy", npy(array))


KEY, VALUE = entry("key", np.ones((3, 2))), entry("value", np.ones((3, 2)))
QUERY = entry("query", np.ones((5, 2)))


def with_query(data: bytes, **lies: object) -> bytes:
    return zipped(Member("query.npy", data, **lies), KEY, VALUE)


def with_meta(meta: object) -> bytes:
    text = meta if isinstance(meta, str | bytes | np.ndarray) else json.dumps(meta)
    return zipped(QUERY, KEY, VALUE, entry("meta", text))


def zeros(start: bytes, megabytes: int) -> bytes:
    """Raw deflate of `start` and many megabytes of zeros, made without ever holding these."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(start) + packer.flush(zlib.Z_FULL_FLUSH)
    return first + (packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH)) * megabytes + packer.flush()


GOOD = npy(np.ones((5, 2)))
REFUSED = {
    "cut off": (with_query(GOOD)[:-9], "end is missing"),
    "with a comment": (zipped(QUERY, KEY, VALUE, comment=b"?"), "end is missing"),
    "no field": (zipped(entry("scores", 1.0), entry("concat", 2.0)), "holds no problem"),
    "one missing": (zipped(QUERY, KEY), "value is missing"),
    "both ways": (zipped(QUERY, KEY, VALUE, entry("x", np.ones((2, 2)))), "exclude each other"),
    "twice": (zipped(QUERY, KEY, VALUE, QUERY), "“query” is there twice"),
    "encrypted": (with_query(GOOD, flags=1), "encrypted or packed"),
    "bzip2": (with_query(GOOD, method=12), "encrypted or packed"),
    "not an array": (with_query(b"just bytes"), "not a NumPy array"),
    "nothing": (with_query(b""), "not a NumPy array"),
    "objects": (with_query(npy(np.array([{}, 1], object), pickled=True)), "could run code"),
    "complex": (with_query(npy(np.ones((5, 2), complex))), "holds complex128; expected float16"),
    "texts": (with_query(npy(np.full((5, 2), "1"))), "holds <U1"),
    "five axes": (with_query(npy(np.ones((1, 1, 1, 5, 2)))), "5 axes; expected at most 4"),
    "no cells": (with_query(header((0, 10**18))), "no cells"),
    "ten gigabytes promised": (with_query(header((10**9 + 1, 10), "|i1")), "10.0 GB of memory"),
    "less than promised": (with_query(header((5, 2), data=bytes(72))), "expected 80 bytes of numbers, got 72"),
    "more than promised": (with_query(header((5, 2), data=bytes(81))), "expected 80 bytes of numbers, got 81"),
    "size is a lie": (with_query(header((5, 2), data=bytes(8)), size=208), "expected 80 bytes of numbers, got 8"),
    "wrong checksum": (with_query(GOOD, packed=GOOD[:-1] + b"!"), "is damaged or is not what its name says"),
    "broken deflate": (with_query(GOOD, packed=b"\xff" * 30, method=8), "damaged"),
    "a long header": (with_query(b"\x93NUMPY\2\0" + struct.pack("<I", 2**32 - 1)), "header cannot be read"),
    "a header of code": (with_query(b"\x93NUMPY\1\0\x0e\0__import__('os"), "header cannot be read"),
    "an unknown version": (with_query(b"\x93NUMPY\x09\0" + GOOD[8:]), "header cannot be read"),
    "options in pieces": (with_meta('{"num_heads": '), "not valid JSON"),
    "options with NaN": (with_meta('{"scale": NaN}'), "NaN"),
    "an option twice": (with_meta('{"scale": 1, "scale": 2}'), "“scale” is given twice"),
    "long options": (with_meta(" " * (2**20 + 1)), "1.0 MB long"),
    "options as numbers": (with_meta(np.ones(3)), "“meta” is not a text"),
    "several options": (with_meta(np.array(["{}", "{}"])), "“meta” is not a text"),
    "heads that do not divide": (with_meta({"num_heads": 5}), "query has 2 columns, which 5 heads cannot share"),
    "tokens that do not fit": (with_meta({"query_tokens": ["a"]}), "expected 5, got 1"),
    "an unknown mask": (with_meta({"mask": [{"kind": "diagonal"}]}), "one of the mask layers"),
    "a name that no mask has": (with_meta({"mask": "casual"}), "one of the mask layers"),
    "a layer without cells": (with_meta({"mask": [{"kind": "custom"}]}), "needs allowed"),
    "cells without a layer": (zipped(QUERY, KEY, VALUE, entry("mask.0.allowed", True)), "belongs to no mask layer"),
    "an unknown dtype": (with_meta({"dtype": "float8"}), "dtype must be one of"),
}


@each("name", REFUSED)
def test_a_bad_file_is_one_sentence(name: str, tmp_path: Path, refused: Callable[..., str]) -> None:
    data, words = REFUSED[name]
    path = tmp_path / "file.npz"
    path.write_bytes(data)
    assert words in refused(load, path, path=path)


@each(
    ("start", "size"),
    [
        (header((3 * 2**27, 1)), 128 + 3 * 2**30),  # honest: three gigabytes
        (header((5, 2)), 128 + 3 * 2**30),  # the header is small, the rest is not
        (header((5, 2)), 128 + 80),  # both say little, three gigabytes come
        (b"\x93NUMPY\2\0" + struct.pack("<I", 2**31), 2**31),  # the header itself is the bomb
    ],
)
def test_a_bomb_is_refused_before_it_goes_off(
    start: bytes, size: int, tmp_path: Path, refused: Callable[..., str]
) -> None:
    path = tmp_path / "bomb.npz"
    path.write_bytes(with_query(start, packed=zeros(start, 3 * 2**10), size=size, method=8))
    with taking(30e6):
        refused(load, path, path=path)


def test_the_memory_of_all_arrays_counts_together(
    tmp_path: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(untrusted_bytes.Budget.__init__, "__defaults__", (100,))
    path = tmp_path / "file.npz"
    path.write_bytes(zipped(QUERY, KEY, VALUE))
    assert "“key” of shape 3 × 2 needs 48 bytes of memory; expected at most 20 bytes" in refused(load, path, path=path)


def test_a_directory_that_would_not_fit_is_not_read(tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / "file.npz"
    path.write_bytes(zipped(*(Member(f"{'x' * 60}{number}", b"") for number in range(12_000))))
    assert "directory of 1.3 MB" in refused(load, path, path=path)


def test_a_file_with_the_end_of_one_of_more_than_four_gigabytes_is_read(tmp_path: Path) -> None:
    path, plain = tmp_path / "file.npz", tmp_path / "plain.npz"
    path.write_bytes(with_end64(zipped(QUERY, KEY, VALUE)))
    plain.write_bytes(zipped(QUERY, KEY, VALUE))
    assert load(path) == load(plain)


@each(
    ("directory", "place", "said"),
    [(2**40, None, "directory of 1.1 TB; expected at most 1.0 MB"), (None, 7, "its end is missing")],
)
def test_such_an_end_cannot_lie(directory, place, said, tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / "file.npz"
    path.write_bytes(with_end64(zipped(QUERY, KEY, VALUE), directory, place))
    assert said in refused(load, path, path=path)


@each("dtype", ["<f2", ">f4", ">f8", "<i1", ">i4", "<u8", "|b1", ">u2"])
@each("order", ["C", "F"])
def test_numbers_become_native_and_contiguous(dtype: str, order: str, tmp_path: Path) -> None:
    cells = np.array([[0, 1, 1, 0], [1, 0, 1, 1]])
    np.savez_compressed(tmp_path / "a.npz", query=np.asarray(cells, dtype, order=order), key=cells, value=cells)
    problem = load(tmp_path / "a.npz")
    np.testing.assert_array_equal(problem.query, cells)
    assert problem.query.flags.c_contiguous
    assert problem.query.dtype.isnative


@each(("dtype", "expected"), [("f2", "float32"), ("f4", "float32"), ("f8", "float64"), ("i8", "float64")])
def test_the_dtype_is_as_fine_as_the_arrays(dtype: str, expected: str, tmp_path: Path) -> None:
    one = np.ones((2, 2), dtype)
    np.savez(tmp_path / "a.npz", query=one, key=one, value=one)
    assert load(tmp_path / "a.npz").dtype == expected
    np.savez(tmp_path / "b.npz", query=one, key=one, value=one, meta=json.dumps({"dtype": "float64"}))
    assert load(tmp_path / "b.npz").dtype == "float64"


@each(("whole", "expected"), [(2**24, "float32"), (-(2**24) - 1, "float64"), (2**24 + 1, "float64")])
def test_a_whole_number_is_not_rounded_for_the_arrays_beside_it(whole: int, expected: str, tmp_path: Path) -> None:
    one = np.ones((2, 2), "f4")
    np.savez(tmp_path / "a.npz", query=np.full((2, 2), whole), key=one, value=one)
    problem = load(tmp_path / "a.npz")
    assert (problem.dtype, problem.query[0, 0]) == (expected, whole)


def test_a_number_too_large_for_the_dtype_that_is_asked_for_is_said(tmp_path: Path) -> None:
    arrays = {"query": [[1, -1e300]], "key": np.full((1, 2), np.inf), "value": [[1.5]]}
    mask = [{"kind": "bias", "values": [[-1e300]]}]
    np.savez(tmp_path / "a.npz", **arrays, meta=json.dumps({"dtype": "float32", "mask": mask}))
    assert open_file(tmp_path / "a.npz").notes == tuple(
        f"“{name}” holds −1e300, too large for float32: it is −∞ now." for name in ("mask.0.values", "query")
    )


def test_what_is_ignored_is_never_read(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(
        zipped(QUERY, KEY, VALUE, Member("../../etc/passwd", b"root"), Member("lies.npy", header((2**62,))))
    )
    assert open_file(path).notes == ("Arrays not used: lies, ../../etc/passwd.",)


# --- options given as arrays ---------------------------------------------------------------------
CELLS = {name: np.arange(12.0).reshape(3, 4) / 7 for name in ("query", "key", "value")}
OPEN = np.tril(np.ones((3, 3), bool))
GIVEN = {
    "num_heads": (2, 2),
    "scale": (0.25, 0.25),
    "rotary_theta": (100, 100.0),
    "dtype": ("float32", "float32"),
    "query_tokens": (["a", "b", "c"], ("a", "b", "c")),
    "key_tokens": (np.array([b"a", b"b", b"c"]), ("a", "b", "c")),
    "score": ("cosine", "cosine"),
}


@each("name", GIVEN)
def test_an_option_may_be_an_array(name: str, tmp_path: Path) -> None:
    given, expected = GIVEN[name]
    np.savez(tmp_path / "a.npz", **CELLS | {name: given})
    loaded = open_file(tmp_path / "a.npz")
    assert getattr(loaded.problem, name) == expected
    assert (loaded.notes, loaded.left_out) == ((), ())


@each("cells", [OPEN, OPEN.astype("u1"), np.stack([OPEN, OPEN])])
def test_a_mask_of_booleans_is_what_may_be_attended(cells: np.ndarray, tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **CELLS, num_heads=2, mask=cells)
    layer = load(tmp_path / "a.npz").mask[0]
    assert layer.kind == "custom"
    np.testing.assert_array_equal(layer.allowed, cells != 0)


@each("said", ["causal", [{"kind": "causal"}]])
def test_a_mask_may_be_named_alone(said: object, tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **CELLS, meta=json.dumps({"mask": said}))
    lists = {name: cells.tolist() for name, cells in CELLS.items()}
    (tmp_path / "b.json").write_text(json.dumps({**lists, "mask": said}))
    (tmp_path / "c.json").write_text(json.dumps({**lists, "meta": {"mask": said}}))
    np.savez(tmp_path / "d.npz", **CELLS, mask="causal")
    for name in ("a.npz", "b.json", "c.json", "d.npz"):
        loaded = open_file(tmp_path / name)
        assert [layer.kind for layer in loaded.problem.mask] == ["causal"]
        assert (loaded.notes, loaded.left_out) == ((), ())


def test_a_mask_of_numbers_is_added(tmp_path: Path) -> None:
    cells = np.where(OPEN, 0.0, -np.inf)
    np.savez(tmp_path / "a.npz", **CELLS, mask=cells)
    layer = load(tmp_path / "a.npz").mask[0]
    assert layer.kind == "bias"
    np.testing.assert_array_equal(layer.values, cells)


STACKED = {name: np.ones((2, 3, 4)) for name in ("query", "key", "value")}
REFUSED_OPTIONS = {
    "0 and 1 as decimals": (CELLS | {"mask": OPEN.astype(float)}, 'mask="keep" (True may attend), mask="block"'),
    "a mask of another shape": (CELLS | {"mask": np.ones((2, 2), bool)}, "must broadcast to (batch, head, query, key)"),
    "no scale": (CELLS | {"scale": np.array(None)}, "could run code"),
    "twice": (CELLS | {"scale": 1.0, "meta": '{"scale": 1.0}'}, "“scale” is there twice, by itself and in “meta”"),
    "an axis that may be heads": (STACKED | {"num_heads": 2}, 'axes="head,token,column" (heads 2, tokens 3)'),
}


@each("name", REFUSED_OPTIONS)
def test_a_bad_option_is_one_sentence(name: str, tmp_path: Path, refused: Callable[..., str]) -> None:
    content, words = REFUSED_OPTIONS[name]
    np.savez(tmp_path / "file.npz", **content)
    assert words in refused(load, tmp_path / "file.npz", path=tmp_path / "file.npz")


def test_a_file_may_say_that_its_first_axis_is_the_batch(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **STACKED, num_heads=2, batch_axis=True)
    assert load(tmp_path / "a.npz").batch_size == 2


def test_what_is_left_out_is_a_warning(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **CELLS, more=np.ones(2), down=np.eye(3), meta='{"sliding": 3}')
    with pytest.warns(UserWarning, match="not used") as caught:
        load(tmp_path / "a.npz")
    assert [str(warning.message) for warning in caught] == [
        "a.npz: Arrays not used: more, down.",
        "a.npz: Options not used: sliding.",
    ]
    assert caught[0].filename == __file__
    assert open_file(tmp_path / "a.npz").left_out == ("more", "sliding")
