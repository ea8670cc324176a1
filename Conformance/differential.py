"""http-echo beside h11 and llhttp on good and damaged requests, each over a connection of its own.

Each request is sent with the client's end behind it, so that the server's own end tells that all is said: nothing waits
for a clock. It is a disagreement when the server

- takes a message that both others do not see (refuse, or still wait for),
- gives a message another body than the readers who took it,
- refuses a message by the grammar that both others take,
- answers otherwise when the same bytes come in two pieces, or answers 500, or dies.

It may refuse more than others do: that is counted, by status.
"""

import collections
import os
import random
import sys
import time

import grammar
import wire
from readers import h11_reads, llhttp_reads

ECHO = os.environ["ECHO"]
SECONDS = float(os.environ.get("CONFORMANCE_SECONDS", "60"))
SEED = int(os.environ.get("CONFORMANCE_SEED", "20261121"))
# Connections at one time: few enough that a machine with two cores answers all of them within a pause.
BATCH = 40
SHOWN = 20


def exchange(batch):
    """Sends each list of pieces over a connection of its own; what came back, until the server's end."""
    connections = []
    for pieces in batch:
        connection = wire.connect(ECHO)
        connections.append(connection)
        try:
            for index, piece in enumerate(pieces):
                if index:
                    time.sleep(0.002)  # so that the pieces arrive as two
                connection.sendall(piece)
            connection.shutdown(1)
        except OSError:
            pass  # refused before all was sent
    return [drain(connection) for connection in connections]


def drain(connection):
    data = b""
    with connection:
        try:
            while piece := connection.recv(1 << 16):
                data += piece
        except ConnectionError:
            pass
    return data


def disagreements(data, answer, expected_good):
    """Returns the problems of the response, and the status with which the server accepted less than both other servers."""
    by_h11, why_h11 = h11_reads(data)
    by_llhttp, why_llhttp = llhttp_reads(data)
    replies, used = wire.replies(answer, heads(by_h11, by_llhttp))
    found = []
    if used < len(answer):
        found.append(f"bytes that are not an answer: {answer[used : used + 80]!r}")
    final = [reply for reply in replies if reply[0] >= 200]
    statuses = [status for status, _, _ in final]
    # Only requests whose body was read too: OPTIONS * is answered with 204 before its body is read.
    taken = [status for status in statuses if status == 200]
    if len(taken) > max(len(by_h11), len(by_llhttp)):
        found.append(f"taken: {statuses}; h11 sees {len(by_h11)} ({why_h11}), llhttp {len(by_llhttp)} ({why_llhttp})")
    for index, (status, fields, body) in enumerate(final):
        for name, messages in (("h11", by_h11), ("llhttp", by_llhttp)):
            if status != 200 or index >= len(messages) or messages[index].coded:
                continue
            message = messages[index]
            same = len(message.body) == int(fields["content-length"]) if message.method == b"HEAD" else message.body == body
            if not same and not (len(by_h11) > index and name == "llhttp"):
                found.append(f"message {index + 1}: {name} has the body {message.body[:80]!r}, not {body[:80]!r}")
    both = min(len(by_h11), len(by_llhttp))
    refusal = next((status for status in statuses[:both] if status >= 400), None)
    if expected_good and (refusal or len(statuses) < both):
        found.append(f"refused: {statuses}, though h11 and llhttp take {len(by_h11)} and {len(by_llhttp)}")
    found += [f"status {status}" for status in statuses if status >= 500 and status not in (501, 505)]
    return found, refusal


def main():
    generator = random.Random(SEED)
    seeds = grammar.seeds()
    counts, stricter, shown = collections.Counter(), collections.Counter(), 0
    # Known seeds first, then as many random seeds as time allows.
    queue = [(seed, False) for seed in seeds]
    end = time.monotonic() + SECONDS
    while queue or time.monotonic() < end:
        batch = [queue.pop() if queue else case(generator, seeds) for _ in range(BATCH)]
        answers = exchange([[data] for data, _ in batch])
        for (data, good), answer in zip(batch, answers):
            found, refused = disagreements(data, answer, good)
            counts["requests"] += 1
            counts["answered 200"] += answer.count(b"HTTP/1.1 200 ")
            stricter[refused] += 1
            for each in found:
                counts["disagreements"] += 1
                shown += 1
                if shown <= SHOWN:
                    print(f"{each}\n    {data[:1500]!r}")
        # A few of them again, in two pieces.
        again = generator.sample(range(len(batch)), 2)
        cuts = {index: generator.randrange(len(batch[index][0]) + 1) for index in again}
        pieces = [[batch[index][0][: cuts[index]], batch[index][0][cuts[index] :]] for index in again]
        for index, answer in zip(again, exchange(pieces)):
            counts["cut in two"] += 1
            data = batch[index][0]
            halves, whole = statuses(data, answer), statuses(data, answers[index])
            if halves != whole:
                counts["disagreements"] += 1
                print(f"cut at {cuts[index]}: {halves}, whole: {whole}\n    {data[:1500]!r}")
    print(f"seed {SEED}, {SECONDS:.0f} s:", ", ".join(f"{count} {name}" for name, count in counts.items()))
    print("refused though both others take it:", dict(sorted((status, n) for status, n in stricter.items() if status)))
    if counts["answered 200"] == 0:
        print("the server took nothing: this run shows nothing")
    return counts["disagreements"] > 0 or counts["answered 200"] == 0


def case(generator, seeds):
    """Bytes to send, and whether they are good by the grammar."""
    kind = generator.randrange(8)
    if kind == 0:
        return b"".join(grammar.request(generator) for _ in range(generator.choice([1, 1, 2, 3]))), True
    base = grammar.request(generator) if kind < 4 else generator.choice(seeds)
    if generator.randrange(3) == 0:
        base += grammar.request(generator)
    return grammar.damaged(generator, base, seeds), False


def heads(*readings):
    """Which messages are HEAD, as the reader says who saw most of them."""
    return {index for index, message in enumerate(max(readings, key=len)) if message.method == b"HEAD"}


def statuses(data, answer):
    """Returns the statuses except interim ones: it depends on the time of the body whether 100 is sent."""
    found, _ = wire.replies(answer, heads(h11_reads(data)[0], llhttp_reads(data)[0]))
    return [status for status, _, _ in found if status >= 200]


if __name__ == "__main__":
    sys.exit(main())
