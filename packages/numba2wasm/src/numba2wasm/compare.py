"""Comparison of functions native and as WebAssembly: the digests of what they return and write.

A module, named as `import` takes it, lists its functions: ``FUNCTIONS = {"name": (function, arguments)}``. A
digest is the SHA-256 in hexadecimal digits. It is of the result, if there is one, and of every array among the
arguments after the call, in their order.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import html
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from numba2wasm.compiler import GENERIC, NotCompiled, entry, types_of
from numba2wasm.linker import assemble, link

KERNELS_FILE = "kernels.json"
RUN_SCRIPT = Path(__file__).parent / "templates" / "compare.js"


class CannotRun(Exception):
    """No browser and no Node could run the WebAssembly; the message is the last one's error."""


def functions_of(module: str) -> Mapping[str, tuple[Any, tuple[Any, ...]]]:
    """Import a module by its name, and return its ``FUNCTIONS``: pairs of a function and its arguments, by name."""
    found: Mapping[str, tuple[Any, tuple[Any, ...]]] = importlib.import_module(module).FUNCTIONS
    return found


def arrays_in(value: Any) -> Iterator[np.ndarray[Any, Any]]:
    """Yield the arrays in a tuple of arguments, in order, also those in tuples inside of it; a lone array too."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from arrays_in(each)


def native_digests(module: str) -> dict[str, str]:
    """Call a module's functions in this Python, on copies of their arguments; return a digest of each by its name.

    It is the SHA-256, in hexadecimal digits, of the result's bytes, and of those of all arrays among the arguments
    after the call. Without a result it is of the arrays alone.
    """
    found = {}
    for name, (function, given) in functions_of(module).items():
        arguments = copy.deepcopy(given)
        result = function(*arguments)
        digest = hashlib.sha256()
        if isinstance(result, np.ndarray):
            digest.update(np.ascontiguousarray(result).tobytes())
        elif result is not None:
            kind = np.float64 if isinstance(result, float) else np.int64
            digest.update(np.asarray(result, dtype=kind).tobytes())
        for array in arrays_in(arguments):
            digest.update(np.ascontiguousarray(array).tobytes())
        found[name] = digest.hexdigest()
    return found


def as_json(value: Any) -> Any:
    """Return an argument as JSON data.

    An array is ``{"kind": "float64", "shape": [3], "content": TEXT}`` with its bytes in Base64, a named tuple is
    ``{"fields": {...}}``, and a number is itself.
    """
    if isinstance(value, np.ndarray):
        content = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode("ascii")
        return {"kind": str(value.dtype), "shape": list(value.shape), "content": content}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {"fields": {name: as_json(each) for name, each in zip(value._fields, value, strict=True)}}
    return value.item() if isinstance(value, np.generic) else value


def write_kernels(module: str, folder: Path) -> None:
    """Compile a module's functions into the file ``kernels.json`` in a folder, which exists.

    This process has to have begun with the environment variables `GENERIC`, by which numba compiles for any
    processor. Each function is called once here, with copies of its arguments.

    The file has the WebAssembly in Base64 (``wasm``). By the names of functions it has the types that callers need
    (``entries``), ``arguments``, and the ``shapes`` of arrays that are returned. Functions that do not compile are
    in ``refused``, each with the reason.

    Raises
    ------
    NotCompiled
        If a function cannot be wrapped, or the linker fails.
    """
    entries = [entry(name, function, types_of(given)) for name, (function, given) in functions_of(module).items()]
    objects, refused = {}, {}
    for each in entries:
        try:
            objects[each.name] = assemble(each)
        except NotCompiled as fault:
            refused[each.name] = str(fault)
    shapes = {
        name: list(result.shape)
        for name, (function, given) in functions_of(module).items()
        if isinstance(result := function(*copy.deepcopy(given)), np.ndarray)
    }
    content = {
        "wasm": base64.b64encode(link(objects)).decode("ascii"),
        "entries": {each.name: each.data() for each in entries if each.name in objects},
        "refused": refused,
        "arguments": {
            name: [as_json(value) for value in given] for name, (_, given) in functions_of(module).items()
        },
        "shapes": shapes,
    }
    (folder / KERNELS_FILE).write_text(json.dumps(content), encoding="utf-8")


def build(module: str, folder: Path) -> None:
    """Compile a module's functions, and write files by which they are compared with native calls into a folder.

    The folder is made. The files are ``kernels.json``, ``kernels.wasm``, ``loader.js``, and ``compare.html`` with
    the digests of native calls. Another process compiles, for any processor. ``module`` is the module's name, as
    `import` takes it in both processes; the other one also looks in the working directory.

    Raises
    ------
    subprocess.CalledProcessError
        If a function cannot be wrapped, the linker fails, or the module cannot be imported there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-c", f"import sys; from pathlib import Path; from {__name__} import "]
    command[-1] += f"write_kernels; sys.path.insert(0, ''); write_kernels({module!r}, Path({str(folder)!r}))"
    subprocess.run(command, env=os.environ | GENERIC, check=True)
    text = (folder / KERNELS_FILE).read_text(encoding="utf-8")
    (folder / "kernels.wasm").write_bytes(base64.b64decode(json.loads(text)["wasm"]))
    shutil.copyfile(RUN_SCRIPT.with_name("loader.js"), folder / "loader.js")
    packed = json.dumps({"kernels": json.loads(text), "native": native_digests(module)}).replace("</", "<\\/")
    page = f"<!doctype html><meta charset=utf-8><title>{module}</title><p id=same><pre id=digests></pre>"
    script = f"{_script()}const packed = {packed}; show(packed);"
    (folder / "compare.html").write_text(f"{page}<script>{script}</script>", encoding="utf-8")


