import Testing

@testable import LeakHTTPServer

@Suite struct LineSinkTests {
    /// A disk with a number of free bytes.
    private final class Disk {
        var text = ""
        var room = 0

        var sink: LineSink {
            LineSink { [self] bytes throws(SystemError) in
                guard room > 0 else { throw SystemError(number: 28) }
                let taken = bytes.prefix(min(room, 3))
                room -= taken.count
                text += String(decoding: taken, as: UTF8.self)
                return taken.count
            }
        }
    }

    @Test(arguments: [
        // The free bytes at the first write, the text of that write that is on the disk in the end, and the number of
        // lost lines.
        (0, "", 3), (2, "on\n", 3), (4, "one\n", 2), (6, "one\ntw\n", 2), (8, "one\ntwo\n", 1),
        (14, "one\ntwo\nthree\n", 0),
    ])
    func `lines lost on a full disk are counted, and the next line does not continue a truncated one`(
        room: Int, kept: String, lost: Int
    ) {
        let disk = Disk()
        disk.room = room
        var sink = disk.sink
        sink.write(Array("one\ntwo\nthree\n".utf8))
        sink.reportLost { Array("-\($0)\n".utf8) }
        #expect(sink.lostLineCount == lost)
        disk.room = 100
        sink.write(Array("four\n".utf8))
        sink.reportLost { Array("-\($0)\n".utf8) }
        #expect(disk.text == kept + "four\n" + (lost > 0 ? "-\(lost)\n" : ""))
        #expect(sink.lostLineCount == 0)
    }
}
