"""Files that `dpbandits new` writes. They work as they are, and need no entry in any list.

For an algorithm or an environment these are its module, a copy of a published one under a new name; a test; and an
experiment with a figure. The experiment compares it with published algorithms, as a paper of one's own that is laid
over the shipped configuration. For a paper they are a package, its section of the configuration, a claim, and a
test. Nothing that exists is edited or overwritten.
"""

from __future__ import annotations

import ast
import json
import keyword
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypedDict

from dpbandits.core import registry
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.environment import Environment
from dpbandits.core.errors import BadInput, Missing, suggest, within
from dpbandits.core.fields import Parameters, Values
from dpbandits.core.provenance import ROOT, module_path
from dpbandits.notebook.described import EXAMPLE_ENVIRONMENTS

SCAFFOLD_TEMPLATES = Path(__file__).with_name("scaffold_templates")
# A title stands in Python's and in YAML's quotes.
TITLE = re.compile(r"[^\"\\\n{}]{1,60}")


class Entry(TypedDict, total=False):
    """Value of an algorithm's label in a configuration; both keys may be left out.

    ``algorithm`` is the algorithm's name, if the label is not it. ``parameters`` are those whose values are not the
    defaults.
    """

    algorithm: str
    parameters: Values


class Setting(NamedTuple):
    """Published algorithms of a setting that appear in the files of a new algorithm or environment.

    Attributes
    ----------
    rivals
        Algorithms, by label, that the new one's experiment runs for comparison. The first whose `Entry` is empty
        plays in the test of a new environment.
    copied
        Name of the published algorithm that a new algorithm begins as a copy of.
    """

    rivals: Mapping[str, Entry]
    copied: str


SETTINGS: Mapping[str, Setting] = {
    "adversarial": Setting(
        {"dp-exp3-lap": {}, "conversion-htinf": {"algorithm": "conversion", "parameters": {"base": "htinf"}}},
        "dp-exp3-lap",
    ),
    "experts": Setting({"bandit-to-experts": {}, "local-dp-exp4": {}}, "local-dp-exp4"),
    "full_information": Setting({"rnm-ftnl-laplace": {}, "rnm-ftnl-gumbel": {}}, "rnm-ftnl-laplace"),
    "linear": Setting({"private-elimination-m2": {}, "robust-elimination-m2": {}}, "private-elimination-m2"),
    "stochastic": Setting({"dp-imed": {}, "dp-klucb": {}, "dp-se": {}}, "dp-imed"),
}
OVERLAY = """\
# Laid over the shipped configuration, of which it edits nothing:
#   snakemake --cores 2 figures/mine/{name}.pdf --configfile {name}.yaml
# All keys: config/README.md. A first look; for numbers that can be relied on raise horizon and runs.
papers:
  mine:
    title: My own paper
"""
SECTION = """\
published_runs: 20
runs: {{batches: 100, rounds: 20}}
environments:
  {label}: {place}
algorithms:
{algorithms}
experiments:
  {name}:
    environments: [{label}]
    algorithms: [{labels}]
    epsilons: [0.25, 1]
    horizon: 10000
    checkpoints: 50
figures:
  {name}:
    draw: mean-regret
    experiments: [{name}]
    caption: {caption}
"""
PAPER = '''\
"""TODO authors (year), *{title}*."""

TITLE = "{title}"
AUTHORS = "TODO authors"
YEAR = "TODO year"
'''
WORDS = """\
# The paper in words, for the site and the article; config/README.md has all keys.
summary: TODO what the paper proposes, in three sentences.
version: TODO the version that is replicated
names:
  figures: {first: TODO what the figure shows}
headlines:
  - name: learns
    decided_by: learns
    headings: {holds: TODO what was found}
    otherwise: TODO what is open
    sentences:
      - claim: learns
        of: regret in multiples of uniform play's
        says: {holds: "TODO in words; the number is {estimate}."}
"""
CLAIMS = """\
# What the paper states, as data: config/README.md and config/*/claims.yaml say how, tests/claims holds them to it.
claims:
  learns:
    row: first
    place: TODO theorem, section or figure
    statement: TODO what the paper says. As `dpbandits new` writes it, that every algorithm learns.
    shown: figure/first
    tests:
      - test: inequality
        effect: regret in multiples of uniform play's
        experiments: [first]
        options:
          what: mean regret divided by that of uniform play, at the largest budget
          where: {{epsilon: 1}}
          value: mean / uniform
          error: sd / sqrt(runs) / uniform
          at_most: "0.5"
          by: [title]
"""
PAPER_TEST = '''\
"""{title} is planned with all else, and its claims can be read."""

from __future__ import annotations

from pathlib import Path

from dpbandits.claims import claim
from dpbandits.runs import config


def test_it_is_planned(root: Path) -> None:
    """Its experiments have cells, and each of its claims has a test."""
    complete, cells = config.planned(config.shipped(root / "config"))
    assert cells["{name}", "first"]
    assert all(found.tests for found in claim.load(complete)["{name}"].claims.values())
'''


