"""Hostile inputs, drawn at random: crates, seals, arrays, names, YAML, calls of the command line and of Python.

Each generator draws from a kind of fault, and not from a list of samples. ``benchmarks/hostile.py`` runs thousands,
tests some dozens.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
import time
import traceback
import warnings
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
Chance = np.random.Generator
# Numbers, texts and containers that stand where something else is expected.
JSON_VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, 1e308, 10**30, "", "x", "..", "/etc/passwd", "../../x", "\ud800", "\x00", "\x1b[2J"),
    *("a" * 5000, "é\u202e", [], [[]], {}, {"": {}}, [None, 1], {"a": [1]}, "0" * 32, float("nan"), float("inf")),
)
NAMES = (
    *(
        "a.csv",
        "../a.csv",
        "../../evil",
        "/etc/x",
        "/a.csv",
        "a/../../b.csv",
        "a\\..\\b",
        "C:\\x",
        "C:x",
        "./a.csv",
    ),
    *("", ".", "..", "a//b", "a/" * 300 + "b", "n" * 255, "n" * 3000, "\x1b[2J", "\x07", "a\nb", "\u202egpj.exe"),
    *("\ud800", "a\ud800.csv", "é", "a b", "%2e%2e/x", "con", "ro-crate-metadata.json", "results/config.json"),
    *("results/claims.csv", "config.json", "0-9.npz", "0-999999.npz", "9-0.npz", "0-99999999999.npz"),
)

DEEP = "[" * 20_000
VALUES = (
    *("", " ", "0", "1", "-1", "7", "0-19", "19-0", "0-", "-", "0-" + "9" * 70, "9" * 5000, "1e400", "nan", "-inf"),
    *("0.5", "1e-320", "1e5", "10000", "0x10", "1_000", "٣", "²", "½", "a", "\u202e", "\n", "a" * 10_000, "--"),
    *("dp-imed", "dp-imde", "imed", "conversion-exp3", "rnm-ftnl", "fig8", "results", "/proc/self/mem", ".", "-h"),
    *("x.npz", "/proc/none/x.npz", "/proc/x.npz", ".npz", "x.csv", "{}", "[]", "null", "0.75,0.7", "1,1", ","),
    *(
        DEEP,
        '{"kind":' * 5000,
        '{"kind": "bernoulli"}',
        '{"kind": "bernoulli", "means": [0.9, 0.1]}',
        '{"kind": 1}',
    ),
    *('{"kind": "bernoulli", "means": "0.9"}', "alpha=2", "alpha=", "=2", "alpha", "alpha=nan", "base=exp3"),
)
OPTIONS = (
    *("--means", "--environment", "--epsilon", "--horizon", "--seeds", "--param", "--checkpoints", "--output"),
    *("--root-seed", "--threads", "--json", "--help", "--version", "--confidence", "--what"),
    *("--setting", "--paper", "--privacy"),
)
COMMANDS = ("simulate", "list", "completion", "verify", "certify", "audit", "simulat", "repair", "diff", "")
# A right call, of which words are then replaced.
RIGHT = ("simulate", "dp-imed", "--means", "0.75,0.7", "--epsilon", "1", "--horizon", "1000", "--seeds", "0-1")
RIGHT += ("--output", "x.npz")


def _pick(chance: Chance, values: Sequence[Any]) -> Any:
    return values[int(chance.integers(len(values)))]


def mutated_bytes(chance: Chance, content: bytes) -> bytes:
    """Return bytes with a few bits flipped, a part cut out, doubled, or overwritten; or none."""
    changed = bytearray(content)
    for _ in range(chance.integers(1, 4)):
        if not changed:
            break
        first = int(chance.integers(len(changed)))
        last = min(len(changed), first + int(chance.integers(1, 40)))
        match int(chance.integers(6)):
            case 0 | 1:
                changed[first] ^= 1 << int(chance.integers(8))
            case 2:
                del changed[first:last]
            case 3:
                changed[first:first] = changed[first:last]
            case 4:
                changed[first:last] = bytes([_pick(chance, (0, 255, 34, 93))]) * (last - first)
            case 5:
                del changed[first:]
    return bytes(changed)


def mutated_json(chance: Chance, content: Any) -> Any:
    """Return JSON data of which one value, at any depth, is another, is missing, doubled, or deep."""
    if isinstance(content, dict | list) and content and chance.random() < 0.85:
        copy: Any = content.copy()
        key = _pick(chance, list(copy) if isinstance(copy, dict) else range(len(copy)))
        match int(chance.integers(8)):
            case 0:
                del copy[key]
            case 1 if isinstance(copy, dict):
                copy[_pick(chance, NAMES)] = copy[key]
            case 1:
                copy.append(copy[key])
            case _:
                copy[key] = mutated_json(chance, copy[key])
        return copy
    if chance.random() < 0.1:
        return nested(int(_pick(chance, (50, 900))))
    return _pick(chance, JSON_VALUES)


def nested(depth: int) -> Any:
    """Return lists in lists."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def json_text(chance: Chance, content: Any) -> str:
    """Return JSON data as text; now and then one that is deep, huge, or broken."""
    match int(chance.integers(12)):
        case 0:
            depth = int(_pick(chance, (1000, 100_000)))
            return _pick(chance, ("[" * depth, '{"a":' * depth, "[" * depth + "]" * depth))
        case 1:
            return '{"digest": ' + "9" * int(_pick(chance, (400, 5000, 10**6))) + "}"
        case 2:
            return mutated_bytes(chance, json.dumps(content).encode()).decode("utf-8", "replace")
    return json.dumps(content, indent=_pick(chance, (None, 1)))


