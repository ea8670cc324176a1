"""Requests for the differential run: good ones by the grammar, damaged ones from them and from the vectors."""

import wire

TOKENS = [b"X", b"Accept", b"User-Agent", b"x-y_z", b"If-Match", b"Cookie", b"!#$%&'*+-.^_`|~", b"Via"]
VALUES = [b"", b"a", b"a b", b"\ta\t", b'"q"', b"a, b;c=d", b"\x80\xff", b"x" * 70, b"0", b"chunked", b"close"]
TARGETS = [b"/", b"/a", b"/a/b?c=d", b"/%41%20", b"//", b"/?", b"http://h/", b"http://h:80/a?b", b"/a;b=c", b"/~!$&'()*+,=:@"]
HOSTS = [b"a", b"a.example:80", b"127.0.0.1", b"[::1]:8080", b"a_b-c~"]

# Parts of a request that two servers in a chain may parse differently.
TRICKS = [
    b"\r", b"\n", b"\r\n", b"\n\r", b"\r\r\n", b"\r\n\r\n", b"\r\n ", b"\r\n\t", b"\0", b"\x0b", b"\x0c", b"\x7f", b"\x80", b"\x85",
    b"\xa0", b" ", b"\t", b"  ", b":", b" :", b";", b",", b"=", b'"', b"\\", b"/", b"?", b"#", b"*", b"%", b"%00", b"0", b"00", b"0x",
    b"+", b"-", b"1", b"9999999999999999999", b"ffffffffffffffff", b"chunked", b"identity", b"gzip", b", chunked", b"xchunked", b"close",
    b"HTTP/1.0", b"HTTP/1.1", b"HTTP/1.2", b"HTTP/2.0", b"HTTP/0.9", b"GET", b"HEAD", b"POST", b"OPTIONS", b"get", b"Host: b\r\n",
    b"Content-Length: 0\r\n", b"Content-Length: 5\r\n", b"Content-Length: 5, 5\r\n", b"Transfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: identity\r\n", b"Transfer-Encoding : chunked\r\n", b"Transfer_Encoding: chunked\r\n", b"Connection: close\r\n",
    b"Connection: keep-alive\r\n", b"Expect: 100-continue\r\n", b"Expect: x\r\n", b"Upgrade: h2c\r\n", b"TE: trailers\r\n",
    b"0\r\n\r\n", b"5\r\nhello\r\n", b"5;a=b\r\nhello\r\n", b";a", b';a="b"', b"\n0\r\n\r\n", b"GET /canary HTTP/1.1\r\nHost: a\r\n\r\n",
]


def request(random):
    """A request that every server should take."""
    method = random.choice([b"GET", b"HEAD", b"POST", b"PUT", b"PATCH", b"DELETE", b"OPTIONS"])
    version = random.choice([b"HTTP/1.1"] * 9 + [b"HTTP/1.0"])
    lines = [b"Host: " + random.choice(HOSTS)]
    for _ in range(random.randrange(4)):
        lines.append(random.choice(TOKENS) + b":" + random.choice([b"", b" ", b"\t ", b"  "]) + random.choice(VALUES))
    body = bytes(random.choices(b"ab\r\n0;: \0\xff", k=random.choice([0, 1, 5, 40, 300])))
    framing = random.randrange(4)
    if framing == 0 and version == b"HTTP/1.1":
        lines.append(random.choice([b"Transfer-Encoding: chunked", b"transfer-encoding:CHUNKED "]))
        body = chunks(random, body)
    elif framing < 3:
        lines.append(random.choice([b"Content-Length: %d", b"content-length:%d", b"CONTENT-LENGTH: 00%d "]) % len(body))
    else:
        body = b""
    if random.randrange(12) == 0:
        lines.append(random.choice([b"Connection: close", b"Connection: keep-alive", b"Connection: x, Close"]))
    if random.randrange(20) == 0:
        lines.append(b"Expect: 100-continue")
    random.shuffle(lines)
    return b"\r\n".join([b" ".join([method, random.choice(TARGETS), version]), *lines, b"", body])


def chunks(random, body):
    coded = b""
    while body:
        count = random.randint(1, len(body))
        extension = random.choice([b""] * 6 + [b";a", b";a=b", b';a="b c"', b";a;b=c"])
        coded += random.choice([b"%x", b"%X", b"0%x"]) % count + extension + b"\r\n" + body[:count] + b"\r\n"
        body = body[count:]
    return coded + random.choice([b"0", b"00", b"0;a"]) + b"\r\n" + random.choice([b"", b"", b"X-T: v\r\n"]) + b"\r\n"


def seeds():
    """The vectors, but very long ones."""
    whole = (b"".join(s for s in vector["steps"] if isinstance(s, bytes)) for vector in wire.vectors())
    return [each for each in whole if 0 < len(each) <= 1000]


def damaged(random, data, others):
    """`data` with one to three faults."""
    for _ in range(random.choice([1, 1, 1, 2, 2, 3])):
        at = random.randrange(len(data) + 1)
        match random.randrange(9):
            case 0:
                data = data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]
            case 1:
                data = data[:at] + data[at + random.randint(1, 4) :]
            case 2 | 3:
                data = data[:at] + random.choice(TRICKS) + data[at:]
            case 4:
                lines = data.split(b"\r\n")
                first, second = random.randrange(len(lines)), random.randrange(len(lines))
                lines.insert(second, lines[first] if random.randrange(2) else lines.pop(first))
                data = b"\r\n".join(lines)
            case 5:
                data = data.replace(b"\r\n", random.choice([b"\n", b"\r", b"\r\r\n", b"\n\r"]), 1 + random.randrange(2))
            case 6:
                start = data.find(b"\r\n", at)
                trick = random.choice(TRICKS)
                data = data if start < 0 else data[:start] + trick + data[start + random.choice([0, 2]) :]
            case 7:
                other = random.choice(others)
                data = data[:at] + other[random.randrange(len(other)) :]
            case _:
                data = data[:at] + data[at : at + 30].swapcase() + data[at + 30 :]
    return data
