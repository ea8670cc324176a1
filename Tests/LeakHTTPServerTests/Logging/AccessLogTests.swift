import LeakHTTPServer
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct AccessLogTests {
    /// A pipe whose reader reads only on demand.
    private final class Pipe {
        private var reading: Int32
        let writing: Int32
        /// The beginning of a line whose end has not been read.
        private var rest: [UInt8] = []

        init() {
            var ends: [Int32] = [-1, -1]
            unsafe pipe(&ends)
            (reading, writing) = (ends[0], ends[1])
        }

        deinit {
            stopReading()
            close(writing)
        }

        func stopReading() {
            if reading >= 0 { close(reading) }
            reading = -1
        }

        /// Returns complete lines: at least `count`, unless nothing arrives for five seconds.
        func lines(_ count: Int) -> [String] {
            var lines: [String] = []
            while lines.count < count {
                var request = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
                guard unsafe poll(&request, 1, 5000) > 0 else { break }
                var piece = [UInt8](repeating: 0, count: 4096)
                rest += piece[..<(unsafe max(read(reading, &piece, 4096), 0))]
                while let end = rest.firstIndex(of: 0x0A) {
                    lines.append(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeFirst(end + 1)
                }
            }
            return lines
        }
    }

    private static func record(_ number: Int, _ bytes: Int = 0) -> AccessRecord {
        AccessRecord(
            time: 0, peer: "::1", method: .get,
            target: Array("/\(number)".utf8) + [UInt8](repeating: 0x61, count: bytes), status: .ok)
    }

    @Test func `lines of the access log are in order, and closing the log waits for the last line`() {
        let pipe = Pipe()
        let log = AccessLog(to: pipe.writing, as: .text)
        for number in 0..<100 { log.write(Self.record(number)) }
        #expect(log.close(within: .seconds(60)))
        let lines = pipe.lines(100)
        #expect(lines.count == 100)
        for (number, line) in lines.enumerated() { #expect(line.contains("\"GET /\(number) HTTP/1.1\"")) }
    }

    /// The pipe takes 64 KiB, and the buffer another 64 KiB. Further lines are dropped, and the log says so as soon as there is
    /// room.
    @Test(arguments: [false, true])
    func `a slow reader of the access log delays nothing, and gets the number of dropped lines`(blocks: Bool)
        throws
    {
        let pipe = Pipe()
        if !blocks { _ = fcntl(pipe.writing, F_SETFL, O_NONBLOCK) }
        let log = AccessLog(to: pipe.writing, as: .json, bufferBytes: 64 << 10)
        let sent = 2000
        for number in 0..<sent { log.write(Self.record(number, 400)) }
        #expect(log.close(within: .milliseconds(50)) == false)

        var taken = 0
        var dropped = 0
        while taken + dropped < sent {
            let lines = pipe.lines(1)
            try #require(!lines.isEmpty)
            for line in lines {
                if let count = line.split(separator: "\"dropped\":").dropFirst().first {
                    dropped += try #require(Int(count.dropLast()))
                } else if line.hasSuffix("}") {
                    taken += 1
                }
            }
        }
        #expect(taken + dropped == sent)
        #expect(dropped > 0)
        #expect(log.close(within: .seconds(60)))
    }

    @Test func `the access log is written even if the caller closes its own descriptor`() {
        let pipe = Pipe()
        let own = dup(pipe.writing)
        let log = AccessLog(to: own, as: .text)
        close(own)
        log.write(Self.record(1))
        #expect(log.close(within: .seconds(60)))
        #expect(pipe.lines(1).count == 1)
    }

    @Test func `an access log whose reader has closed the pipe still accepts lines and can be closed`() {
        signal(SIGPIPE, SIG_IGN)
        let pipe = Pipe()
        let log = AccessLog(to: pipe.writing, as: .text)
        pipe.stopReading()
        log.write(Self.record(1))
        #expect(log.close(within: .seconds(60)))
        log.write(Self.record(2))
        #expect(log.close(within: .seconds(60)))
    }
}
