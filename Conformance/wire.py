"""Bytes to a server and its answers back, without a library that would know better."""

import json
import pathlib
import socket

VECTORS = pathlib.Path(__file__).parent.parent / "Tests/LeakHTTPServerTests/Vectors"


def vectors():
    """The lines of the files of vectors, their steps as bytes, seconds and "write"."""
    for name in ("wire", "table", "rules"):
        for line in (VECTORS / f"{name}.jsonl").read_text().splitlines():
            vector = json.loads(line)
            vector["steps"] = [step(each) for each in vector["send"]]
            yield vector


def step(each):
    if isinstance(each, str):
        return each.encode("latin-1")
    if "repeat" in each:
        return each["repeat"].encode("latin-1") * each["times"]
    return each.get("wait") or each["shutdown"]


def address(text):
    host, port = text.rsplit(":", 1)
    return host.strip("[]"), int(port)


def connect(text, timeout=20):
    connection = socket.create_connection(address(text), timeout)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def replies(data, heads=()):
    """The whole answers in `data` as (status, fields, body), and how many bytes they are.

    `heads` says which of them, interim ones not counted, answer HEAD. A refusal says by itself whether it has a body:
    a request that could not be read may have been a HEAD.
    """
    found, at, final = [], 0, 0
    while (end := data.find(b"\r\n\r\n", at)) >= 0:
        first, *lines = data[at:end].decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        status, start = int(first.split(" ")[1]), end + 4
        count = int(fields.get("content-length", 0))
        if data[start : start + 1] != b"{" if status >= 400 else final in heads:
            count = 0
        if start + count > len(data):
            break
        found.append((status, fields, data[start : start + count]))
        at = start + count
        final += status >= 200
    return found, at