# Text of each file to write, by its path, and commands that work as soon as the files are written.
FilesAndCommands = tuple[dict[Path, str], tuple[str, ...]]


class Scaffolded(NamedTuple):
    """Result of `scaffold`: the files that it wrote, and commands to try them.

    Attributes
    ----------
    root
        Folder of the repository.
    files
        Paths of the files that were written, relative to ``root``.
    commands
        Commands that work in ``root`` at once.
    """

    root: Path
    files: tuple[Path, ...]
    commands: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"in {self.root}", "written:", *(f"  {file}" for file in self.files)]
        return "\n".join([*lines, "what runs at once:", *(f"  {command}" for command in self.commands)])


def scaffold(
    kind: str,
    name: str,
    setting: str | None = None,
    title: str | None = None,
    copied: str | None = None,
    root: Path | None = None,
) -> Scaffolded:
    """Write the files of a new algorithm, environment or paper; return their paths and commands to try them.

    Parameters
    ----------
    kind
        ``"algorithm"``, ``"environment"`` or ``"paper"``.
    name
        Name of the new one for ``dpbandits list``: lower case, such as ``dp-ucb``. For a paper its id, letters and
        digits alone.
    setting
        ``"adversarial"``, ``"experts"``, ``"full_information"``, ``"linear"`` or ``"stochastic"``. It may be left
        out if ``copied`` is given, whose setting it then is. For a paper it is that of its first experiment.
    title
        Title in figures and tables, up to 60 characters without ``"``, backslashes and braces; the name by default.
    copied
        Published algorithm of which a new algorithm is a copy; by default one of the setting, such as ``dp-imed``
        of the stochastic one. Not for an environment or a paper.
    root
        Folder of a clone of the repository; by default the one of this package.

    Raises
    ------
    BadInput
        If an argument is not allowed, the name is taken, ``root`` is no clone, or a file is there already; then
        nothing is written.
    """
    root = root or ROOT.parents[1]
    if not (root / "src" / "dpbandits").is_dir() or not (root / "config").is_dir():
        raise BadInput("new", str(root), "a clone of the repository: install it with pip install -e .")
    with within("KIND"):
        if kind not in KINDS:
            raise BadInput((), kind, suggest(kind, KINDS))
    if copied is not None:
        with within("--from"):
            if kind != "algorithm":
                raise BadInput((), copied, "nothing: an algorithm alone is begun from another one")
            own = registry.setting("algorithm", registry.algorithm(copied) and copied)
            if setting not in (None, own):
                raise BadInput((), copied, f"an algorithm of the setting {setting}")
            setting = own
    with within("--setting"):
        if setting is None or setting not in SETTINGS:
            raise BadInput((), Missing if setting is None else setting, suggest(setting or "", SETTINGS))
    title = name if title is None else title
    with within("NAME"):
        _check_name(kind, name)
    if not TITLE.fullmatch(title) or title != title.strip():
        raise BadInput("--title", title, "up to 60 characters without quotes, backslashes and braces")
    texts, commands = KINDS[kind](name, setting, title, copied or SETTINGS[setting].copied)
    for file in texts:
        if (root / file).exists():
            raise BadInput(str(file), "a file that is there", "a name that leaves it alone; nothing was written")
    for file, text in texts.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        with (root / file).open("x", encoding="utf-8") as opened:
            opened.write(text)
    return Scaffolded(root, tuple(texts), commands)


def _check_name(kind: str, name: str) -> None:
    """Refuse a name that no module can have, or that exists."""
    if kind == "paper":
        if not re.fullmatch(r"[a-z][a-z0-9]*", name) or keyword.iskeyword(name):
            raise BadInput((), name, "letters a to z and digits, as smith2026")
        if (ROOT / "papers" / name).exists():
            raise BadInput((), name, "a name that no paper has")
        return
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) or keyword.iskeyword(name):
        raise BadInput((), name, "letters a to z and digits, with hyphens between words, as dp-ucb")
    if name in registry.modules(kind):
        raise BadInput((), name, f"a name that no {kind} has")


def _filled_test(file: str, name: str, title: str, **words: str) -> str:
    """Return the text of a test, with a newcomer's name and title."""
    text = (SCAFFOLD_TEMPLATES / file).read_text(encoding="utf-8")
    for word, replaced in words.items():
        text = text.replace(word, replaced)
    return text.replace("newcomer", name).replace("Newcomer", title)


