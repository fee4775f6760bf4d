"""What many gyms need, from what a request was measured to cost: processors, nodes, connections, disk and log.

    bench/scaling/model.py COSTS NODES CLUSTER DATABASE_BYTES CLIENTS

COSTS has a line for each kind of request: its name, requests a second, microseconds of the program, microseconds of PostgreSQL, bytes
of PostgreSQL's log, and, of a cluster, microseconds of its coordinator among those of PostgreSQL. NODES has a line for each number of nodes: the number, requests a second of the mix, and microseconds of both.
CLUSTER has lines as COSTS has, each named by the number of workers and the kind; it may be empty, and its table and that of sizes then stay. The tables are printed and written into docs/SCALING.md.
"""

import pathlib
import sys

# A gym of the usual size, and what happens there on a day. Assumptions, not measurements: change them for another one.
CLIENTS = 300
COACHES = 6
PER_CLIENT_AND_DAY = {
    "one client": 1.5,  # Opens the app: who they are, their membership, their credits.
    "a client's bookings": 1.0,
    "20 clients and the total": 0.8,  # Timetable, messages, workouts: lists of twenty.
    "change of a client": 1.6,  # Bookings, cancellations, visits, messages, sets: durable writes that announce an event.
    "new client": 0.1,  # Writes that touch many tables: sales, renewals, sign-ups.
}
PER_COACH_AND_DAY = {
    "one client": 60,
    "20 clients and the total": 80,
    "search that finds few": 15,
    "a report of a quarter by week": 3,
    "change of a client": 60,
}
INTEGRATION_PER_DAY = {"one client": 2_000, "20 clients and the total": 200, "change of a client": 200}
# Each write is told to a webhook, which costs about as much as another write.
DELIVERY_PER_WRITE = 1.0
# Of a day's work, the share of its busiest hour, and how far the busiest minute is above that hour.
BUSIEST_HOUR = 0.12
BUSIEST_MINUTE = 1.6
# Processors are not planned to be busier than this at that minute.
PLANNED = 0.5
# One PostgreSQL is planned with this many processors at most; beyond, companies are spread over several (Citus).
LARGEST_SERVER = 32
# Processors of a node of the program.
NODE = 8
WRITES = ("change of a client", "new client")
SIZES = (1, 100, 1_000, 10_000, 100_000)
# What was measured varies by a fifth from minute to minute; the model must say the mix within this.
TOLERANCE = 0.35
MIX = {"one client": 0.5, "20 clients and the total": 0.2, "a client's bookings": 0.1, "change of a client": 0.1, "new client": 0.1}
# What each kind of the mix is taken for on a cluster of two workers, where only reads, lists and changes are measured.
SPREAD = {
    "one client": "2 read",
    "20 clients and the total": "2 list",
    "a client's bookings": "2 read",
    "change of a client": "2 change",
    "new client": "2 change",
}


def read(path):
    lines = pathlib.Path(path).read_text().splitlines()
    rows = [line.split("\t") for line in lines]
    return {row[0]: [float(value) for value in row[1:]] for row in rows}


def day():
    """Requests of a gym's day, by kind."""
    counts = {}
    for table, factor in ((PER_CLIENT_AND_DAY, CLIENTS), (PER_COACH_AND_DAY, COACHES), (INTEGRATION_PER_DAY, 1)):
        for kind, count in table.items():
            counts[kind] = counts.get(kind, 0) + count * factor
    return counts


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def of_mix(column, costs, names=None):
    """What a request of the mix costs of something."""
    return sum(share * costs[names[kind] if names else kind][column] for kind, share in MIX.items())


def spread(costs, cluster):
    """How many times as much of the program and of PostgreSQL a request of the mix costs on a cluster, and the coordinator's share."""
    program, database = (of_mix(column, cluster, SPREAD) / of_mix(column, costs) for column in (1, 2))
    return program, database, of_mix(4, cluster, SPREAD) / of_mix(2, cluster, SPREAD)


