"""No command tries a host outside this machine, unless somebody named one.

Two witnesses: a hook that sees what Python processes look up and connect to, children included; and, where
the system permits it, the packets that leave through the only way out of a network namespace.
"""

from __future__ import annotations

import ast
import ipaddress
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from intent.agents.local_models import fetch
from intent.base.errors import IntentError
from intent.demo import sample_log

HOOK = """
import os, sys
_EVENTS = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr",
           "socket.sendto", "socket.sendmsg"}
def _hook(event, args, busy=[]):
    if event in _EVENTS and not busy:
        busy.append(1)
        try:
            place = args[0] if isinstance(args[0], str | bytes | None) else args[1]
            with open(os.environ["SPIED"], "a") as file:
                file.write(repr((event, place)) + "\\n")
        finally:
            busy.clear()
sys.addaudithook(_hook)
"""

OUTSIDE = """
set -e
ip link set lo up
ip link add out0 type dummy
echo 1 > /proc/sys/net/ipv6/conf/out0/disable_ipv6 2> /dev/null || true
ip address add 10.83.0.2/24 dev out0
ip link set out0 up
ip route add default via 10.83.0.1
"$@" || code=$?
awk '$1 == "out0:" {print "packets", $11}' /proc/net/dev
exit ${code:-0}
"""
"""A network whose only way out is an interface that counts and drops."""

RUN = "import sys; from intent.cli.main import main; main(sys.argv[1:])"

COMMAND = """
cd "$WORK"
intent() { "$PYTHON" -c "$RUN" "$@" > /dev/null; }
"""

FAST = """
intent --help
intent play e.yaml -m scripted/uniform -o run --json
"""

CHAIN = """
intent label "$LOG" -o labels.parquet
intent compare labels.parquet --by model --bootstrap 20 --permutations 19
intent report labels.parquet --where language=en -o report.html
"$PYTHON" -m intent.agents.scripted_server > server.txt & server=$!
for i in $(seq 100); do grep -q http server.txt && break; sleep .1; done
url=$(grep -o 'http[^ ]*' server.txt)
intent play e.yaml -m openai/any@$url -o served
kill $server
intent demo -m scripted/uniform -o demo
intent train paper-eps005 -m logistic -o recognisers
intent generate -n 50 --workers 2 -o play
"""

PACKETS = """
"$PYTHON" -c "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 9))"
"""

LOCAL = r"""
printf 'name: local\nrounds: 1\nsettings: {constrained: true, max_tokens: 8}\n' > local.yaml
intent play local.yaml -m local/smollm2-135m -o local
"""

TELEMETRY = """
MLFLOW_DISABLE_TELEMETRY=false intent play e.yaml -m scripted/uniform -o told
"""


def namespace() -> list[str] | None:
    """The words in front of a command that run it without a network; None where that is not permitted."""
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        return None
    for words in (["unshare", "--net"], ["unshare", "--map-root-user", "--net"]):
        tried = subprocess.run(
            [*words, "bash", "-c", OUTSIDE, "bash", "true"], capture_output=True, check=False
        )
        if tried.returncode == 0 and b"packets 0" in tried.stdout:
            return words
    return None


@pytest.fixture
def spied(tmp_path):
    """Runs a script of commands; returns the outside hosts it tried and the packets (None: not counted)."""

    def run(script: str) -> tuple[set[str], int | None]:
        (tmp_path / "spy").mkdir()
        (tmp_path / "spy" / "sitecustomize.py").write_text(HOOK)
        (tmp_path / "e.yaml").write_text("name: offline\nrounds: 2\nafter: {label: {}}\n")
        (tmp_path / "spied.txt").touch()
        ours = ("MLFLOW_", "PYTEST_", "CI", "GITHUB_", "DO_NOT_TRACK", "SPIED")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        environment |= {
            "PYTHONPATH": os.pathsep.join([str(tmp_path / "spy"), str(Path(__file__).parents[2])]),
            "SPIED": str(tmp_path / "spied.txt"),
            "WORK": str(tmp_path),
            "PYTHON": sys.executable,
            "RUN": RUN,
            "LOG": str(sample_log()),
        }
        inside = namespace()
        words = ["bash", "-c", f"set -e\n{COMMAND}{script}"]
        command = words if inside is None else [*inside, "bash", "-c", OUTSIDE, "bash", *words]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=900, cwd=tmp_path, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        tried = (ast.literal_eval(line) for line in (tmp_path / "spied.txt").read_text().splitlines())
        hosts = {host for _, place in tried if (host := outside(place)) is not None}
        return hosts, None if inside is None else int(done.stdout.rsplit("packets", 1)[1])

    return run


def outside(place: object) -> str | None:
    """The host of a place that is not on this machine."""
    host = place[0] if isinstance(place, tuple) else place
    host = host.decode() if isinstance(host, bytes) else host
    if not isinstance(host, str) or host.startswith(("/", "\0")) or host in ("", "localhost"):
        return None  # nothing, or a socket that is a file
    try:
        return None if ipaddress.ip_address(host).is_loopback else host
    except ValueError:
        return host


@pytest.mark.exhaustive  # the whole chain begins with the same commands
def test_help_and_a_tracked_run_try_nobody(spied):
    hosts, packets = spied(FAST)
    assert hosts == set()
    assert packets in (0, None)


@pytest.mark.slow
def test_the_whole_chain_tries_nobody(spied):
    hosts, packets = spied(FAST + CHAIN)
    assert hosts == set()
    assert packets in (0, None)


@pytest.mark.slow
def test_a_model_in_this_process_tries_nobody(spied):
    pytest.importorskip("xllamacpp", reason="needs the extra `local`")
    try:
        fetch("smollm2-135m")
    except IntentError as error:
        pytest.skip(f"no local model: {error}")
    hosts, packets = spied(LOCAL)
    assert hosts == set()
    assert packets in (0, None)


@pytest.mark.slow
def test_both_witnesses_see_what_leaves(spied):
    """The telemetry that is off by default is seen where the user's environment asks for it."""
    hosts, packets = spied(TELEMETRY + PACKETS)
    assert "config.mlflow-telemetry.io" in hosts
    assert "192.0.2.1" in hosts
    assert packets is None or packets > 0
