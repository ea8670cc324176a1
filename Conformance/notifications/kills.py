"""Kills a collector again and again while it sends events to a receiver that fails at random.

usage: kills.py COLLECTOR [KILLS [SEED]]    the program, the number of kills (1000), and a seed of random numbers (1)

Events are added to the database, which is SQLite, as a second process would add them. The receiver answers some requests with 500,
closes some connections before it has stored the message, and some after it. Each event must arrive, in the order of the events, and
a message that arrives again must have the same identifier and the same events.
"""
import http.server
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time


class Receiver(http.server.BaseHTTPRequestHandler):
    lock = threading.Lock()
    messages = []
    faults = random.Random(0)
    fails = True

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with Receiver.lock:
            fault = Receiver.faults.randrange(10) if Receiver.fails else 9
            if fault not in (0, 1, 2):
                Receiver.messages.append((self.headers["webhook-id"], json.loads(body)["events"]))
        if fault in (2, 3):
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(500 if fault in (0, 1) else 204)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


def start(collector, folder, port, address):
    environment = dict(os.environ, COLLECTOR_NOTIFY=address, COLLECTOR_NOTIFY_PRIVATE="yes", COLLECTOR_DATA=folder)
    process = subprocess.Popen(
        [collector, "serve", "--port", str(port)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout.readline().startswith(b"listening"), "the collector did not start"
    return process


def add_events(folder, first, count):
    database = sqlite3.connect(f"{folder}/leaks.sqlite", timeout=60)
    with database:
        for number in range(first, first + count):
            database.execute(
                "insert into event (at, kind, app, environment, version, build, key, leak, title, text, details, is_silent)"
                " values (?, 'new_leak', 'shop', 'production', '1.0', '', ?, null, ?, 'leaks', '{}', 0)",
                (1_796_000_000_000 + number, str(number), f"Class{number}"))
    database.close()


def main(collector, kills=1000, seed=1):
    chance = random.Random(int(seed))
    Receiver.faults = random.Random(int(seed) + 1)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        # The first start claims the channel, so that later events are sent.
        process = start(collector, folder, port, address)
        time.sleep(3)
        added = 0
        for number in range(int(kills)):
            count = chance.randrange(4)
            add_events(folder, added, count)
            added += count
            process.send_signal(signal.SIGKILL)
            process.wait()
            process = start(collector, folder, port, address)
            # Most kills come while the collector sends.
            target, deadline = len(Receiver.messages) + chance.randrange(3), time.monotonic() + 3
            while len(Receiver.messages) < target and time.monotonic() < deadline:
                time.sleep(0.002)
            time.sleep(chance.random() * 0.02)
            if (number + 1) % 100 == 0:
                print(f"{number + 1} kills, {added} events, {len(Receiver.messages)} messages", flush=True)
        Receiver.fails = False
        expected = [f"Class{number}" for number in range(added)]
        deadline = time.monotonic() + 600
        while time.monotonic() < deadline:
            with Receiver.lock:
                arrived = {event["title"] for _, events in Receiver.messages for event in events}
            if len(arrived) == added:
                break
            time.sleep(1)
        process.send_signal(signal.SIGTERM)
        process.wait()
    first_arrivals, by_id = [], {}
    for identifier, events in Receiver.messages:
        assert by_id.setdefault(identifier, events) == events, f"{identifier} has two contents"
    for events in by_id.values():
        first_arrivals += [event["title"] for event in events]
    repeated = len(Receiver.messages) - len(by_id)
    print(f"{kills} kills: {added} events, {len(by_id)} identifiers, {repeated} messages arrived again")
    assert first_arrivals == expected, "events are missing, arrived under two identifiers, or in another order"


main(*sys.argv[1:])
