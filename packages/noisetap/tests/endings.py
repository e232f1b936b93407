"""Ways in which a program ends, or does not, without an answer: statements for any place in its source."""

_ODD = "type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})()"
_SPEAKS = "type('Odd', (BaseException,), {'__str__': lambda self: __import__('sys').exit(0)})()"
_LEAVES = "os._exit(0) if os.fork() else time.sleep(1) or os._exit(0)"
ENDINGS = {
    "ends well": "import sys; sys.exit(0)",
    "ends with one": "import sys; sys.exit(1)",
    "ends with two": "raise SystemExit(2)",
    "ends without a number": "raise SystemExit",
    "ends with words": "raise SystemExit('\\x1b[2Jconsistent')",
    "quits": "quit()",
    "leaves": "import os; os._exit(0)",
    "leaves with one": "import os; os._exit(1)",
    "leaves with three": "import os; os._exit(3)",
    "is killed": "import os; os.kill(os.getpid(), 9)",
    "is terminated": "import os; os.kill(os.getpid(), 15)",
    "is hung up": "import os; os.kill(os.getpid(), 1)",
    "reads beside its memory": "import ctypes; ctypes.string_at(8)",
    "aborts": "import os; os.abort()",
    "becomes another program": "import os; os.execv('/bin/true', ['true'])",
    "becomes one that fails": "import os; os.execv('/bin/false', ['false'])",
    "closes all files": "import os; os.closerange(0, 99); os._exit(0)",
    "leaves by a thread": "import os, _thread as t; t.start_new_thread(os._exit, (0,)); [0 for _ in iter(int, 1)]",
    "interrupts": "raise KeyboardInterrupt",
    "interrupts itself": "import os; os.kill(os.getpid(), 2)",
    "is a generator's end": "raise GeneratorExit",
    "raises what is no Exception": "raise BaseException('odd')",
    "raises no words": f"raise BaseExceptionGroup('odd', [{_ODD}, KeyboardInterrupt()])",
    "raises what ends when it speaks": f"raise {_SPEAKS}",
    "raises a long word": "raise BaseException('x' * 10**6)",
    "has a name that steers": "raise type('\\x1b[2J', (BaseException,), {})()",
    "leaves a child behind": f"import os, time; {_LEAVES}",
    "leaves if interrupted": "import signal, os; signal.signal(2, lambda *_: os._exit(0)); os.kill(os.getpid(), 2)",
    "leaves when it should not": "import atexit, os; atexit.register(os._exit, 0); import sys; sys.exit(0)",
    "closes what it prints to": "import os; os.close(1); os.close(2); raise BaseException('odd')",
    "has no streams": "import sys; sys.stdout = sys.stderr = None; raise BaseException('odd')",
    "prints no text and ends": "import os; os.write(1, b'\\xff\\x00'); os._exit(0)",
    "kills its group": "import os; os.setsid(); os.killpg(0, 9)",
    "frees what is in use": "import ctypes; ctypes.memset(id(None) + 8, 0, 8)",
    "is timed out": "import signal; signal.setitimer(signal.ITIMER_REAL, 0.01); [0 for _ in iter(int, 1)]",
}
ENDLESS = {
    "computes without end": "while True: pass",
    "waits without end": "import threading; threading.Event().wait()",
    "ignores signals and computes": "import signal; signal.signal(15, signal.SIG_IGN); [0 for _ in iter(int, 1)]",
}
# Programs for `noisetap`, by the moment at which they end.
PLACES = {
    "imported": "{}\nclass P:\n    def choose(self): return 0\n    def update(self, arm, reward): pass\n",
    "made": (
        "class P:\n    def __init__(self):\n        {}\n    def choose(self): return 0\n"
        "    def update(self, a, r): pass\n"
    ),
    "asked": "class P:\n    def choose(self):\n        {}\n    def update(self, a, r): pass\n",
    "told": "class P:\n    def choose(self): return 0\n    def update(self, a, r):\n        {}\n",
    "told late": (
        "class P:\n    t = 0\n    def choose(self): return 0\n    def update(self, a, r):\n"
        "        self.t += 1\n        if self.t > 30:\n            {}\n"
    ),
    "asked for data": "def P(data):\n    {}\n",
    "asked for some data": "def P(data):\n    if sum(data) > 2:\n        {}\n    return 0\n",
    "asked to pull": "def P(pull):\n    pull(0)\n    {}\n",
}
