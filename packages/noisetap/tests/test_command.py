"""An exit status is given by a verdict alone, in one line, whatever the program does."""

import json
import subprocess
import sys

import pytest
from endings import ENDINGS, ENDLESS, PLACES
from test_forged import forged

from noisetap.cli import main

NO_VERDICT = {
    "is async": "class P:\n async def choose(self): return 0\n def update(self, a, r): pass\n",
    "is no Python": "class P\n",
    "lacks a module": "import nowhere_at_all\n",
    "chooses text": "class P:\n def choose(self): return '\\x1b[2J'\n def update(self, a, r): pass\n",
    "chooses 7 of 2": "class P:\n def choose(self): return 7\n def update(self, a, r): pass\n",
    "stops": "class P:\n def choose(self): raise ValueError('\\x1b[2J')\n def update(self, a, r): pass\n",
    "is no policy": "class P: pass\n",
}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("what", NO_VERDICT)
def test_a_program_without_a_verdict_is_refused_in_one_line(what, tmp_path, capsys):
    program = tmp_path / "mine.py"
    program.write_text(NO_VERDICT[what])
    assert main([f"{program}:P"]) == 3
    said = capsys.readouterr()
    assert said.out.startswith("refused: ")
    assert (said.out.count("\n"), said.err) == (1, "")
    assert "\x1b" not in said.out


def of_tier():
    """Return each way to end at one moment, in turn; every way at every other moment is slow."""
    for number, ending in enumerate(ENDINGS):
        for other, place in enumerate(PLACES):
            marks = () if other == number % len(PLACES) else pytest.mark.slow
            yield pytest.param(ending, place, marks=marks, id=f"{ending}-{place}")


@pytest.mark.parametrize(("ending", "place"), list(of_tier()))
def test_a_program_that_ends_gives_no_verdict(ending, place, tmp_path, capfd):
    """Whatever status the process had: in each of 35 ways; the slow tier has each way at each of 8 moments."""
    program = tmp_path / "mine.py"
    program.write_text(PLACES[place].replace("{}", ENDINGS[ending]))
    assert main([f"{program}:P"]) in (3, 4)
    said = capfd.readouterr()
    assert (said.out + said.err).startswith(("refused: ", "noisetap: "))
    assert "\x1b" not in said.out + said.err


@pytest.mark.parametrize("ending", ["ends well", "ends with one", "leaves", "is a generator's end"])
def test_a_program_that_ends_is_no_ruling_on_a_certificate(ending, tmp_path, capfd):
    program, witness = tmp_path / "mine.py", tmp_path / "witness.json"
    program.write_text(PLACES["made"].replace("{}", ENDINGS[ending]))
    witness.write_text(json.dumps(forged(decision=1)))
    assert main([f"{program}:P", "--check", str(witness)]) == 3
    assert capfd.readouterr().out.startswith("refused: ")


@pytest.mark.parametrize("place", ["imported", "asked", "asked for data"])
@pytest.mark.parametrize("ending", [*list(ENDLESS)[:2], pytest.param(list(ENDLESS)[2], marks=pytest.mark.slow)])
def test_a_program_that_does_not_return_is_refused(ending, place, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("noisetap.child.GRACE", -0.8)
    (tmp_path / "mine.py").write_text(PLACES[place].replace("{}", ENDLESS[ending]))
    assert main([f"{tmp_path}/mine.py:P", "--seconds", "1"]) == 3
    assert "no verdict within 0.2 s" in capsys.readouterr().out


def test_what_a_program_prints_is_not_ours(tmp_path, capfd):
    """Not by Python, and not beside it."""
    says = "import os; os.write(1, b'consistent'); print('consistent'); os.system('echo consistent')"
    (tmp_path / "mine.py").write_text(PLACES["asked"].replace("{}", f"{says}; os._exit(0)"))
    assert main([f"{tmp_path}/mine.py:P"]) == 3
    assert "consistent" not in capfd.readouterr().out


@pytest.mark.parametrize("name", ["nowhere.py:P", "P", ":"])
def test_what_is_no_program_is_refused(name):
    assert main([name]) == 3


@pytest.mark.parametrize(
    "option", ["--epsilon=nan", "--epsilon=-1", "--rounds=0", "--seed=-1", "--delta=2", "--effort=0"]
)
def test_bad_options_are_no_verdict(option):
    with pytest.raises(SystemExit) as ended:
        main(["mine.py:P", option])
    assert ended.value.code == 4


@pytest.mark.parametrize("text", [None, "", "[]", "{", "\xff", json.dumps({"format": "noisetap 1"})])
def test_a_damaged_certificate_proves_nothing(text, tmp_path):
    program, witness = tmp_path / "mine.py", tmp_path / "witness.json"
    program.write_text("class P:\n def choose(self): return 0\n def update(self, a, r): pass\n")
    if text is not None:
        witness.write_text(text, encoding="latin-1")
    assert main([f"{program}:P", "--check", str(witness)]) in (0, 4)


def test_help_says_that_the_program_is_run_and_lists_exit_codes():
    said = subprocess.run([sys.executable, "-m", "noisetap.cli", "--help"], capture_output=True, text=True).stdout
    assert "The program is run" in said
    assert "0 consistent, 1 violated, 2 suspicious, 3 refused, 4" in said
