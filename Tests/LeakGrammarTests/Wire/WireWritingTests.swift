import LeakSeededRandom
import Testing

@testable import LeakGrammar
@testable import LeakMessage

/// Generates reports with random fields and values.
struct RandomReports {
    var random: SeededRandom

    private mutating func maybe<Value>(_ value: (inout RandomReports) -> Value) -> Value? {
        random.below(3) == 0 ? nil : value(&self)
    }

    mutating func text(_ limit: Int) -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "Z", ".", "<", ">", "\"", "\\", "\n", "\u{1F}", "é", "中", "😀", "\u{7F}", "\0",
        ]
        var text = ""
        let wanted = random.below(8) == 0 ? limit : random.below(min(limit, 40) + 1)
        while true {
            let scalar = String(random.element(of: scalars))
            guard text.utf8.count + scalar.utf8.count <= wanted else { return text }
            text.unicodeScalars.append(contentsOf: scalar.unicodeScalars)
        }
    }

    /// Returns a name without control characters, which only texts may contain.
    mutating func name(_ limit: Int) -> String {
        String(
            String.UnicodeScalarView(text(limit).unicodeScalars.filter { $0.value >= 0x20 && $0 != "\u{7F}" })
        )
    }

    mutating func list(_ count: Int, _ limit: Int) -> [String] {
        let wanted = random.below(10) == 0 ? count : random.below(4)
        return (0..<wanted).map { _ in text(limit) }
    }

    mutating func keys(_ count: Int, _ name: Int, _ value: Int) -> [CustomKey] {
        (0..<random.below(count + 1)).map { index in
            let name = "\(index)" + text(name - 2)
            switch random.below(3) {
            case 0: return CustomKey(name, .string(text(value)))
            case 1: return CustomKey(name, .number(Double(random.below(2_000_000)) / 64 - 1_000))
            default: return CustomKey(name, .boolean(random.below(2) == 0))
            }
        }
    }

    mutating func app() -> AppInfo {
        AppInfo(
            id: maybe { $0.name(256) }, module: maybe { $0.name(256) }, version: maybe { $0.name(64) },
            build: maybe { $0.name(64) })
    }

    mutating func device() -> DeviceInfo {
        DeviceInfo(os: maybe { $0.name(64) }, osVersion: maybe { $0.name(64) }, model: maybe { $0.name(64) })
    }

    mutating func time() -> WireTime { WireTime(milliseconds: Int64(random.below(4_000_000_000_000))) }

    mutating func report() -> LeakReport {
        var report = LeakReport()
        report.event = maybe { $0.random.element(of: LeakReport.Event.allCases) }
        report.id = maybe { "01936f2c-7c1e-7a44-9d0e-" + $0.random.hexadecimal(12) }
        report.at = maybe { $0.time() }
        report.kind = maybe { $0.random.element(of: LeakReport.Kind.allCases) }
        report.className = "Shop.Cart" + random.hexadecimal(4)
        report.stack = list(128, 512)
        report.children = list(32, 512)
        report.cycle = list(32, 512)
        report.reason = maybe { $0.text(128) }
        report.waitedMilliseconds = maybe { $0.random.below(WireLimits.durationMilliseconds + 1) }
        report.alive = maybe { $0.random.below(99) }
        report.livedMilliseconds = maybe { $0.random.below(1 << 38) }
        report.count = 1 + random.below(1_000_000)
        report.message = maybe { $0.text(8192) }
        report.error = maybe { $0.error() }
        report.keys = keys(5, 64, 1024)
        report.log = list(64, 512)
        report.fingerprint = list(8, 256)
        report.app = maybe { $0.app() }.flatMap { $0 == AppInfo() ? nil : $0 }
        report.device = maybe { $0.device() }.flatMap { $0 == DeviceInfo() ? nil : $0 }
        report.install = maybe { $0.name(128) }
        report.user = maybe { $0.name(256) }
        return report
    }

    private mutating func error() -> ReportedError {
        var userInfo = [CustomKey("NSLocalizedDescription", .string(text(200)))]
        userInfo += keys(3, 64, 100)
        return ReportedError(domain: text(256), code: random.below(Int.max), userInfo: userInfo)
    }
}

@Suite struct WireWritingTests {
    @Test func `a report that is written and read again is unchanged`() throws {
        var generator = RandomReports(random: SeededRandom(seed: 21))
        for _ in 0..<150 {
            let report = generator.report()
            let document = try WireReader.read(report.json(), as: .json)
            #expect(document.rejected.isEmpty)
            #expect(document.report(at: 0) == report)
        }
    }