def _copy(kind: str, copied: str, title: str) -> str:
    """Return the source of a published algorithm or environment under another title, and as nobody's."""
    text = module_path(registry.module(kind, copied)).read_text(encoding="utf-8")
    opening, docstring, code = text.split('"""', 2)
    declared: Algorithm | Environment = registry.load(kind, copied)
    code = re.sub(rf"(?<![\w-]){re.escape(declared.title)}(?![\w-])", lambda _: title, code)
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.keyword) and node.arg == "source":
            said = str(ast.get_source_segment(code, node.value))
            code = code.replace(said, '"TODO paper, algorithm, equations"', 1)
    begin = f"{title}: TODO what is new. It begins as a copy of `{copied}`."
    return f'{opening}"""{begin}\n\n{docstring.rstrip()}\n"""{code}'


def _section(name: str, label: str, environment: Parameters, algorithms: Mapping[str, Entry], caption: str) -> str:
    """Return the configuration of one experiment with its figure."""
    return SECTION.format(
        name=name,
        label=label,
        place=json.dumps(environment),
        algorithms="\n".join(f"  {algorithm}: {json.dumps(entry)}" for algorithm, entry in algorithms.items()),
        labels=", ".join(algorithms),
        caption=json.dumps(caption, ensure_ascii=False),
    )


def _overlay(name: str, section: str) -> str:
    return OVERLAY.format(name=name) + "".join(f"    {line}\n" for line in section.splitlines())


def _figure_command(name: str) -> str:
    return f"snakemake --cores 2 figures/mine/{name}.pdf --configfile {name}.yaml"


def _simulate_command(algorithm: str, environment: Parameters) -> str:
    return f"dpbandits simulate {algorithm} --environment '{json.dumps(environment)}' --epsilon 1 --horizon 10000"


def _algorithm(name: str, setting: str, title: str, copied: str) -> FilesAndCommands:
    """Return the files of a new algorithm, by path, and commands to try it.

    Parameters
    ----------
    name, setting, title
        Of the new algorithm.
    copied
        The algorithm that it begins as a copy of.
    """
    place, rivals = EXAMPLE_ENVIRONMENTS[setting], SETTINGS[setting].rivals
    module, label = name.replace("-", "_"), f"{setting}-place".replace("_", "-")
    test = f"tests/settings/{setting}/test_{module}.py"
    section = _section(name, label, place, {name: {}, **rivals}, f"{title} beside published algorithms.")
    files = {
        f"src/dpbandits/settings/{setting}/algorithms/{module}.py": _copy("algorithm", copied, title),
        f"{name}.yaml": _overlay(name, section),
        test: _filled_test("algorithm_test.py", name, title, **{'{"kind": "newcomer-place"}': json.dumps(place)}),
    }
    commands = (
        _simulate_command(name, place),
        _figure_command(name),
        f"dpbandits audit {name} --epsilon 1",
        f"pytest tests/contract -k {module}",
        f"pytest {test}",
    )
    return {Path(file): text for file, text in files.items()}, commands


def _environment(name: str, setting: str, title: str, _: str) -> FilesAndCommands:
    """Return the files of a new environment, by path, and commands to try it."""
    begun, rivals = EXAMPLE_ENVIRONMENTS[setting], SETTINGS[setting].rivals
    place = {**begun, "kind": name}
    module = name.replace("-", "_")
    player = next(label for label, entry in rivals.items() if not entry)
    test = f"tests/settings/{setting}/test_{module}.py"
    words = {'{"kind": "newcomer-place"}': json.dumps(place), "newcomer-player": player}
    files = {
        f"src/dpbandits/settings/{setting}/environments/{module}.py": _copy("environment", begun["kind"], title),
        f"{name}.yaml": _overlay(name, _section(name, name, place, rivals, f"Published algorithms in {title}.")),
        test: _filled_test("environment_test.py", name, title, **words),
    }
    commands = (_simulate_command(player, place), _figure_command(name), f"pytest {test}")
    return {Path(file): text for file, text in files.items()}, commands


def _paper(name: str, setting: str, title: str, _: str) -> FilesAndCommands:
    """Return the files of a new paper, by path, and commands to try it."""
    place, rivals = EXAMPLE_ENVIRONMENTS[setting], SETTINGS[setting].rivals
    label = f"{setting}-place".replace("_", "-")
    test = f"tests/papers/{name}/test_{name}.py"
    files = {
        f"src/dpbandits/papers/{name}/__init__.py": PAPER.format(title=title),
        f"config/{name}/experiments.yaml": _section("first", label, place, rivals, "TODO what is seen."),
        f"config/{name}/claims.yaml": CLAIMS.format(),
        f"config/{name}/paper.yaml": WORDS,
        test: PAPER_TEST.format(name=name, title=title),
    }
    commands = (
        f"snakemake --cores 2 figures/{name}/first.pdf",
        f"snakemake --cores 2 results/{name}/findings.csv",
        f"pytest {test}",
    )
    return {Path(file): text for file, text in files.items()}, commands


KINDS: Mapping[str, Callable[[str, str, str, str], FilesAndCommands]] = {
    "algorithm": _algorithm,
    "environment": _environment,
    "paper": _paper,
}