def needs(costs, gyms, bytes_per_client, mixed, times):
    counts = day()
    writes = sum(counts[kind] for kind in WRITES)
    peak = BUSIEST_HOUR / 3600 * BUSIEST_MINUTE * gyms
    program = database = log = 0.0
    for kind, count in counts.items():
        of_program, of_database, of_log = costs[kind][1:4]
        program += count * of_program
        database += count * of_database
        log += count * of_log
    of_program, of_database, of_log = costs["change of a client"][1:4]
    deliveries = writes * DELIVERY_PER_WRITE
    program += deliveries * of_program
    database += deliveries * of_database
    log += deliveries * of_log
    cores = [value * mixed * peak / 1e6 / PLANNED for value in (program, database)]
    more_program, more_database, of_coordinator = times
    nodes, more_nodes = (max(1, -(-cores[0] * more // NODE)) for more in (1, more_program))
    servers = max(1, -(-cores[1] // LARGEST_SERVER))
    spread_cores = cores[1] * more_database
    workers = max(1, -(-spread_cores * (1 - of_coordinator) // LARGEST_SERVER))
    requests = sum(counts.values()) * peak
    return [
        f"{gyms:,}",
        f"{gyms * CLIENTS:,}",
        f"{requests:,.0f}",
        f"{(writes + deliveries) * peak:,.0f}",
        f"{cores[0]:,.1f}",
        f"{cores[1]:,.1f}",
        f"{nodes:.0f}",
        f"{servers:.0f}",
        f"{more_nodes:.0f}",
        f"{spread_cores * of_coordinator:,.1f}",
        f"{workers:.0f}",
        f"{gyms * CLIENTS * bytes_per_client / 1e9:,.0f} GB",
        f"{log * gyms / 1e9:,.1f} GB",
    ]


def main():
    costs, nodes = read(sys.argv[1]), read(sys.argv[2])
    bytes_per_client = float(sys.argv[4]) / float(sys.argv[5])
    measured = table(
        ["a request", "a second on this machine", "µs of the program", "µs of PostgreSQL", "bytes of its log"],
        [[kind, *(f"{value:,.0f}" for value in values[:4])] for kind, values in costs.items()],
    )
    parts = of_mix(1, costs) + of_mix(2, costs)
    # Requests of one kind share their way, their plans and their pages; mixed, they cost more.
    one = min(nodes)
    mixed = max(1.0, (nodes[one][1] + nodes[one][2]) / parts)
    said = parts * mixed
    checks, off = [], []
    for count, (rate, program, database) in nodes.items():
        ratio = (program + database) / said
        checks.append([count, f"{rate:,.0f}", f"{program:,.0f}", f"{database:,.0f}", f"{said:,.0f}", f"{ratio:.2f}"])
        if abs(ratio - 1) > TOLERANCE:
            off.append(f"{count} nodes: {ratio:.2f}")
    checked = table(
        ["nodes", "requests/s of the mix", "µs of the program", "µs of PostgreSQL", "µs of both by the model", "measured, times the model"],
        checks,
    )
    tables = {"costs": measured, "nodes": checked}
    cluster = read(sys.argv[3])
    if cluster:
        times = spread(costs, cluster)
        head = [
            "gyms",
            "clients",
            "requests/s",
            "writes/s, with deliveries",
            "cores of nodes",
            "cores of PostgreSQL",
            "nodes of 8 cores",
            "PostgreSQL in one: servers of 32 cores",
            "on a cluster: nodes of 8 cores",
            "cores of the coordinator",
            "workers of 32 cores",
            "disk of data",
            "log a day",
        ]
        tables["sizes"] = table(head, [needs(costs, gyms, bytes_per_client, mixed, times) for gyms in SIZES])
        print(
            f"a request of the mix costs the program {times[0]:.1f} times, and PostgreSQL {times[1]:.1f} times as much on a cluster; "
            f"the coordinator has {times[2]:.0%} of the latter"
        )
        head = ["workers, and a request", "a second on this machine", "µs of the program", "µs of PostgreSQL, all servers", "bytes of the coordinator's log", "µs of the coordinator"]
        tables["cluster"] = table(head, [[kind, *(f"{value:,.0f}" for value in values)] for kind, values in cluster.items()])
    print(*tables.values(), f"a request of the mix costs {mixed:.2f} times what its kinds cost alone", sep="\n\n")
    path = pathlib.Path(__file__).parents[2] / "docs/SCALING.md"
    text = path.read_text()
    for name, content in tables.items():
        begin, end = f"<!-- {name} -->\n", "<!-- end -->"
        before, rest = text.split(begin, 1)
        text = before + begin + content + "\n" + end + rest.split(end, 1)[1]
    path.write_text(text)
    if off:
        sys.exit("the model is off: " + ", ".join(off))


main()
