"""Attacks on the machine: files, environment, network, processes, the channel of results."""

from __future__ import annotations

from attack_rows import ENDED, attack, plain

ROWS = (
    # the file system, the environment and the network
    plain("open", "read a file", "raise ValueError('ESCAPED ' + open('CANARY').read())", quick=True),
    plain("open_to_write", "write a file", "open('MADE', 'w').write('x')\nraise ValueError('ESCAPED')"),
    attack(
        "os_open",
        "read a file through a module that was reached",
        """
    os = modules()["posix"]
    raise ValueError("ESCAPED " + str(os.read(os.open("CANARY", 0), 100)))
    """,
        quick=True,
    ),
    attack(
        "os_create",
        "make a file",
        "os = modules()['posix']\nos.open('MADE', 65, 0o600)\nraise ValueError('ESCAPED')",
    ),
    attack("listdir", "list a folder", "raise ValueError('ESCAPED ' + str(modules()['posix'].listdir('/')))"),
    attack(
        "environment",
        "read the environment",
        """
    for word in list(modules()["os"].environ.values()) + list(modules()["posix"].environ.values()):
        if "canary" in str(word):
            raise ValueError("ESCAPED " + str(word))
    """,
        harmless=True,
        quick=True,
    ),
    attack(
        "proc_environ", "read another process's environment", "modules()['posix'].open('/proc/1/environ', 0)"
    ),
    attack("proc_mem", "write another process's memory", "modules()['posix'].open('/proc/self/mem', 2)"),
    attack(
        "chmod",
        "change a file's rights",
        "modules()['posix'].chmod('CANARY', 0)\nraise ValueError('ESCAPED')",
    ),
    attack("unlink", "delete a file", "modules()['posix'].unlink('CANARY')\nraise ValueError('ESCAPED')"),
    attack(
        "terminal",
        "write on the terminal",
        "modules()['posix'].open('/dev/tty', 2)\nraise ValueError('ESCAPED')",
    ),
    attack("socket", "open a socket", "bring('_socket').socket()\nraise ValueError('ESCAPED')"),
    attack(
        "import_statement",
        "import a module",
        "import os\nraise ValueError('ESCAPED ' + os.getcwd())",
        quick=True,
    ),
    attack(
        "import_star",
        "import everything of a module",
        "import os.path as p, sys, ctypes\nraise ValueError('ESCAPED')",
    ),
    attack(
        "import_all",
        "import whatever there is",
        """
    for name in ["ctypes", "mmap", "resource", "fcntl", "pty", "subprocess", "multiprocessing", "asyncio"]:
        bring(name)
    raise ValueError("ESCAPED")
    """,
    ),
    # other processes
    attack("fork", "make processes", "modules()['posix'].fork()\nraise ValueError('ESCAPED')", quick=True),
    attack(
        "fork_bomb",
        "make processes without end",
        "while True:\n    try:\n        modules()['posix'].fork()\n    except OSError:\n        pass",
        ENDED,
    ),
    attack(
        "exec",
        "become another program",
        "modules()['posix'].execv('/bin/true', ['true'])\nraise ValueError('ESCAPED')",
    ),
    attack("system", "run a shell", "modules()['posix'].system('touch MADE')\nraise ValueError('ESCAPED')"),
    attack(
        "thread",
        "go on in a thread",
        "bring('_thread').start_new_thread(lambda: None, ())\nraise ValueError('ESCAPED')",
    ),
    attack(
        "kill_parent",
        "kill the process that watches",
        "os = modules()['posix']\nos.kill(os.getppid(), 9)\nraise ValueError('ESCAPED')",
        quick=True,
    ),
    attack("kill_all", "kill every process", "modules()['posix'].kill(-1, 9)\nraise ValueError('ESCAPED')"),
    attack(
        "ptrace",
        "look into another process",
        "bring('ctypes').CDLL(None).ptrace(16, 1, 0, 0)\nraise ValueError('ESCAPED')",
    ),
    attack("exit", "leave without a word", "modules()['posix']._exit(0)", quick=True),
    attack("abort", "crash", "modules()['posix'].abort()", ENDED),
    attack(
        "segfault",
        "crash by broken bytecode",
        """
    def f():
        return 1
    f.__code__ = f.__code__.replace(co_code=b"\\x64\\xff" * 50, co_consts=())
    f()
    """,
        ENDED,
    ),
    attack(
        "signals",
        "ignore the signal that says stop, then loop",
        "s = bring('_signal')\ns.signal(24, s.SIG_IGN)\ns.signal(14, s.SIG_IGN)\nwhile True:\n    pass",
        ENDED,
    ),
    attack("atexit", "act at the end", "bring('atexit').register(lambda: 1 / 0)", ENDED, harmless=True),
    attack(
        "setrlimit",
        "raise the limits",
        "bring('resource').setrlimit(0, (-1, -1))\nraise ValueError('ESCAPED')",
    ),
    # the channel of results
    attack(
        "write_everywhere",
        "write on every descriptor",
        """
    write = modules()["posix"].write
    for fd in range(64):
        try:
            write(fd, b"\\x00" * 4096)
        except OSError:
            pass
    """,
        ENDED,
        quick=True,
    ),
    attack(
        "flood_everywhere",
        "write on every descriptor without end",
        """
    write = modules()["posix"].write
    while True:
        for fd in range(64):
            try:
                write(fd, b"\\x01" * 65536)
            except OSError:
                pass
    """,
        ENDED,
    ),
    attack("close_everything", "close every descriptor", "modules()['posix'].closerange(0, 256)", ENDED),
    attack(
        "forged_faults",
        "say that the opponent failed",
        """
    write = modules()["posix"].write
    for fd in range(64):
        try:
            write(fd, b'{"seat": 0, "kind": "error", "reason": "x", "repetition": 0, "turn": 0}')
        except OSError:
            pass
    """,
        ENDED,
    ),
    attack(
        "patched_write",
        "put a function of one's own in place of the one that reports",
        "modules()['posix'].write = modules()['os'].write = lambda fd, data: 0",
        ENDED,
        harmless=True,
    ),
    attack(
        "raw_moves",
        "write other moves and leave",
        """
    os = modules()["posix"]
    for fd in range(64):
        try:
            os.write(fd, b"\\x02" * 30)
        except OSError:
            pass
    os._exit(0)
    """,
        ENDED,
        inside=True,
    ),
)
