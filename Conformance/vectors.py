"""Every vector against http-echo, whole and byte by byte."""

import concurrent.futures
import os
import re
import sys

import wire

ECHO = os.environ["ECHO"]


def outcome(data, vector, closed):
    heads = {0} if b"".join(s for s in vector["steps"] if isinstance(s, bytes)).startswith(b"HEAD") else set()
    found, used = wire.replies(data, heads)
    text = ",".join(str(status) for status, _, _ in found) + ("?" if used < len(data) else "")
    return found, text + ("!" if closed else "~")


def read(connection, seconds):
    """Returns the bytes that arrive within `seconds`; None at the end."""
    connection.settimeout(seconds)
    try:
        return connection.recv(1 << 16) or None
    except TimeoutError:
        return b""
    except OSError:
        return None


def send(connection, steps, drips):
    """Sends the steps, however far the server lets it; what came back while waiting."""
    data = b""
    try:
        for step in steps:
            if step == "write":
                connection.shutdown(1)
            elif isinstance(step, bytes):
                connection.settimeout(20)
                for piece in (step[i : i + 1] for i in range(len(step))) if drips else [step]:
                    connection.sendall(piece)
            else:
                data += read(connection, step) or b""
    except OSError:
        pass  # refused before all was sent
    return data


def complaint(vector, drips):
    expected = vector["expect"]
    if drips:  # whether a 100 is sent depends on when the body comes
        expected = re.sub(r"\(100,\)\??|100,", "(100,)?", expected)
    closed = False
    with wire.connect(ECHO) as connection:
        data = send(connection, vector["steps"], drips)
        for _ in range(25):
            piece = read(connection, 0.3)
            closed = piece is None
            data += piece or b""
            found, text = outcome(data, vector, closed)
            if closed or not piece and re.fullmatch(expected, text):
                break
    name = f"{vector['id']} {vector['title']}{' (byte by byte)' if drips else ''}"
    if not re.fullmatch(expected, text) and not (drips and re.fullmatch(expected, text.removeprefix("100,"))):
        return f"{name}: {text}, not {vector['expect']}"
    if "body" in vector and (not found or found[-1][2].decode("latin-1") != vector["body"]):
        return f"{name}: the body is {found[-1][2] if found else None}"
    for field, value in vector.get("fields", {}).items():
        if found[-1][1].get(field) != value:
            return f"{name}: {field} is {found[-1][1].get(field)}, not {value}"
    return None


def main():
    vectors = list(wire.vectors())
    short = [v for v in vectors if sum(len(s) for s in v["steps"] if isinstance(s, bytes)) <= 600]
    with concurrent.futures.ThreadPoolExecutor(48) as pool:
        runs = list(pool.map(complaint, vectors, [False] * len(vectors)))
        runs += pool.map(complaint, short, [True] * len(short))
    complaints = [each for each in runs if each]
    print(f"{len(vectors)} vectors whole, {len(short)} byte by byte: {len(complaints)} with another outcome")
    print("\n".join(complaints), end="\n" if complaints else "")
    return bool(complaints)


sys.exit(main())
