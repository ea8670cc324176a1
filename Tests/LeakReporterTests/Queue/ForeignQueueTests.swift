import Foundation
import LeakMessage
import LeakPlatform
import LeakTransport
import Testing

@testable import LeakReporter

/// Segments of one endpoint, key and app are never sent with another endpoint, key or app.
@Suite struct ForeignQueueTests {
    private let online = FakeTransport { _, _ in FakeTransport.accepted() }
    private let offline = FakeTransport { _, _ in .noResponse(reason: "offline") }

    /// Leaves sightings on disk, as a run without a network does.
    private func leaveUnsent(
        _ count: Int, in place: SharedQueueFolder,
        _ change: @escaping (inout LeakReporter.Configuration) -> Void = { _ in }
    ) {
        let reporter = place.reporter(offline) {
            $0.sendsAutomatically = false
            change(&$0)
        }
        for number in 0..<count { reporter.record(message: "leak \(number)") }
        #expect(eventually { reporter.statistics.stored == count })
    }

    /// Waits until no run of a released reporter holds its lock.
    private func hasEnded(_ place: SharedQueueFolder, runs: Int) -> Bool {
        eventually {
            let locks = place.files.filter { $0.hasSuffix("/lock") }
            return locks.count == runs
                && locks.allSatisfy { lock in
                    let path = place.folder + "/" + lock
                    guard let descriptor = try? FileDescriptor(path, .locking) else { return false }
                    return (try? descriptor.lock(path: path)) != nil
                }
        }
    }

    private static let changes: [(String, @Sendable (inout LeakReporter.Configuration) -> Void)] = [
        ("endpoint", { $0.endpoint = "http://localhost:9999" }), ("key", { $0.key = "another" }),
        ("app", { $0.app.id = "another" }),
    ]

    @Test(arguments: ["endpoint", "key", "app"])
    func `segments wait for a reporter with the same endpoint, key and app`(what: String) throws {
        let change = try #require(Self.changes.first { $0.0 == what }?.1)
        let place = SharedQueueFolder()
        leaveUnsent(3, in: place)
        #expect(hasEnded(place, runs: 1))
        do {
            let other = place.reporter(online, change)
            other.record(message: "its own")
            #expect(other.flush(timeout: generousSeconds))
            #expect(other.statistics.sent == 1)
            #expect(other.statistics.dropped == [:])
        }
        #expect(hasEnded(place, runs: 1))
        let own = FakeTransport { _, _ in FakeTransport.accepted(3) }
        let reporter = place.reporter(own)
        #expect(eventually { reporter.statistics.sent == 3 })
        #expect(try own.batches().count == 1)
    }

    @Test func `segments of a library version without separate queues are sent by the first reporter`() throws
    {
        let place = SharedQueueFolder()
        leaveUnsent(3, in: place)
        #expect(hasEnded(place, runs: 1))
        // Creates the folders of the version without queues.
        let queue = place.folder + "/queue-1"
        let manager = FileManager.default
        let name = try #require(manager.contentsOfDirectory(atPath: queue).first)
        for run in try manager.contentsOfDirectory(atPath: queue + "/" + name) {
            try manager.moveItem(atPath: queue + "/" + name + "/" + run, toPath: queue + "/" + run)
        }
        try manager.removeItem(atPath: queue + "/" + name)
        let reporter = place.reporter(FakeTransport { _, _ in FakeTransport.accepted(3) }) { $0.key = "new" }
        #expect(eventually { reporter.statistics.sent == 3 })
    }

    @Test func `neither the files of a queue nor their names contain the ingest key`() {
        let place = SharedQueueFolder()
        leaveUnsent(1, in: place) { $0.key = "SECRET-KEY" }
        #expect(!place.files.isEmpty)
        for file in place.files {
            let bytes = FileManager.default.contents(atPath: place.folder + "/" + file) ?? Data()
            #expect(!(file + String(decoding: bytes, as: UTF8.self)).contains("SECRET-KEY"))
        }
    }

    @Test func `a denial also deletes segments of other endpoints, keys and apps`() {
        let place = SharedQueueFolder()
        leaveUnsent(3, in: place)
        #expect(hasEnded(place, runs: 1))
        do {
            let other = place.reporter(online) { $0.key = "another" }
            other.setCollectionEnabled(false)
            #expect(eventually { other.statistics.dropped == [.deleted: 3] })
        }
        #expect(eventually { !place.files.contains { $0.hasPrefix("queue-1/") } })
    }

    // MARK: Bounds

    private func queue(
        _ name: String, in place: TemporaryFolder, _ change: (inout LeakReporter.Bounds) -> Void = { _ in }
    ) -> SegmentQueue {
        var bounds = LeakReporter.Bounds()
        change(&bounds)
        let origin = SegmentHeader(key: "", app: AppInfo(id: "a"), device: DeviceInfo())
        return SegmentQueue(bounds: bounds, origin: origin, folder: RunFolder(ofQueue: name, in: place.path))
    }

    private func leaveUnsent(_ count: Int, by name: String, at now: CurrentTime, in place: TemporaryFolder) {
        var queue = queue(name, in: place)
        for number in 0..<count {
            var report = LeakReport()
            report.className = "A\(number)"
            queue.add(
                report.openJSON(), ReportMergeKey(report), count: 1, alive: nil, isNew: true, at: now)
        }
        queue.commit(at: now)
    }

