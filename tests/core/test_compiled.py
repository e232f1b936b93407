"""Kernels are compiled once, by one of the processes that want them, and handed down to those that start warm."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dpbandits.core import compiled, numba_cache

PERMUTE = """
import numpy as np
from dpbandits.core import compiled, streams

def call():
    order = np.empty(5, dtype=np.int64)
    streams.permute(streams.streams(1, "a run", np.arange(1))[0], order)
    return order.tolist()
"""


def started(cache: Path, then: str) -> subprocess.Popen[str]:
    """Start a process that has its compiled code in ``cache``."""
    return subprocess.Popen(
        [sys.executable, "-c", PERMUTE + then],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_one_of_several_processes_compiles(tmp_path: Path) -> None:
    """It says so, the other waits, and both have the same; later ones say nothing."""
    said = [process.communicate(timeout=200) for process in [started(tmp_path, "print(call())") for _ in range(2)]]
    assert len({out for out, _ in said}) == 1
    assert sorted(err for _, err in said) == ["", "dpbandits.core.streams: compiling, once for these sources\n"]
    assert started(tmp_path, "print(call())").communicate(timeout=200) == (said[0][0], "")


def test_a_failed_compilation_lets_others_try(tmp_path: Path) -> None:
    """The lock is not kept by whoever found that a call makes no sense."""
    wrong = "\ntry:\n    streams.permute('no state', 'no order')\nexcept Exception:\n    print('refused')\n"
    process = started(tmp_path, f"{wrong}print(call(), flush=True)\ninput()")
    assert process.stdout is not None
    assert process.stdout.readline() == "refused\n"
    assert process.stdout.readline()
    second = started(tmp_path, f"{wrong}print(call())")
    assert second.communicate(timeout=200)[0].startswith("refused")
    process.kill()
    process.communicate()


@pytest.mark.slow
def test_a_stopped_compiler_is_named_and_not_waited_for(tmp_path: Path) -> None:
    """Whoever waits says for whom, then compiles too."""
    hold = (
        "\nimport os, signal\nusual = compiled._uncollected\n"
        "compiled._uncollected = lambda: os.kill(os.getpid(), signal.SIGSTOP) or usual()\ncall()\n"
    )
    holder = started(tmp_path, hold)
    try:
        os.waitpid(holder.pid, os.WUNTRACED)
        waiter = started(tmp_path, "\ncompiled.SILENT_WAIT, compiled.LONGEST_WAIT = 0.1, 0.5\nprint(call())")
        out, said = waiter.communicate(timeout=200)
        assert out.startswith("[")
        assert f"waiting for process {holder.pid} of" in said
        assert "compiling here too" in said
    finally:
        holder.kill()
        holder.communicate()


@pytest.mark.slow
def test_what_was_called_is_handed_down(tmp_path: Path) -> None:
    """With the seconds that it took if it was compiled; a process that preloaded has nothing to tell itself."""
    preloads, said = started(tmp_path, "call(); call(); print(*compiled.preloads())").communicate(timeout=200)
    assert "compiling" in said
    assert len(preloads.split()) == 1
    preloaded = (
        f"compiled.preload({preloads.strip()!r}); print(streams.permute.signatures, call(), compiled.preloads())"
    )
    out, said = started(tmp_path, preloaded).communicate(timeout=200)
    assert out.startswith("[(Array")
    assert out.rstrip().endswith("[]")
    assert "compiled in" in said


def _doubled(x: float) -> float:
    return 2 * x


def _halved(x: float, y: float) -> float:
    return x / y


def _cut(file: Path, size: int) -> None:
    file.write_bytes(file.read_bytes()[:size])


def _flip(file: Path, place: int) -> None:
    content = bytearray(file.read_bytes())
    content[place] ^= 1
    file.write_bytes(content)


DAMAGES: dict[str, Callable[[Path, Path], object]] = {
    "empty": lambda file, _: _cut(file, 0),
    "short": lambda file, _: _cut(file, 50),
    "cut in the digest": lambda file, _: _cut(file, 5),
    "a bit of the content": lambda file, _: _flip(file, -9),
    "a bit of the digest": lambda file, _: _flip(file, 0),
    "another's": lambda file, other: file.write_bytes(other.read_bytes()),
    "a pickle of nothing": lambda file, _: file.write_bytes(pickle.dumps(None)),
    "a folder": lambda file, _: (file.unlink(), file.mkdir()),
}


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[float]]:
    """Return what calls two kernels, each time as a new process would, with the cache in ``tmp_path / "kept"``."""
    monkeypatch.setattr(compiled, "CACHE", tmp_path)
    monkeypatch.setattr(compiled, "CALLED", [])
    numba_cache._say_once.cache_clear()

    def call() -> list[float]:
        found = []
        for function, arguments in ((_doubled, (1.5,)), (_halved, (3.0, 2.0))):
            kernel = compiled.Kernel(function)
            kernel.digest = lambda: "kept"  # type: ignore[assignment]
            found.append(kernel(*arguments))
        return found

    return call


# Each damage of one of the two files, in turn.
@pytest.mark.parametrize(
    ("how", "suffix"),
    [
        pytest.param(how, suffix, marks=() if other == number % 2 else pytest.mark.slow)
        for number, how in enumerate(DAMAGES)
        for other, suffix in enumerate(("nbi", "nbc"))
    ],
)
def test_a_damaged_cache_is_made_anew(
    kept: Callable[[], list[float]], how: str, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With one line that names the file; a process after it says nothing."""
    assert kept() == [3.0, 1.5]
    assert kept() == [3.0, 1.5]
    capsys.readouterr()
    (file,), (other,) = (list(tmp_path.glob(f"kept/*{name}*.{suffix}")) for name in ("_doubled", "_halved"))
    DAMAGES[how](file, other)
    assert kept() == [3.0, 1.5]
    told = capsys.readouterr().err
    assert "Traceback" not in told
    assert str(file if how != "a folder" else tmp_path) in told
    assert len([line for line in told.splitlines() if line.startswith("dpbandits: ")]) == 1
    if how != "a folder":
        assert kept() == [3.0, 1.5]
        assert capsys.readouterr().err == ""


