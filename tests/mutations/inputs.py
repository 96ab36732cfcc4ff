"""Small files of every kind that the program reads, the parts of them that are damaged apart, and what reads them."""

import base64
import io
import json
import re
import shutil
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attn_gui import render
from attn_gui.engine import Problem
from attn_gui.figure.figure_kinds import PAGES
from attn_gui.formats import open_file, open_matrix, rows_of, save, save_rows, save_session
from attn_gui.formats.catalog import FORMATS
from attn_gui.formats.file_format import reading
from attn_gui.formats.journal import LENGTH, MAGIC, HeldFile, Journal, JournalStep, kept_in, recover
from attn_gui.formats.session import FileStamp, KeptDocument, LayerRecord, StudyRecord, png_text, session_in
from attn_gui.formats.snapshots import packed
from attn_gui.formats.text.text_table import read_table
from attn_gui.lessons.lesson import read_lesson
from attn_gui.lessons.step_states import states_of
from attn_gui.models import open_model
from attn_gui.paths import resource

MODEL = Path(__file__).parents[1] / "data" / "models" / "tiny-llama"
FIGURES = ("png", "svg", "pdf")


class Part(NamedTuple):
    """Bytes that are damaged, and what makes a file of them."""

    data: bytes
    wrapped: Callable[[bytes], bytes] = bytes


class Input(NamedTuple):
    """A file by its name, its parts, and what is done with it once it stands at a path."""

    name: str
    parts: tuple[Part, ...]
    read: Callable[[Path], object]


def a_problem() -> Problem:
    """A problem with some of everything that a file can hold."""
    numbers = np.random.default_rng(5)
    layers = [
        {"kind": "custom", "allowed": np.tril(np.ones((4, 4), bool))},
        {"kind": "window", "left": 2},
        {"kind": "bias", "values": numbers.normal(size=(4, 4))},
    ]
    by_hand = [{"kind": "set", "stage": "weights", "at": {"query": 1, "key": 0}, "values": 0.25}]
    return Problem(
        *(numbers.normal(size=(4, 4)) for _ in range(3)),
        num_heads=2,
        mask=layers,
        softcap=5.0,
        interventions=by_hand,
        query_tokens=("a", "猫", "c", "d"),
    )


def inputs(folder: Path) -> list[Input]:
    """All of them; `folder` is for what has to be written to be had."""
    problem, path = a_problem(), folder / "made"
    found = [_session(problem, path), _npz(problem, path), *_named(problem), *_matrices(path), _clipboard()]
    return [
        *found,
        *(_figure(problem, folder / f"made.{kind}") for kind in FIGURES),
        _journal(problem, path),
        *_lessons(),
        *_models(folder),
    ]


# --- sessions and arrays -----------------------------------------------------------------------------
def _open(path: Path) -> None:
    """As the window does; what is kept beside the problem is put together, too."""
    for each in open_file(path).snapshots:
        with suppress(ValueError):
            each.problem()


def _session(problem: Problem, path: Path) -> Input:
    data = session_bytes(problem, path)
    length = int.from_bytes(data[:8], "little")
    header, cells = data[8 : 8 + length], data[8 + length :]
    return Input("session.attn", (Part(data), Part(header, lambda text: _counted(text) + cells)), _open)


def session_bytes(problem: Problem, path: Path) -> bytes:
    """A session with snapshots, a view and words."""
    other = problem.replace(query=problem.query + 1)
    kept = packed(problem, (), "as it was", "a note")
    snapshots = kept, packed(other, (kept,), "moved", by_itself=True)
    save_session(problem, path.with_suffix(".attn"), {"head": 1}, {"title": "T"}, snapshots=snapshots)
    return path.with_suffix(".attn").read_bytes()


def _counted(text: bytes) -> bytes:
    return len(text).to_bytes(8, "little") + text


def _npz(problem: Problem, path: Path) -> Input:
    save(problem, path.with_suffix(".npz"))
    parts = [Part(path.with_suffix(".npz").read_bytes())]
    return Input("arrays.npz", (*parts, *_members(parts[0].data, ".npy")), _list_or_open)


