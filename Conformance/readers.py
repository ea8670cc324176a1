"""How h11 and llhttp read bytes: the requests that they find whole, one after the other."""

import h11
import httptools


class Message:
    def __init__(self, method=b"", body=b"", coded=False):
        self.method, self.body, self.coded = method, body, coded


def h11_reads(data):
    """The requests, and why reading ended: an error's words, or None when bytes ran out or the connection may close.

    h11 knows no empty lines before a request line, which RFC 9112 §2.2 wants ignored: two are taken away for it.
    """
    messages, goes_on = [], True
    while goes_on:
        for _ in range(2):
            data = data.removeprefix(b"\r\n")
        connection = h11.Connection(h11.SERVER, max_incomplete_event_size=1 << 20)
        try:
            connection.receive_data(data)
            message, goes_on = h11_reads_one(connection)
        except h11.ProtocolError as error:
            return messages, str(error)
        if message:
            messages.append(message)
        data = connection.trailing_data[0]
    return messages, None


def h11_reads_one(connection):
    """A request if it is whole, and whether another may follow."""
    message = None
    while True:
        event = connection.next_event()
        if isinstance(event, h11.Request):
            message = Message(event.method, coded=any(name == b"content-encoding" for name, _ in event.headers))
        elif isinstance(event, h11.Data):
            message.body += bytes(event.data)
        elif isinstance(event, h11.EndOfMessage):
            # Only a response shows that no other protocol is used, and whether the connection closes.
            connection.send(h11.Response(status_code=200, headers=[("Content-Length", "0")]))
            connection.send(h11.EndOfMessage())
            return message, connection.our_state is h11.DONE and connection.their_state is h11.DONE
        else:
            return None, False


class Collector:
    def __init__(self):
        self.messages, self.current, self.parser = [], None, None

    def on_message_begin(self):
        self.current = Message()

    def on_header(self, name, value):
        self.current.coded |= name.lower() == b"content-encoding"

    def on_body(self, body):
        self.current.body += body

    def on_message_complete(self):
        self.current.method = self.parser.get_method()
        self.messages.append(self.current)


def llhttp_reads(data):
    """The same by llhttp, as strict as it comes. Where another protocol might begin it stops in the middle."""
    collector = Collector()
    collector.parser = httptools.HttpRequestParser(collector)
    try:
        collector.parser.feed_data(data)
    except httptools.HttpParserUpgrade:
        return collector.messages[:-1], "upgrade"
    except (httptools.HttpParserError, httptools.HttpParserCallbackError) as error:
        return collector.messages, str(error)
    return collector.messages, None