    private func time(day: Int64) -> CurrentTime {
        CurrentTime(
            monotonicTime: MonotonicTime(milliseconds: 0),
            wallTime: WireTime(milliseconds: (20_000 + day) * 86_400_000))
    }

    @Test func `segments of a queue that no reporter uses any more expire after thirty days`() {
        let place = TemporaryFolder()
        leaveUnsent(2, by: "old", at: time(day: 0), in: place)
        leaveUnsent(3, by: "new", at: time(day: 10), in: place)
        var own = queue("own", in: place)
        own.expireForeignSegments(at: time(day: 29))
        #expect(own.counts.dropped == [:])
        own.expireForeignSegments(at: time(day: 30))
        #expect(own.counts.dropped == [.tooOld: 2])
        #expect(place.names() == ["to-new"])
        own.commit(at: time(day: 30))
        #expect(own.isEmpty, "these drops are not reported to the collector of this queue")
        own.expireForeignSegments(at: time(day: 40))
        #expect(own.counts.dropped == [.tooOld: 5])
        #expect(place.names() == [])
    }

    @Test
    func `if all other queues together exceed one queue's byte limit, their oldest segments are dropped`() {
        let place = TemporaryFolder()
        for number in 0..<10 { leaveUnsent(1, by: "\(number)", at: time(day: Int64(number)), in: place) }
        var own = queue("own", in: place) { $0.diskBytes = 4 * 4096 }
        own.expireForeignSegments(at: time(day: 11))
        #expect(own.counts.dropped == [.queueFull: 6])
        #expect(place.names() == ["to-6", "to-7", "to-8", "to-9"], "a small file takes a block of 4 KiB")
    }

    @Test func `segments of a running process with another queue neither expire nor are deleted`() {
        let place = TemporaryFolder()
        let running = RunFolder(ofQueue: "other", in: place.path)
        _ = running.append([1], to: "00000000-0000-7000-8000-000000000000.segment")
        var own = queue("own", in: place)
        own.expireForeignSegments(at: time(day: 0))
        own.deleteForeignSegments()
        #expect(place.names("to-other").count == 1)
        #expect(own.adoptedNames == [])
        withExtendedLifetime(running) {}
    }

    @Test func `a reporter whose queue is a symbolic link to another queue does not send that queue`() throws
    {
        let place = SharedQueueFolder()
        leaveUnsent(3, in: place) { $0.key = "another" }
        #expect(hasEnded(place, runs: 1))
        let queues = place.folder + "/queue-1"
        let other = try #require(FileManager.default.contentsOfDirectory(atPath: queues).first)
        let requestBuilder = RequestBuilder(
            endpoint: try CollectorAddress("http://localhost:8080", allowsInsecure: false), key: "k")
        try FileManager.default.createSymbolicLink(
            atPath: queues + "/to-" + requestBuilder.queueName(appID: "a"),
            withDestinationPath: queues + "/" + other)
        let reporter = place.reporter(online)
        reporter.record(message: "its own")
        #expect(eventually { reporter.statistics.sent == 1 })
        _ = reporter.flush(timeout: 1)
        #expect(reporter.statistics.sent == 1)
        #expect(try online.batches().count == 1)
    }

    @Test func `a run folder rejects a symbolic link in place of its queue`() throws {
        let place = TemporaryFolder()
        let other = RunFolder(ofQueue: "other", in: place.path, name: "1")
        _ = other.append([1], to: "a.segment")
        try FileManager.default.createSymbolicLink(
            atPath: place.path + "/to-own", withDestinationPath: place.path + "/to-other")
        let own = RunFolder(ofQueue: "own", in: place.path, name: "2")
        #expect(own.append([1], to: "b.segment").failure != nil)
        #expect(place.names("to-other") == ["run-1"])
    }

    @Test func `app ids with unusual characters each have their own queue`() throws {
        let ids: [String?] = [
            nil, "\n", "a\nb", "a", "A", "a/b", "../a", "a\u{0}b", "\u{e9}", "e\u{301}", "🧵",
            String(repeating: "x", count: 300), String(repeating: "x", count: 300) + "y", " a", "a ",
        ]
        let endpoint = try CollectorAddress("https://a.example", allowsInsecure: false)
        var names: Set<String> = []
        for key in ["k", "k2", "kk"] {
            for id in ids { names.insert(RequestBuilder(endpoint: endpoint, key: key).queueName(appID: id)) }
        }
        #expect(names.count == 3 * ids.count)
    }

    @Test func `segments of another key expire in a process that runs for months`() {
        let place = SharedQueueFolder()
        leaveUnsent(3, in: place) { $0.key = "another" }
        #expect(hasEnded(place, runs: 1))
        let now = Guarded(CurrentTime.now)
        let reporter = place.reporter(online, { _ in }, now: { now.with { $0 } })
        reporter.record(message: "first")
        #expect(reporter.flush(timeout: generousSeconds))
        for _ in 0..<40 {
            now.with {
                $0.wallTime.milliseconds += 86_400_000
                $0.monotonicTime = $0.monotonicTime.advanced(byMilliseconds: 86_400_000)
            }
            reporter.record(message: "each day")
            #expect(reporter.flush(timeout: generousSeconds))
        }
        #expect(eventually { reporter.statistics.dropped == [.tooOld: 3] })
        #expect(!place.files.contains { $0.hasSuffix(".segment") })
    }
}

extension SegmentQueue {
    fileprivate var adoptedNames: [String] { folder?.adopt() ?? [] }
}
