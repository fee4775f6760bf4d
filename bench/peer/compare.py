"""Spotter beside the same work in Fastify, alternating, in one sitting: requests a second, the share of a constant answer,
and processor time a request. Prints rows for the table of `bench/run`; fails where the peer does not start.

    compare.py WORK SPOTTER_PID SPOTTER_ADDRESS TOKEN IDS SECONDS

WORK has the peer's packages in `node_modules` (fastify@5.12.8, better-sqlite3@12.11.1), or gets them from npm."""

import http.client
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
WORK, PID, ADDRESS, TOKEN, IDS, SECONDS = pathlib.Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:6], int(sys.argv[6])
PORT = 18302
ROUNDS = 3

WORK.mkdir(parents=True, exist_ok=True)
if not (WORK / "node_modules/better-sqlite3/build/Release/better_sqlite3.node").exists():
    packages = ["fastify@5.12.8", "better-sqlite3@12.11.1"]
    subprocess.run(["npm", "install", "--prefix", WORK, "--silent", "--no-audit", "--no-fund", *packages], check=True)
for old in WORK.glob("peer.db*"):
    old.unlink()
subprocess.run([sys.executable, HERE / "seed.py", WORK / "peer.db"], check=True)
peer = subprocess.Popen(
    ["node", HERE / "app.mjs"],
    cwd=WORK,
    env={**os.environ, "DB": str(WORK / "peer.db"), "PORT": str(PORT), "WORKERS": "2", "NODE_ENV": "production"},
)


def wait_until_up():
    for _ in range(100):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=2)
            connection.request("GET", "/constant")
            return connection.getresponse().read()
        except OSError:
            time.sleep(0.1)
    sys.exit("the peer did not start")


def processes(pid):
    children = []
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            children += map(int, open(f"/proc/{pid}/task/{task}/children").read().split())
        except (FileNotFoundError, ProcessLookupError):
            continue  # The thread has ended.
    return [pid] + [own for child in children for own in processes(child)]


def processor_seconds(pid):
    fields = [open(f"/proc/{own}/stat").read().rsplit(")", 1)[1].split() for own in processes(pid)]
    return sum(int(own[11]) + int(own[12]) for own in fields) / os.sysconf("SC_CLK_TCK")


def load(base, pid, env):
    """Requests a second, and microseconds of processor time a request, after a second to warm up."""
    for seconds in (1, SECONDS):
        began = processor_seconds(pid)
        command = ["wrk", "-t1", "-c64", f"-d{seconds}s", "--timeout", "10s", "-s", HERE / "load.lua", base]
        text = subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, check=True).stdout
    requests = int(re.search(r"(\d+) requests in", text)[1])
    if failed := re.search(r"Non-2xx.*: (\d+)", text):
        sys.exit(f"{failed[1]} requests failed: {env['URLPATH']} at {base}")
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])
    return rate, (processor_seconds(pid) - began) * 1e6 / requests


OURS, PEERS = {"TOKEN": TOKEN, "IDS": IDS}, {"TOKEN": "token-{company}"}
READ, WRITE = {"METHOD": "GET"}, {"METHOD": "PATCH", "IDEM": "1"}
ITEMS = {
    "a constant answer": (
        {**OURS, **READ, "URLPATH": "/health/live"},
        {**PEERS, **READ, "URLPATH": "/constant"},
    ),
    "one client": (
        {**OURS, **READ, "URLPATH": "/public/v1/clients/{id}"},
        {**PEERS, **READ, "URLPATH": "/clients/{client}"},
    ),
    "20 clients and the total": (
        {**OURS, **READ, "URLPATH": "/public/v1/clients?limit=20"},
        {**PEERS, **READ, "URLPATH": "/clients?page=1&pageSize=20"},
    ),
    "durable idempotent PATCH": (
        {**OURS, **WRITE, "URLPATH": "/public/v1/clients/{id}", "BODY": '{"firstName":"N{n}"}'},
        {**PEERS, **WRITE, "URLPATH": "/clients/{client}", "BODY": '{"first_name":"N{n}"}'},
    ),
}

try:
    wait_until_up()
    found = {name: ([], []) for name in ITEMS}
    for number in range(ROUNDS):
        for name, (ours, theirs) in ITEMS.items():
            sides = [(f"http://{ADDRESS}", PID, ours, 0), (f"http://127.0.0.1:{PORT}", peer.pid, theirs, 1)]
            for base, pid, env, side in sides if number % 2 else reversed(sides):
                found[name][side].append(load(base, pid, env))
    constant = statistics.median(rate for rate, _ in found["a constant answer"][0])
    for name, sides in found.items():
        (rate, cost), (other, others_cost) = [[statistics.median(one) for one in zip(*side)] for side in sides]
        print(f"  {name}, requests/s and share of the constant answer | {rate:,.0f}, {rate / constant:.2f}")
        print(f"  {name}, times the peer's {other:,.0f} | {rate / other:.2f}")
        shares = f"{cost:.0f} µs, {cost / others_cost:.2f}"
        print(f"  {name}, processor time a request, and as a share of the peer's {others_cost:.0f} µs | {shares}")
finally:
    peer.terminate()
    peer.wait()