def crate(chance: Chance) -> bytes:
    """Return a crate of a stranger: altered metadata, names, members, sizes, methods, or bytes."""
    files = {
        f"results/{name}": os.urandom(0) + name.encode() * 9 for name in ("config.json", "claims.csv", "b.csv")
    }
    files["results/config.json"] = json.dumps(
        {"configuration": {"folders": {"results": "results", "figures": "figures"}, "papers": {}}}
    ).encode()
    graph: Any = {
        "@graph": [
            {"@id": "./", "@type": "Dataset"},
            *({"@id": name, "@type": "File", "sha256": "0" * 64} for name in files),
        ]
    }
    kind = int(chance.integers(8))
    if kind <= 2:
        graph = mutated_json(chance, graph)
    metadata = json_text(chance, graph) if kind <= 3 else json.dumps(graph)
    opened = io.BytesIO()
    packing = _pick(chance, (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    with warnings.catch_warnings(), zipfile.ZipFile(opened, "w", packing) as archive:
        # Two members of one name are what a stranger may send.
        warnings.filterwarnings("ignore", "Duplicate name", UserWarning)

        def put(name: str, content: bytes) -> None:
            with contextlib.suppress(ValueError, IndexError):
                archive.writestr(name, content)

        put("ro-crate-metadata.json", metadata.encode("utf-8", "surrogatepass"))
        for name, content in files.items():
            put(name, mutated_bytes(chance, content) if kind == 4 else content)
        if kind == 5:
            for _ in range(chance.integers(1, 5)):
                put(_pick(chance, NAMES), b"x")
        if kind == 6:
            _bomb(chance, archive)
    content = opened.getvalue()
    if kind == 7:
        content = _relabelled(chance, content)
    return mutated_bytes(chance, content) if chance.random() < 0.4 else content


def _bomb(chance: Chance, archive: zipfile.ZipFile) -> None:
    """Add a member that unpacks to much more than it takes."""
    name = _pick(chance, ("ro-crate-metadata.json", "results/claims.csv", "results/b.csv", "bomb"))
    size = int(_pick(chance, (10**6, 10**7, 2 * 10**8)) if chance.random() < 0.05 else 10**6)
    with archive.open(zipfile.ZipInfo(name), "w") as member:
        for _ in range(size // 10**6):
            member.write(b" " * 10**6)
    archive.infolist()[-1].compress_type = zipfile.ZIP_DEFLATED


def _relabelled(chance: Chance, content: bytes) -> bytes:
    """Alter flags, methods and sizes in the headers of an archive: encrypted, unknown, huge."""
    changed = bytearray(content)
    for signature, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        place = changed.find(signature)
        while place >= 0:
            if chance.random() < 0.5:
                field = place + offset + int(_pick(chance, (0, 2, 12, 16, 18, 20)))
                size = int(_pick(chance, (1, 2, 4)))
                changed[field : field + size] = chance.bytes(size) if chance.random() < 0.7 else b"\xff" * size
            place = changed.find(signature, place + 4)
    return bytes(changed)


def arrays(chance: Chance, whole: bytes) -> bytes:
    """Return arrays of a stranger: altered bytes, impossible shapes, pickles, bombs, or foreign members."""
    kind = int(chance.integers(5))
    if kind <= 1:
        return mutated_bytes(chance, whole)
    shape = _pick(chance, ("()", "(3,)", f"({10**18},)", "(-1,)", "(2, 2)", f"({2**40}, {2**40})", "'x'", "(1e9,)"))
    descr = _pick(chance, ("'<f8'", "'|O'", "'<U4'", "'<i8'", "'V9'", "[('a', '<f8')]", "'nothing'", "3"))
    header = f"{{'descr': {descr}, 'fortran_order': {_pick(chance, ('False', 'True', '0'))}, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    npy = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + chance.bytes(64)
    opened = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if kind == 4 else zipfile.ZIP_STORED
    with zipfile.ZipFile(opened, "w", method) as archive:
        text = np.array(json.dumps(mutated_json(chance, {"job": {"a": 1}, "digest": "0", "root_seed": 1})))
        np.save(packed := io.BytesIO(), text)
        for name, member in (("metadata.npy", packed.getvalue()), ("seeds.npy", npy), ("regret.npy", npy)):
            if chance.random() < 0.9:
                archive.writestr(name, member if chance.random() < 0.8 else b"\0" * 10**6)
    return opened.getvalue() if chance.random() < 0.7 else mutated_bytes(chance, opened.getvalue())


def seal(chance: Chance, content: Any) -> str:
    """Return a seal of a stranger, with the digest that its content has: it passes for one of ours."""
    from dpbandits.core.provenance import record_digest

    changed = {**content, "files": {_pick(chance, NAMES): "0"}} if chance.random() < 0.3 else content
    changed = mutated_json(chance, changed)
    if isinstance(changed, dict) and chance.random() < 0.8:
        changed = {key: value for key, value in changed.items() if key != "digest"}
        with contextlib.suppress(RecursionError, ValueError):
            return json.dumps({**changed, "digest": record_digest(changed)}, indent=1) + "\n"
    return json_text(chance, changed)


def file_in(chance: Chance, folder: Path, sealed: Any, whole: bytes) -> None:
    """Put one file, folder or link of a stranger into a folder of results."""
    names = ("a.json", "config.json", "0-9.npz", "p/cells/e/a/m/T=9/eps=1/0-9.npz", "site/index.html", "a.csv")
    place = folder / _pick(chance, names)
    with contextlib.suppress(OSError, ValueError):
        if chance.random() < 0.2:
            place = folder / _pick(chance, NAMES).replace("..", "dots").lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        match int(chance.integers(8)):
            case 0:
                place.mkdir()
            case 1:
                place.symlink_to(_pick(chance, ("/dev/zero", "/etc/passwd", place.name, "..", "/nowhere", ".")))
            case 2 if place.suffix != ".npz":
                place.write_bytes(chance.bytes(100))
            case _ if place.suffix == ".npz":
                place.write_bytes(arrays(chance, whole))
            case _:
                place.write_text(seal(chance, sealed), encoding="utf-8", errors="surrogatepass")


YAML_TOKENS = (
    *(
        "null",
        "true",
        "0",
        "-1",
        "1e400",
        ".nan",
        ".inf",
        "0x1F",
        "1:30",
        "2001-01-01",
        "''",
        '"\\ud800"',
        "x",
        "[]",
    ),
    *(
        "{}",
        "[[[[]]]]",
        "!!int ''",
        "!!python/name:os.system",
        "&a [*a]",
        "*b",
        "*a",
        "<<: 3",
        "? [1]",
        "- - -",
        "|",
    ),
    *(">", "---", "...", "%YAML 9", "@", "`", "\t", "#", "{a: 1, a: 2}", "9" * 400, "[" * 50, '"\\e[2J"', "${x}"),
    *("bernoulli", "dp_imed", "dp-imed", "..", "../../x", "__use_yte__", "$\\frac$", "a" * 2000, "1_000", "0o7"),
)


def yaml_text(chance: Chance, text: str) -> str:
    """Return a YAML file of ours with some lines or values changed, removed, exchanged, doubled or moved."""
    lines = text.splitlines()
    for _ in range(chance.integers(1, 4)):
        first, second = (int(place) for place in chance.integers(len(lines), size=2))
        match int(chance.integers(8)):
            case 0:
                del lines[first : first + int(chance.integers(1, 4))]
            case 1:
                lines.insert(second, lines[first])
            case 2:
                lines[first] = " " * int(chance.integers(1, 4)) + lines[first]
            case 3:
                lines[first] = lines[first].lstrip()
            case 4:
                lines[first], lines[second] = lines[second], lines[first]
            case _:
                head, colon, _ = lines[first].partition(":")
                lines[first] = f"{head}{colon} {_pick(chance, YAML_TOKENS)}"
        if not lines:
            return ""
    return "\n".join(lines) + "\n"


def _numbers(chance: Chance) -> Any:
    values: tuple[Any, ...] = (
        *(
            0,
            1,
            -1,
            2,
            7,
            20,
            0.5,
            1.5,
            -0.0,
            1e-320,
            1e308,
            10**400,
            2**63,
            float("nan"),
            float("inf"),
            True,
            None,
        ),
        *(
            "",
            "3",
            "x",
            b"x",
            [],
            [3],
            [0, 1, 2],
            [3, 3],
            [[1, 2], [3, 4]],
            (1, 2),
            range(3),
            range(5, 2),
            range(0, 9, 3),
        ),
        *(
            np.arange(3),
            np.array(2),
            np.array([[0.5, 0.4]]),
            np.float32(0.5),
            {1, 2},
            {"a": 1},
            object(),
            Path("x"),
            1j,
        ),
    )
    return _pick(chance, values)


def python_call(chance: Chance) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    """Return a call of the Python interface: its function, and arguments of which some are wrong."""
    name = str(_pick(chance, ("simulate", "simulate", "simulate", "load", "results", "lower_bound", "audit")))
    right: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
        "simulate": (("dp-imed",), {"means": [0.7, 0.5], "epsilon": 1.0, "horizon": 100, "seeds": range(2)}),
        "load": (("x.npz",), {}),
        "results": (("results",), {}),
        "lower_bound": (([0.7, 0.5], 1.0, 1000), {}),
        "audit": (("dp-imed", 1.0), {}),
    }
    given, named = right[name]
    arguments = [_numbers(chance) if chance.random() < 0.4 else value for value in given]
    options = {key: _numbers(chance) if chance.random() < 0.3 else value for key, value in named.items()}
    if name == "audit":
        # A right one takes seconds, and is tested elsewhere.
        options = {"effort": -1, str(_pick(chance, ("seed", "confidence", "arms", "rounds"))): _numbers(chance)}
    if name == "simulate" and chance.random() < 0.4:
        more = ("environment", "checkpoints", "root_seed", "threads", "output", "alpha", "n0", "n1", "base")
        options[str(_pick(chance, more))] = _numbers(chance)
    return name, tuple(arguments), options


def command_call(chance: Chance) -> list[str]:
    """Return the words of a call of the command line, right or wrong ones in random order."""
    if chance.random() < 0.5:
        words = list(RIGHT)
        for _ in range(chance.integers(1, 4)):
            words[int(chance.integers(1, len(words)))] = str(_pick(chance, [*VALUES, *OPTIONS]))
        return words
    further = [str(_pick(chance, [*VALUES, *OPTIONS, *OPTIONS])) for _ in range(chance.integers(0, 8))]
    command = str(_pick(chance, COMMANDS))
    # Alone it would prove all certificates, which other tests do.
    return [command, *(["conjectur"] if command == "certify" else []), *further]


def _said(words: list[str]) -> None:
    """Call the command line; complain of an exit status that no call has, and of what steers a terminal."""
    from dpbandits.cli.main import main

    told = io.StringIO()
    with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
        try:
            status = main(words)
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else 1
    assert status in (0, 1, 2, 4), status
    text = told.getvalue()
    assert "Traceback" not in text
    assert status not in (2, 4) or text.strip()
    # What a person typed may be repeated by argparse; what a file holds is spelled out.
    assert words[0] not in ("verify", "repair", "diff") or "\x1b" not in text


def try_crate(chance: Chance, folder: Path) -> None:
    """Verify a crate of a stranger, and compare it with another."""
    file = folder / "crate.zip"
    other = folder / "other.zip"
    file.write_bytes(crate(chance))
    _said(["verify", str(file)])
    if chance.random() < 0.3:
        other.write_bytes(crate(chance))
        _said(["diff", str(file), str(other)])


def try_folder(chance: Chance, folder: Path) -> None:
    """Verify and repair a folder with some files of ours and some of a stranger, whose own files stay."""
    from dpbandits.core.files import write_arrays

    sealed = {
        "files": {"a.csv": "0" * 32},
        "configuration": {"root_seed": 1, "papers": {}},
        "made_from": {
            "identity": "0",
            "arrays": {"p/cells/e/a/m/T=9/eps=1": {"job": "0" * 16, "runs": 10}},
            "products": {"b.csv": "0"},
        },
    }
    write_arrays(folder / "whole.npz", {"seeds": np.arange(3)}, {"job": {"a": 1}})
    whole = (folder / "whole.npz").read_bytes()
    mine = folder / "results" / "mine.txt"
    mine.parent.mkdir()
    mine.write_text("mine", encoding="utf-8")
    for _ in range(chance.integers(1, 5)):
        file_in(chance, mine.parent, sealed, whole)
    _said(["verify", str(mine.parent)])
    _said(["repair", str(mine.parent)])
    assert mine.read_text(encoding="utf-8") == "mine"


def try_yaml(chance: Chance, folder: Path) -> None:
    """Read a configuration, or claims, that nearly are ours."""
    from dpbandits.claims import claim
    from dpbandits.core.errors import MENDABLE
    from dpbandits.runs import config

    source = _pick(chance, sorted((ROOT / "config").glob("*/*.yaml")))
    texts = {file.name: file.read_text(encoding="utf-8") for file in sorted(source.parent.glob("*.yaml"))}
    texts[source.name] = yaml_text(chance, texts[source.name])
    place = folder / source.parent.name
    place.mkdir()
    for name, text in texts.items():
        (place / name).write_text(text, encoding="utf-8", errors="surrogatepass")
    try:
        claim.load(config.load([place / "experiments.yaml"]))
    except MENDABLE as error:
        assert "\n" not in str(error), error


def try_command(chance: Chance, _: Path) -> None:
    """Call the command line."""
    _said(command_call(chance))


def try_python(chance: Chance, _: Path) -> None:
    """Call the Python interface: what cannot be is a `BadInput`, whose one line names the argument or the file."""
    import dpbandits
    from dpbandits.core.errors import MENDABLE

    name, arguments, options = python_call(chance)
    function: Any = getattr(dpbandits, name)
    try:
        found = function(*arguments, **options)
        assert len(repr(found)) < 5000
    except MENDABLE as error:
        assert "\n" not in str(error), error


KINDS: dict[str, Callable[[Chance, Path], None]] = {
    "crates": try_crate,
    "folders": try_folder,
    "yaml": try_yaml,
    "commands": try_command,
    "python": try_python,
}


def fault(kind: str, seed: int) -> tuple[str, float]:
    """Return what was wrong with one trial, which nothing should be, and the processor's seconds that it took."""
    began, here = time.process_time(), Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        try:
            KINDS[kind](np.random.default_rng([29, seed]), Path(name))
        except Exception:
            return traceback.format_exc(), time.process_time() - began
        finally:
            os.chdir(here)
    return "", time.process_time() - began
