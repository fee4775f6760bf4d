"""Strangers at a public site: requests at a fixed rate, whatever the answers take, over connections that stay open.

    visitors.py HOST:PORT RATE SECONDS PATH...

Prints the p50 and p99 from the moment that a request was due, in milliseconds, and how many failed."""

import http.client
import sys
import threading
import time

THREADS = 16


def main():
    host, rate, seconds = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
    paths = sys.argv[4:]
    took, failed, lock = [], [0], threading.Lock()
    began = time.monotonic() + 0.2

    def visit(own):
        connection = http.client.HTTPConnection(host, timeout=10)
        number = own
        mine, bad = [], 0
        while True:
            due = began + number / rate
            if due > began + seconds:
                break
            time.sleep(max(0.0, due - time.monotonic()))
            try:
                connection.request("GET", paths[number % len(paths)], headers={"Accept": "text/html"})
                answer = connection.getresponse()
                answer.read()
                bad += answer.status != 200
            except OSError:
                bad += 1
                connection = http.client.HTTPConnection(host, timeout=10)
            mine.append((time.monotonic() - due) * 1_000)
            number += THREADS
        with lock:
            took.extend(mine)
            failed[0] += bad

    threads = [threading.Thread(target=visit, args=(own,)) for own in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took.sort()
    at = lambda share: took[min(len(took) - 1, int(len(took) * share))]
    print(f"{at(0.5):.2f} {at(0.99):.2f} {failed[0]}")


main()