def _members(archive: bytes, ending: str) -> list[Part]:
    """The members of a zip, each put back whole in the others' company."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        held = {name: opened.read(name) for name in opened.namelist()}

    def with_other(name: str) -> Callable[[bytes], bytes]:
        return lambda data: _zipped(held | {name: data})

    return [Part(held[name], with_other(name)) for name in held if name.endswith(ending)]


def _zipped(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def _list_or_open(path: Path) -> None:
    """Open, and list what is in it as somebody is asked who has to choose."""
    kind = next(kind for kind in FORMATS.values() if path.suffix in kind.suffixes)
    if kind.listing is not None:
        with reading(path) as source:
            listing = kind.listing(source)
            listing.read(source, [array.name for array in listing.arrays][:3])
    _open(path)


def _named(problem: Problem) -> list[Input]:
    arrays = {name: array for name, array in problem.arrays().items() if name in ("query", "key", "value")}
    listed = json.dumps({**{name: array.tolist() for name, array in arrays.items()}, "num_heads": 2}).encode()
    header, start = {}, 0
    for name, array in arrays.items():
        header[name] = {"dtype": "F64", "shape": array.shape, "data_offsets": (start, start + array.nbytes)}
        start += array.nbytes
    text, cells = json.dumps(header).encode(), b"".join(array.tobytes() for array in arrays.values())
    tensors = Part(_counted(text) + cells), Part(text, lambda data: _counted(data) + cells)
    book = _workbook(arrays)
    return [
        Input("lists.json", (Part(listed),), _list_or_open),
        Input("tensors.safetensors", tensors, _list_or_open),
        Input("book.xlsx", (Part(book), *_members(book, ".xml")), _list_or_open),
    ]


def _workbook(arrays: dict[str, np.ndarray]) -> bytes:
    from openpyxl import Workbook

    book, file = Workbook(), io.BytesIO()
    for name, array in arrays.items():
        sheet = book.create_sheet(name)
        for row in array.tolist():
            sheet.append(row)
    book.save(file)
    return file.getvalue()


def _matrices(path: Path) -> list[Input]:
    found = []
    for ending in ("npy", "csv", "tsv"):
        save_rows(rows_of(np.arange(12.0).reshape(3, 4) / 7), path.with_suffix(f".{ending}"))
        found.append(Input(f"matrix.{ending}", (Part(path.with_suffix(f".{ending}").read_bytes()),), open_matrix))
    return found


def _clipboard() -> Input:
    texts = (
        "1\t2.5\n-3\t1/2\n",
        "a;b\n0,5;1\n",
        "| 1 | 2 |\n|---|---|\n| 3 | 4 |",
        "{{1,2},{3,4}}",
        "1 & 2 \\\\ 3 & 4",
    )
    parts = tuple(Part(text.encode()) for text in texts)
    return Input("clipboard", parts, lambda path: read_table(path.read_bytes().decode(errors="replace")))


# --- figures, journals, lessons, models --------------------------------------------------------------
def _figure(problem: Problem, path: Path) -> Input:
    render(problem, path)
    data = path.read_bytes()
    inside = session_in(data)
    wrap = {"png": _in_png, "svg": _in_svg, "pdf": _in_pdf}[path.suffix[1:]]
    return Input(f"figure{path.suffix}", (Part(data), Part(inside, lambda session: wrap(data, session))), _open)


def _in_png(figure: bytes, session: bytes) -> bytes:
    chunk = b"zTXt" + png_text(session)
    return figure[:8] + (len(chunk) - 4).to_bytes(4, "big") + chunk + zlib.crc32(chunk).to_bytes(4, "big") + figure[8:]


def _in_svg(figure: bytes, session: bytes) -> bytes:
    packed = base64.b64encode(zlib.compress(session))
    return re.sub(rb'(<metadata id="attn_gui">)[^<]*', lambda found: found[1] + packed, figure)


def _in_pdf(figure: bytes, session: bytes) -> bytes:
    number = re.search(rb"/EF <</F (\d+) 0 R>>", figure)
    assert number is not None
    begun = re.search(rb"\n%s 0 obj\s*<<[^>]*>>\s*stream\r?\n" % number[1], figure)
    assert begun is not None
    return figure[: begun.end()] + zlib.compress(session) + figure[begun.end() :]


def _journal(problem: Problem, path: Path) -> Input:
    kept = packed(problem, (), "as it was")
    journal = Journal(path.with_suffix(".journal"))
    names = tuple(problem.arrays())
    first = JournalStep(
        problem, names, kept=KeptDocument(name="mine", sizes=(4, 4, 2), view={"head": 1}), snapshots=(kept,)
    )
    journal.begin(replace(first, study=_around))
    journal.append(JournalStep(problem, (), (("query", (slice(0, 1), slice(1, 3))),)))
    end = path.with_suffix(".journal").stat().st_size
    save(problem, path.with_suffix(".attn"))
    held = FileStamp.of(path.with_suffix(".attn"))
    assert held is not None
    journal.expect(HeldFile(held, 0))
    data = path.with_suffix(".journal").read_bytes()
    begun = len(MAGIC) + LENGTH + int.from_bytes(data[len(MAGIC) : len(MAGIC) + LENGTH], "little") + 4
    first, second = data[len(MAGIC) + LENGTH : begun - 4], data[begun + LENGTH : end - 4]
    parts = (
        Part(data),
        Part(data[:end]),
        Part(first, lambda entry: MAGIC + _entry(entry) + data[begun:end]),
        Part(second, lambda entry: data[:begun] + _entry(entry)),
        Part(data[end + LENGTH : -4], lambda entry: data[:end] + _entry(entry)),
    )

    def read(path: Path) -> None:
        kept_in(path)
        recover(path)

    return Input("left.journal", parts, read)


def _around() -> StudyRecord:
    """The model around a layer, with a change in another one."""
    cells = {"w_query": (np.array([3]), np.array([2.5]))}
    layer = LayerRecord({"num_heads": 2}, ("w_query", "x"), cells, {"x": np.ones((2, 2))})
    return StudyRecord("toy", "0" * 64, "/nowhere", "a b", 1, {0: layer})


def _entry(data: bytes) -> bytes:
    return _counted(data) + zlib.crc32(data).to_bytes(4, "little")


def _lessons() -> list[Input]:
    paths = sorted(resource("lessons").glob("*.md"))
    parts = tuple(Part(path.read_bytes()) for path in (*paths[:6], paths[-1]))
    return [Input("lesson.md", parts, lambda path: states_of(read_lesson(path), PAGES))]


def _models(folder: Path) -> list[Input]:
    """One file of a checkpoint at a time."""

    def reader(name: str) -> Callable[[Path], object]:
        around = folder / f"model-{name}"
        shutil.copytree(MODEL, around)

        def read(path: Path) -> None:
            shutil.copyfile(path, around / name)
            open_model(around).run(ids=[1, 2, 3])

        return read

    return [
        Input(name, (Part((MODEL / name).read_bytes()),), reader(name))
        for name in ("config.json", "model.safetensors", "tokenizer.json")
        if (MODEL / name).exists()
    ]