def _script() -> str:
    """Return the loader with what calls the functions behind it."""
    return RUN_SCRIPT.with_name("loader.js").read_text(encoding="utf-8") + RUN_SCRIPT.read_text(encoding="utf-8")


def _of_page(folder: Path, browser: str) -> dict[str, str]:
    """Return the digests that the page has in a browser without a window."""
    with tempfile.TemporaryDirectory() as profile:
        options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--dump-dom"]
        command = [browser, *options, "--virtual-time-budget=60000", (folder / "compare.html").resolve().as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r'<pre id="digests">(.*?)</pre>', done.stdout)
    if found is None:
        raise CannotRun((done.stdout + done.stderr).strip()[-2000:])
    return dict(json.loads(html.unescape(found[1])))


def _of_node(folder: Path, node: str) -> dict[str, str]:
    """Return the digests that Node has."""
    script = folder / "compare.js"
    script.write_text(f"{_script()}main();\n", encoding="utf-8")
    done = subprocess.run(
        [node, str(script), str(folder / KERNELS_FILE)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise CannotRun(done.stderr.strip()[-2000:])
    return dict(json.loads(done.stdout))


RUNNERS: Mapping[str, Callable[[Path, str], dict[str, str]]] = {
    **dict.fromkeys(("chromium", "google-chrome", "chrome"), _of_page),
    "node": _of_node,
}


def run_as_wasm(folder: Path) -> tuple[str, dict[str, str]]:
    """Run, as WebAssembly, what `build` wrote into a folder, in the first that works of Chromium, Chrome and Node.

    Returns
    -------
    runner, digests
        The program's name, ``chromium``, ``google-chrome``, ``chrome`` or ``node``, and the digest of each
        function that was compiled, by its name.

    Raises
    ------
    CannotRun
        If no program works, or none is installed.
    """
    reason = f"none of {', '.join(RUNNERS)} is installed; open {folder / 'compare.html'} in a browser"
    for name, ask in RUNNERS.items():
        found = shutil.which(name)
        if found is not None:
            try:
                return name, ask(folder, found)
            except CannotRun as fault:
                reason = f"{name}: {fault}"
    raise CannotRun(reason)


def compare(module: str, folder: Path) -> tuple[str, dict[str, bool]]:
    """Build a module's functions into a folder, run them as WebAssembly, and compare them with native calls.

    ``module`` is its name as `import` takes it. The folder is made, and gets the files that `build` lists. Errors
    are those of `build` and `run_as_wasm`.

    Returns
    -------
    runner, same
        Name of the program that ran them, such as ``node``; and, by function's name, whether its digest is the
        native one. It is false too if the function was not compiled.
    """
    build(module, folder)
    expected, (runner, found) = native_digests(module), run_as_wasm(folder)
    return runner, {name: found.get(name) == expected[name] for name in expected}