def test_without_a_cache_each_process_compiles(
    kept: Callable[[], list[float]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And says what to set."""
    (tmp_path / "kept").write_text("a file where a folder should be")
    assert kept() == [3.0, 1.5]
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("dpbandits: ")]
    assert len(told) == 1
    assert f"{tmp_path}: " in told[0]
    assert "NUMBA_CACHE_DIR" in told[0]


INNER = compiled.Kernel(_doubled)


def _quadrupled(x: float) -> float:
    return INNER(INNER(x))  # type: ignore[no-any-return]


def _pair(monkeypatch: pytest.MonkeyPatch) -> tuple[compiled.Kernel, compiled.Kernel]:
    """Return a kernel and one that calls it, as a new process would have them."""
    inner, outer = compiled.Kernel(_doubled, _nrt=False), compiled.Kernel(_quadrupled)
    inner.digest = outer.digest = lambda: "kept"  # type: ignore[assignment]
    monkeypatch.setitem(globals(), "INNER", inner)
    return inner, outer


def test_what_only_kernels_call_has_no_machine_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python is refused by that form, and given another."""
    monkeypatch.setattr(compiled, "CACHE", tmp_path)
    inner, outer = _pair(monkeypatch)
    assert outer(1.5) == 6.0
    assert not inner.overloads
    (linked,) = inner.linked.overloads.values()
    with pytest.raises(ValueError, match="not enabled"):
        linked.library._get_compiled_object()
    with pytest.raises(KeyError, match="popitem"):
        inner.linked(1.5)
    assert inner(1.5) == 3.0
    (own,) = outer.overloads.values()
    assert len(own.library._get_compiled_object()) > 0


def test_what_only_kernels_call_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another kernel that calls it finds it compiled, and computes the same."""
    monkeypatch.setattr(compiled, "CACHE", tmp_path)
    inner, outer = _pair(monkeypatch)
    outer(1.5)
    (file,) = tmp_path.glob("kept/linked/*_doubled*.nbc")
    for old in tmp_path.glob("kept/*_quadrupled*"):
        old.unlink()
    inner, outer = _pair(monkeypatch)
    assert outer(1.5) == 6.0
    assert sum(inner.linked.stats.cache_hits.values()) == 1
    assert sum(outer.stats.cache_hits.values()) == 0
    _flip(file, -9)
    for old in tmp_path.glob("kept/*_quadrupled*"):
        old.unlink()
    inner, outer = _pair(monkeypatch)
    assert outer(1.5) == 6.0
    assert sum(inner.linked.stats.cache_hits.values()) == 0