    @Test func `a batch that is written and read again is unchanged`() throws {
        var generator = RandomReports(random: SeededRandom(seed: 22))
        for count in 0..<16 {
            var batch = LeakBatch()
            batch.app = generator.app()
            batch.device = generator.device()
            batch.install = "i"
            batch.sentAt = generator.time()
            batch.sessions = (0..<count % 3).map {
                EndedSession(id: "\($0)", startedAt: generator.time(), checks: 5, leaks: $0)
            }
            batch.checks = (0..<count % 4).map { ClassChecks(className: "A\($0)", count: $0) }
            batch.dropped = (0..<count % 2).map { DroppedReports(reason: "r\($0)", count: $0) }
            batch.reports = (0..<count).map { _ in generator.report() }
            let document = try WireReader.read(batch.json(), as: .json)
            #expect(document.app(document.origin) == batch.app)
            #expect(document.device(document.origin) == batch.device)
            #expect(document.string(document.origin.install) == "i")
            #expect(document.origin.user == .absent)
            #expect(document.sentAt == batch.sentAt)
            #expect(document.sessions == batch.sessions)
            #expect(document.checks == batch.checks)
            #expect(document.dropped == batch.dropped)
            #expect(document.reports.indices.map { document.report(at: $0) } == batch.reports)
        }
    }

    @Test func `a batch with texts and lists over the limits is truncated when it is written`() throws {
        let long = String(repeating: "é\"\n", count: 10_000)
        var report = LeakReport()
        report.id = "no uuid"
        report.className = "\u{1}é" + long
        report.stack = (0..<300).map { "\($0)" + long }
        report.children = report.stack
        report.cycle = report.stack
        report.reason = long
        report.waitedMilliseconds = -5
        report.alive = .min
        report.livedMilliseconds = -1
        report.count = 0
        report.message = long
        report.keys =
            (0..<100).map { CustomKey("\($0)" + long, .string(long)) } + [CustomKey("n", .number(.nan))]
        report.error = ReportedError(
            domain: long, code: .min,
            userInfo: (0..<100).map { CustomKey("\($0)", .string(long)) } + [
                CustomKey("NSLocalizedDescription", .string("what it says"))
            ])
        report.log = report.stack
        report.fingerprint = report.stack
        report.app = AppInfo(id: long, module: long, version: long, build: long)
        report.device = DeviceInfo(os: long, osVersion: long, model: long)
        report.install = long
        report.user = long
        var batch = LeakBatch()
        batch.app = AppInfo(id: long)
        batch.sessions = [EndedSession(id: long, checks: -1, leaks: -1)]
        batch.checks = [ClassChecks(className: long, count: -1), ClassChecks(className: "", count: 1)]
        batch.dropped = [DroppedReports(reason: long, count: -1)]
        batch.reports = [report]

        let document = try WireReader.read(batch.json(), as: .json)
        #expect(document.rejected.isEmpty)
        #expect(document.checks.count == 1)
        let read = document.report(at: 0)
        #expect(read.id == nil)
        #expect(read.className?.utf8.count == 512 || read.className?.utf8.count == 511)
        #expect(read.stack.count == 128)
        #expect(read.stack.last?.hasPrefix("299") == true)
        #expect(read.children.first?.hasPrefix("0") == true)
        #expect(read.log.last?.hasPrefix("299") == true)
        #expect(read.count == 1)
        #expect(read.keys.count == 64)
        #expect(read.error?.userInfo.first == CustomKey("NSLocalizedDescription", .string("what it says")))
        #expect((read.message?.utf8.count ?? 0) > 8188)
    }

    @Test func `control characters in reasons of dropped reports are written as spaces`() throws {
        var batch = LeakBatch()
        batch.dropped = [DroppedReports(reason: "a\0b\u{9F}", count: 1)]
        let document = try WireReader.read(batch.json(), as: .json)
        #expect(document.dropped == [DroppedReports(reason: "a b ", count: 1)])
    }

    @Test func `counts and durations over a limit are written as the limit`() throws {
        var report = LeakReport()
        report.className = "A"
        (report.waitedMilliseconds, report.alive, report.livedMilliseconds) = (.max, .max, .max)
        var batch = LeakBatch()
        batch.sessions = [EndedSession(id: "s", checks: .max, leaks: .max, unseen: .max)]
        batch.checks = [ClassChecks(className: "A", count: .max)]
        batch.dropped = [DroppedReports(reason: "r", count: .max)]
        batch.reports = [report]
        let document = try WireReader.read(batch.json(), as: .json)
        #expect(
            document.sessions == [
                EndedSession(id: "s", checks: 1_000_000, leaks: 1_000_000, unseen: 1_000_000)
            ])
        #expect(document.checks.map(\.count) == [1_000_000])
        #expect(document.dropped.map(\.count) == [1_000_000])
        let read = try #require(document.reports.first)
        #expect(read.alive == WireLimits.aliveCount)
        #expect(read.waitedMilliseconds == WireLimits.durationMilliseconds)
        #expect(read.livedMilliseconds == WireLimits.durationMilliseconds)
    }

    @Test func `a custom value that does not fit into a Double is left out`() throws {
        let document = try WireReader.read(Array(#"{"class":"A","keys":{"a":1e400,"b":2}}"#.utf8), as: .json)
        let report = document.report(at: 0)
        #expect(report.keys == [CustomKey("b", .number(2))])
        #expect(try WireReader.read(report.json(), as: .json).report(at: 0) == report)
    }
}
