"""Input files of every kind: refused in one line before they are read or waited for; the plain ones accepted."""

from __future__ import annotations

import io
import json
import os
import struct
import subprocess
import sys
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.lib import format as npy

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.files import LARGEST, from_file
from resproof.numeric.data import DataError
from resproof.reporting.data import read_npz
from resproof.reporting.npz import MOST

X = np.arange(21.0).reshape(3, 7)
BLOCK = """
from resproof.architectures.activations import tanh
from resproof.architectures.nodes import Input, Weight
h, W1, W2 = Input("d"), Weight("k", "d"), Weight("d", "k")
block = h + W2 @ tanh(W1 @ h)
"""


def packed(array: Any, **header: Any) -> bytes:
    """An .npy file, with a header that may say something else."""
    told = {"descr": npy.dtype_to_descr(array.dtype), "fortran_order": False, "shape": array.shape, **header}
    target = io.BytesIO()
    npy.write_array_header_1_0(target, told)
    return target.getvalue() + array.tobytes()


def archive(path: Path, *members: tuple[str, bytes], method: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", method) as file:
        for name, content in members:
            file.writestr(name, content)
    return path


def both(path: Path, array: Any, **header: Any) -> Path:
    return archive(path, ("X.npy", packed(array, **header)), ("Y.npy", packed(array)))


@pytest.mark.parametrize(
    "kind", ["<f8", ">f8", "<f4", ">f4", "<f2", ">f2", "<i8", ">i4", "<u2", ">u2", "i1", "?", "float128"]
)
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_every_kind_of_number(kind: str, save: Callable[..., None], tmp_path: Path) -> None:
    array = X.astype(kind)
    save(tmp_path / "data.npz", X=array, Y=np.asfortranarray(array))
    found = read_npz(tmp_path / "data.npz")
    assert found.X.dtype == found.Y.dtype == np.float64
    np.testing.assert_array_equal(found.X, array.astype(np.float64))
    np.testing.assert_array_equal(found.Y, array.astype(np.float64))


def lying(path: Path, *, claims: int, holds: int) -> Path:
    """A member that claims another size than it has, in the directory and before itself."""
    content = packed(np.zeros((1, holds // 8)))
    archive(path, ("X.npy", content), ("Y.npy", content), method=zipfile.ZIP_DEFLATED)
    said, wrong = struct.pack("<L", len(content)), struct.pack("<L", len(content) - holds + claims)
    path.write_bytes(path.read_bytes().replace(said, wrong))
    return path


def flipped(path: Path) -> Path:
    """One bit of the array's numbers is another."""
    content = bytearray(both(path, X).read_bytes())
    content[content.index(b"NUMPY") + 200] ^= 1
    path.write_bytes(content)
    return path


def encrypted(path: Path) -> Path:
    content = bytearray(both(path, X).read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(mark)
        while at >= 0:
            content[at + place] |= 1
            at = content.find(mark, at + 1)
    path.write_bytes(content)
    return path


def written(path: Path, content: bytes) -> Path:
    _ = path.write_bytes(content)
    return path


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def linked(target: str) -> Callable[[Path], Path]:
    def make(path: Path) -> Path:
        path.symlink_to(target)
        return path

    return make


def twice(path: Path) -> Path:
    with pytest.warns(UserWarning, match="Duplicate name"):
        return archive(path, ("X.npy", packed(X)), ("X.npy", packed(2 * X)), ("Y.npy", packed(X)))


REFUSED: dict[str, tuple[Callable[[Path], Path], str]] = {
    "more than it claims": (lambda p: lying(p, claims=800, holds=8000), "X cannot be read ("),
    "gigabytes, it claims": (lambda p: lying(p, claims=3 * 10**9, holds=8000), "it unpacks to 3 GB, above 2.15 GB)"),
    "less than it claims": (lambda p: lying(p, claims=8000, holds=800), "X cannot be read (its shape asks for 800"),
    "a shape beyond memory": (
        lambda p: both(p, X, shape=(10**6, 10**9)),
        "X cannot be read (it takes 8 PB in double precision, above 2.15 GB)",
    ),
    "a shape beyond its numbers": (lambda p: both(p, X, shape=(3, 8)), "its shape asks for 192 bytes and it has 168"),
    "a shape within its numbers": (lambda p: both(p, X, shape=(3, 6)), "its shape asks for 144 bytes and it has 168"),
    "a negative shape": (lambda p: both(p, X, shape=(-3, -7)), "X cannot be read"),
    "bits for doubles": (
        lambda p: both(p, X.astype(bool), shape=(3, 10**9)),
        "X cannot be read (it takes 24 GB in double precision",
    ),
    "one member twice": (twice, "has X 2 times; expected it once"),
    "one key twice": (
        lambda p: archive(p, ("X.npy", packed(X)), ("X", b"1"), ("Y.npy", packed(X))),
        "has X 2 times; expected it once",
    ),
    "objects": (
        lambda p: archive(p, ("X.npy", packed(np.zeros(1), descr="|O")), ("Y.npy", packed(X))),
        "X cannot be read (it holds objects); expected an array of numbers",
    ),
    "a wrong checksum": (flipped, "X cannot be read (Bad CRC-32 for file 'X.npy')"),
    "encrypted": (encrypted, "X cannot be read (it is encrypted)"),
    "packed otherwise": (
        lambda p: archive(p, ("X.npy", packed(X)), ("Y.npy", packed(X)), method=zipfile.ZIP_LZMA),
        "X cannot be read (it is packed in a way that numpy.savez does not use)",
    ),
    "no array": (lambda p: archive(p, ("X.npy", b"3"), ("Y.npy", packed(X))), "X cannot be read"),
    "bare numbers": (lambda p: archive(p, ("X", X.tobytes()), ("Y", b"")), "X cannot be read"),
    "an unknown version": (
        lambda p: archive(p, ("X.npy", b"\x93NUMPY\x09\x00" + bytes(200)), ("Y.npy", packed(X))),
        "X cannot be read (its format has the version 9.0)",
    ),
    "an endless header": (
        lambda p: archive(p, ("X.npy", b"\x93NUMPY\x02\x00" + struct.pack("<L", 2**31)), ("Y.npy", packed(X))),
        "X cannot be read",
    ),
    "dates": (
        lambda p: both(p, np.zeros((3, 7), "M8[s]")),
        "X has entries of type datetime64[s]; expected real numbers",
    ),
    "records": (lambda p: both(p, np.zeros((3, 7), "f8,i4")), "X has entries of type [('f0', '<f8'), ('f1', '<i4')]"),
    "cut short": (lambda p: written(p, both(p, X).read_bytes()[:-60]), "is no .npz archive; expected one"),
    "zeros": (lambda p: written(p, bytes(10**6)), "is no .npz archive; expected one with the keys X and Y"),
    "another archive": (lambda p: written(p, zlib.compress(bytes(999))), "is no .npz archive"),
    "empty": (lambda p: written(p, b""), "is no .npz archive"),
    "a folder": (lambda p: p.mkdir() or p, "cannot be read (is a directory)"),
    "a pipe": (pipe, "cannot be read (it is a pipe, not a regular file)"),
    "a device that never ends": (linked("/dev/zero"), "cannot be read (it is a device, not a regular file)"),
    "a link to itself": (linked("data.npz"), "cannot be read (too many levels of symbolic links)"),
    "nothing": (lambda p: p, "cannot be read (no such file or directory)"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_refused_in_one_line(case: tuple[Callable[[Path], Path], str], tmp_path: Path) -> None:
    make, message = case
    path = make(tmp_path / "data.npz")
    begun = time.monotonic()
    with pytest.raises(DataError) as caught:
        _ = read_npz(path)
    assert time.monotonic() - begun < 2.0
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zeros = np.zeros((3, 10**6))
    path = archive(
        tmp_path / "data.npz", ("X.npy", packed(zeros)), ("Y.npy", packed(zeros)), method=zipfile.ZIP_DEFLATED
    )
    assert path.stat().st_size < 10**5
    assert read_npz(path).X.shape == zeros.shape
    monkeypatch.setattr("resproof.reporting.npz.MOST", 2**24)
    monkeypatch.setattr("zipfile.ZipFile.open", lambda *_: pytest.fail("it was opened"))
    with pytest.raises(DataError, match=r"X cannot be read \(it unpacks to 24 MB, above 16.8 MB\)"):
        _ = read_npz(path)


def test_a_file_without_end_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "data.npz").open("wb") as file:
        _ = file.truncate(2**40)  # a hole of a terabyte
    with pytest.raises(DataError, match="is no"):
        _ = read_npz(tmp_path / "data.npz")
    assert MOST == 2**31


# FILE.py:NAME.

FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a pipe": (pipe, "cannot be read (it is a pipe, not a regular file)"),
    "a folder": (lambda p: p.mkdir(), "cannot be read (is a directory)"),
    "a device": (linked("/dev/zero"), "cannot be read (it is a device, not a regular file)"),
    "too large": (lambda p: p.write_text("#" * (LARGEST + 1)), "is larger than 1048576 bytes; expected a Python file"),
    "a hole": (lambda p: os.truncate(p.touch() or p, 2**40), "is larger than 1048576 bytes"),
    "not UTF-8": (lambda p: p.write_bytes(b"x = '\xff'"), "fails with SyntaxError: (unicode error) 'utf-8' codec"),
    "null bytes": (lambda p: p.write_bytes(b"x = 1\0"), "null bytes"),
    "an unknown encoding": (lambda p: p.write_text("# coding: none\n"), "fails with SyntaxError"),
    "too deep": (lambda p: p.write_text("x = " + "-" * 100_000 + "1"), "fails with "),
    "an exit": (lambda p: p.write_text("import sys\nsys.exit(0)"), "fails with SystemExit: 0"),
    "an exception of its own": (
        lambda p: p.write_text("class E(BaseException): pass\nraise E('a\\nb')"),
        "fails with E: a b",
    ),
    "no memory": (lambda p: p.write_text("raise MemoryError"), "fails with MemoryError: no message"),
    "nothing": (lambda p: None, "cannot be read (no such file or directory)"),
}


@pytest.mark.parametrize("case", FILES.values(), ids=FILES)
def test_a_file_that_cannot_be_run(case: tuple[Callable[[Path], object], str], tmp_path: Path) -> None:
    make, message = case
    path = tmp_path / "a.py"
    _ = make(path)
    with pytest.raises(ArchitectureError) as caught:
        _ = from_file(f"{path}:block")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


PRINTS = "import os, subprocess\nprint('one')\nos.system('echo two')\nos.write(1, b'three')\n"
FORKS = "import os, sys\nprint(os.fork() and 'parent' or 'child')\n"
RAISES = "import os\nif os.fork() == 0: raise ValueError\nos.wait()\n"
LEAVES = "import os\nos._exit(0)\n"


@pytest.mark.parametrize(("source", "err"), [(PRINTS, "three"), (FORKS, "child"), (RAISES, "")])
def test_a_file_that_prints_or_forks_gives_its_block_once(source: str, err: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(source + BLOCK)
    done = script("check", f"{tmp_path}/a.py:block", "--depth", "3", "--set", "d=3", "--json", "-")
    assert done.returncode == 0
    assert json.loads(done.stdout)["units"] == 3
    assert err in done.stderr


def test_a_file_that_ends_the_program_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(LEAVES + BLOCK)
    done = script("check", f"{tmp_path}/a.py:block")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "resproof: the program left with status 0 before its time; what had finished is kept\n"


def script(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).with_name("resproof"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
