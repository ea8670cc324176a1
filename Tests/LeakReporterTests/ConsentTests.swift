import Foundation
import LeakMessage
import LeakTransport
import Testing
import LeakPlatform

@testable import LeakReporter

/// Consent of the app's user: not yet given, given later, or withdrawn. Also reports that the app sends or deletes on request.
@Suite struct ConsentTests {
    private let online = FakeTransport { _, _ in FakeTransport.accepted() }
    private let offline = FakeTransport { _, _ in .noResponse(reason: "offline") }

    /// Returns `true` if reports are unsent. Blocks until the reporter has processed all earlier calls.
    private func hasUnsent(_ reporter: LeakReporter) -> Bool {
        let answer = Guarded<Bool?>(nil)
        reporter.checkForUnsentReports { hasSome in
            answer.with { $0 = hasSome }
            answer.wakeAll()
        }
        return answer.wait(milliseconds: Int64(generousSeconds * 1000)) { $0 } ?? false
    }

    @Test func `when collection is off, nothing is stored or sent, and waiting reports are deleted`() {
        let place = SharedQueueFolder()
        let reporter = place.reporter(offline)
        for _ in 0..<3 { reporter.record(message: "leak") }
        #expect(hasUnsent(reporter))
        reporter.setCollectionEnabled(false)
        reporter.record(message: "after")
        reporter.record(checks: [ClassChecks(className: "A", count: 1)])
        #expect(!hasUnsent(reporter))
        #expect(!reporter.statistics.isCollecting)
        #expect(reporter.statistics.waiting == 0)
        #expect(reporter.statistics.dropped == [.deleted: 3])
        #expect(!place.files.contains { $0.hasSuffix(".segment") })
    }

    @Test func `a denial applies to the next run too, until consent is given`() {
        let place = SharedQueueFolder()
        do {
            let reporter = place.reporter(offline)
            reporter.setCollectionEnabled(false)
            #expect(!hasUnsent(reporter))
        }
        let reporter = place.reporter(online)
        reporter.record(message: "not kept")
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(!reporter.statistics.isCollecting)
        #expect(online.posts.isEmpty)
        reporter.setCollectionEnabled(true)
        reporter.record(message: "kept")
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(reporter.statistics.sent == 1)
    }

    @Test func `a denial in one process applies to the other processes before they send again`() {
        let place = SharedQueueFolder()
        let (one, other) = (place.reporter(online), place.reporter(online))
        other.record(message: "before")
        #expect(other.flush(timeout: generousSeconds))
        one.setCollectionEnabled(false)
        #expect(!hasUnsent(one))
        other.record(message: "after")
        #expect(other.flush(timeout: generousSeconds))
        #expect(online.posts.count == 1)
        #expect(!other.statistics.isCollecting)
    }

    @Test func `an app that asks for consent collects nothing before the answer`() {
        let place = SharedQueueFolder()
        let reporter = place.reporter(online) { $0.collectsByDefault = false }
        reporter.record(message: "not kept")
        #expect(reporter.flush(timeout: generousSeconds))
        reporter.setCollectionEnabled(true)
        reporter.record(message: "kept")
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(reporter.statistics.sent == 1)
    }

    @Test func `user, custom keys and log lines that the app set before consent are sent with later reports`()
        throws
    {
        let place = SharedQueueFolder()
        let reporter = place.reporter(online) {
            $0.collectsByDefault = false
            $0.user = "u0"
        }
        reporter.log("started")
        reporter.setCustomValue("A", forKey: "experiment")
        reporter.record(message: "not kept")
        #expect(!hasUnsent(reporter))
        #expect(place.files.isEmpty)
        reporter.setCollectionEnabled(true)
        reporter.record(message: "kept")
        #expect(reporter.flush(timeout: generousSeconds))
        reporter.setUserID("u1")
        reporter.record(message: "kept too")
        #expect(reporter.flush(timeout: generousSeconds))
        let batches = try online.batches()
        let reports = batches.flatMap { $0["reports"] as? [[String: Any]] ?? [] }
        #expect(reports.map { $0["user"] as? String } == ["u0", "u1"])
        let report = try #require(reports.first)
        #expect(report["keys"] as? [String: String] == ["experiment": "A"])
        #expect(report["log"] as? [String] == ["started"])
    }

    @Test func `a denial discards user, custom keys and log lines that the app set before`() throws {
        let place = SharedQueueFolder()
        let reporter = place.reporter(online) {
            $0.collectsByDefault = false
            $0.user = "u0"
        }
        reporter.log("before")
        reporter.setCustomValue("before", forKey: "k")
        reporter.setCollectionEnabled(false)
        reporter.setCollectionEnabled(true)
        reporter.record(message: "kept")
        #expect(reporter.flush(timeout: generousSeconds))
        let batch = try #require(online.batches().first)
        let report = try #require((batch["reports"] as? [[String: Any]])?.first)
        #expect(batch["user"] == nil && report["user"] == nil)
        #expect(report["keys"] == nil && report["log"] == nil)
    }

    @Test func `reports can wait until the app sends them`() async throws {
        let place = SharedQueueFolder()
        do {
            let reporter = place.reporter(online) { $0.sendsAutomatically = false }
            reporter.record(message: "leak")
            #expect(await reporter.checkForUnsentReports())
            reporter.endSession()
            #expect(!reporter.flush(timeout: 5))
        }
        let reporter = place.reporter(online) {
            $0.sendsAutomatically = false
            $0.bounds.gatherMilliseconds = 0
        }
        // The thread of the first run may not have ended yet.
        #expect(eventually { hasUnsent(reporter) })
        #expect(online.posts.isEmpty, "no report was sent automatically")
        reporter.sendUnsentReports()
        #expect(eventually { reporter.statistics.sent == 1 })
        #expect(await !reporter.checkForUnsentReports())
    }

    @Test func `waiting reports can be deleted, and the install identifier can be replaced`() throws {
        let place = SharedQueueFolder()
        let file = InstallFile(folder: place.folder)
        func reporter(_ transport: FakeTransport) -> LeakReporter {
            var configuration = LeakReporter.Configuration(endpoint: "http://localhost:8080", key: "k")
            configuration.storage = .folder(place.folder)
            return LeakReporter(configuration, backoff: Backoff(firstMilliseconds: 2, longestMilliseconds: 5))
            {
                $0.install = { file.identifier() }
                $0.forgetInstall = { file.forget() }
            } makeTransport: {
                transport
            }
        }
        do {
            let former = reporter(offline)
            former.record(message: "leak")
            #expect(hasUnsent(former))
        }
        let first = file.identifier()
        let reporter = reporter(online)
        reporter.deleteUnsentReports(resetInstall: true)
        reporter.record(message: "new")
        #expect(reporter.flush(timeout: generousSeconds))
        // If the thread of the former run ends late, its reports are sent in another batch.
        let batch = try online.batches().first { batch in
            (batch["reports"] as? [[String: Any]])?.contains { $0["message"] as? String == "new" } ?? false
        }
        let install = try #require(batch?["install"] as? String)
        #expect(install == file.identifier())
        #expect(install != first)
    }

    @Test func `before consent, creating a reporter and recording a report create no file`() {
        let place = SharedQueueFolder()
        let reporter = place.reporter(offline) { $0.collectsByDefault = false }
        reporter.record(message: "leak")
        #expect(!hasUnsent(reporter))
        #expect(place.files.isEmpty)
    }

    // MARK: Storing a choice

    private func choice(in folder: String) -> String? {
        FileManager.default.contents(atPath: folder + "/collection").map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test(arguments: [true, false])
    func `the answer about consent is on disk when setCollectionEnabled returns`(isOn: Bool) {
        let place = SharedQueueFolder()
        let reporter = place.reporter(offline)
        #expect(reporter.setCollectionEnabled(isOn))
        #expect(choice(in: place.folder) == (isOn ? "on" : "off"))
    }

    @Test func `a denial in a process that ends immediately afterwards applies to the next process`() throws {
        let place = SharedQueueFolder()
        let app = try ReporterAppProcess([
            "folder=\(place.folder)", "endpoint=http://127.0.0.1:9", "key=k", "count=3", "refuses=yes",
        ])
        #expect(app.wait() == "refused true")
        let reporter = place.reporter(online) { $0.app = AppInfo(id: "com.acme.kills", version: "1") }
        reporter.record(message: "leak")
        #expect(reporter.flush(timeout: generousSeconds))
        #expect(online.posts.isEmpty)
        #expect(!reporter.statistics.isCollecting)
    }

    @Test func `a denial that cannot be written applies immediately, and is written as soon as possible`()
        throws
    {
        let place = SharedQueueFolder()
        let reporter = place.reporter(online) { $0.sendsAutomatically = false }
        reporter.record(message: "leak")
        #expect(hasUnsent(reporter))
        // Nothing can be written to the folder while a file has its path.
        let aside = place.folder + "-aside"
        try FileManager.default.moveItem(atPath: place.folder, toPath: aside)
        defer { try? FileManager.default.removeItem(atPath: aside) }
        try Data().write(to: URL(fileURLWithPath: place.folder))
        #expect(!reporter.setCollectionEnabled(false))
        #expect(!hasUnsent(reporter))
        #expect(!reporter.statistics.isCollecting)
        #expect(reporter.statistics.storageFailure?.contains("choice") == true)
        reporter.sendUnsentReports()
        try FileManager.default.removeItem(atPath: place.folder)
        #expect(eventually { choice(in: place.folder) == "off" })
        #expect(eventually { reporter.statistics.storageFailure == nil })
        let next = place.reporter(online)
        next.record(message: "leak")
        #expect(next.flush(timeout: generousSeconds))
        #expect(online.posts.isEmpty)
    }

    /// Returns a folder path so long that the file with the answer about consent can be created in it, but not the draft of the
    /// file, whose name is longer. This simulates a full disk, on which no draft can be created either.
    private func longFolder(below root: String) -> String {
        var folder = root
        while folder.utf8.count < 3_800 { folder += "/" + String(repeating: "d", count: 200) }
        return folder + "/" + String(repeating: "d", count: 4_070 - folder.utf8.count - 1)
    }

    @Test func `a denial is stored even on a full disk`() throws {
        let root = TemporaryFolder()
        let file = StateFile(folder: longFolder(below: root.path), name: "collection")
        #expect(throws: FileFailure.self) { try file.write("on") }
        let choice = CollectionChoice(file, formerFile: nil, collectsByDefault: true)
        #expect(choice.readInitialAnswer() == .on)
        #expect(choice.setAnswer(false) { _ in })
        #expect(choice.permission() == .denied)
        #expect(CollectionChoice(file, formerFile: nil, collectsByDefault: true).readInitialAnswer() == .off)
        #expect(!choice.setAnswer(true) { _ in })
        #expect(choice.permission() == .denied, "a stored denial holds until a consent is stored")
    }

    @Test func `a denial that a power cut may undo is not confirmed as stored`() {
        let place = TemporaryFolder()
        let isBroken = Guarded(true)
        let choice = CollectionChoice(
            StateFile(folder: place.path, name: "collection"), formerFile: nil, collectsByDefault: true,
            syncFolder: { path throws(FileFailure) in
                #expect(path == place.path)
                if isBroken.with({ $0 }) { throw FileFailure("sync", path) }
            })
        #expect(!choice.setAnswer(false) { _ in })
        #expect(choice.permission() == .denied && choice.failure != nil)
        isBroken.with { $0 = false }
        choice.retry(at: .now, isLast: true)
        #expect(choice.failure == nil && choice.retryAt == nil)
        #expect(choice.setAnswer(true) { _ in })
    }

    @Test func `a denial to a misconfigured reporter applies to the next reporter`() {
        let place = SharedQueueFolder()
        let app = "misconfigured-" + UUID().uuidString
        defer {
            try? FileManager.default.removeItem(atPath: InstallFile.fileOfThisUser(AppInfo(id: app)).folder)
        }
        do {
            let reporter = place.reporter(FakeTransport { _, _ in .noResponse(reason: "offline") }) {
                $0.app.id = app
                $0.sendsAutomatically = false
            }
            reporter.record(message: "before the no")
            #expect(eventually { reporter.statistics.stored == 1 })
        }
        let online = FakeTransport { _, _ in FakeTransport.accepted() }
        do {
            let reporter = place.reporter(online) {
                $0.app.id = app
                $0.endpoint = ""
            }
            #expect(reporter.setCollectionEnabled(false))
        }
        let next = place.reporter(online) { $0.app.id = app }
        next.record(message: "after the no")
        #expect(eventually { !next.statistics.isCollecting })
        _ = next.flush(timeout: 1)
        #expect(!next.statistics.isCollecting)
        #expect(online.posts.count == 0)
    }

    @Test
    func `an answer about consent that could not be written is written again at its retry time, not earlier`()
    {
        let place = TemporaryFolder()
        let (clock, isBroken) = (Guarded(1_000_000_000), Guarded(true))
        let choice = CollectionChoice(
            StateFile(folder: place.path, name: "collection"), formerFile: nil, collectsByDefault: true,
            syncFolder: { path throws(FileFailure) in
                if isBroken.with({ $0 }) { throw FileFailure("sync", path) }
            },
            now: {
                CurrentTime(monotonicTime: MonotonicTime(milliseconds: clock.with { $0 }), wallTime: .now)
            })
        #expect(!choice.setAnswer(false) { _ in })
        #expect(choice.retryAt.map { (1_000_000_001...1_000_060_000).contains($0.milliseconds) } == true)
        isBroken.with { $0 = false }
        choice.retry(at: MonotonicTime(milliseconds: 1_000_000_000))
        #expect(choice.failure != nil)
        choice.retry(at: MonotonicTime(milliseconds: 1_000_060_000))
        #expect(choice.failure == nil && choice.retryAt == nil)
    }

    @Test func `a consent that cannot be written applies to the process that gave it`() {
        let root = TemporaryFolder()
        let file = StateFile(folder: longFolder(below: root.path), name: "collection")
        let choice = CollectionChoice(file, formerFile: nil, collectsByDefault: false)
        #expect(choice.readInitialAnswer() == .unanswered)
        #expect(!choice.setAnswer(true) { _ in })
        #expect(choice.permission() == .granted)
    }

    @Test func `a consent that another process has written applies on a full disk`() throws {
        let root = TemporaryFolder()
        let folder = longFolder(below: root.path)
        let file = StateFile(folder: folder, name: "collection")
        #expect(throws: FileFailure.self) { try file.write("on") }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let place = URL(fileURLWithPath: folder + "/collection")
        try Data("on".utf8).write(to: place)
        let choice = CollectionChoice(file, formerFile: nil, collectsByDefault: true)
        #expect(choice.readInitialAnswer() == .on)
        try Data("on 0123456789abcdef0123456789abcdef".utf8).write(to: place)
        #expect(choice.permission() == .denied, "the mark shows that consent was withdrawn before")
        #expect(choice.setAnswer(true) { _ in })
        #expect(choice.permission() == .granted)
    }

    @Test(arguments: ["off", "", "o", "on\n", "no", "on 1", "on  0123456789abcdef0123456789abcdef"])
    func `a stored answer with any text other than a consent is a denial`(text: String) throws {
        let place = TemporaryFolder()
        try place.write("collection", Array(text.utf8))
        let choice = CollectionChoice(
            StateFile(folder: place.path, name: "collection"), formerFile: nil, collectsByDefault: true)
        #expect(choice.readInitialAnswer() == .off)
        #expect(choice.permission() == .denied)
    }

    @Test func `a consent that could not be written at first does not replace a later denial`() throws {
        let place = TemporaryFolder()
        let file = StateFile(folder: place.path, name: "collection")
        let choice = CollectionChoice(file, formerFile: nil, collectsByDefault: false)
        #expect(choice.readInitialAnswer() == .unanswered)
        try Data().write(to: URL(fileURLWithPath: place.path))
        #expect(!choice.setAnswer(true) { _ in })
        try FileManager.default.removeItem(atPath: place.path)
        try file.write("off")
        choice.retry(at: .now, isLast: true)
        #expect(try file.read() == "off")
        #expect(choice.permission() == .denied)
    }

    // MARK: Permission of each attempt

    /// A transport whose first attempt blocks until the test calls ``open()``, and then fails. Later attempts succeed.
    private final class HeldTransport: Sendable {
        private let isOpen = Guarded(false)
        let transport: FakeTransport

        init() {
            transport = FakeTransport { [isOpen] attempt, _ in
                guard attempt == 1 else { return FakeTransport.accepted() }
                _ = isOpen.wait(milliseconds: Int64(generousSeconds * 1000)) { $0 ? true : nil }
                return .noResponse(reason: "offline")
            }
        }

        func open() {
            isOpen.with { $0 = true }
            isOpen.wakeAll()
        }
    }

    @Test func `another process with waiting reports does not send them after a denial`() {
        let place = SharedQueueFolder()
        let held = HeldTransport()
        let (one, other) = (place.reporter(online), place.reporter(held.transport))
        other.record(message: "leak")
        #expect(eventually { held.transport.posts.count == 1 })
        #expect(one.setCollectionEnabled(false))
        held.open()
        #expect(eventually { !other.statistics.isCollecting })
        #expect(other.statistics.dropped == [.deleted: 1])
        #expect(held.transport.posts.count == 1)
    }

    /// A clock that jumps by an hour between two readings.
    private final class LeapingClock: Sendable {
        private let start = CurrentTime.now
        /// The number of readings before the jump; `nil` as long as no jump is wanted.
        private let readingsLeft = Guarded<Int?>(nil)

        var now: CurrentTime {
            readingsLeft.with { left in
                guard let count = left else { return start }
                left = max(count - 1, 0)
                guard count == 0 else { return start }
                let hour = 3_600_000
                return CurrentTime(
                    monotonicTime: start.monotonicTime.advanced(byMilliseconds: hour),
                    wallTime: WireTime(milliseconds: start.wallTime.milliseconds + Int64(hour)))
            }
        }

        func jumpClock(after readings: Int) { readingsLeft.with { $0 = readings } }
    }

    @Test(arguments: 0..<12)
    func `no batch is sent after a denial, even if the clock jumps by an hour at any reading`(
        reading: Int
    ) {
        let place = SharedQueueFolder()
        let clock = LeapingClock()
        let accepting = FakeTransport { _, _ in FakeTransport.accepted() }
        let (one, other) = (place.reporter(online), place.reporter(accepting, now: { clock.now }))
        other.record(message: "leak")
        #expect(hasUnsent(other))
        #expect(one.setCollectionEnabled(false))
        clock.jumpClock(after: reading)
        #expect(
            eventually {
                other.log("each line wakes the thread that sends")
                return other.statistics.waiting == 0
            })
        #expect(accepting.posts.isEmpty)
        #expect(other.statistics.dropped == [.deleted: 1])
    }

    @Test
    func `a process notices that another process withdrew consent, even if consent was given again later`()
        throws
    {
        let place = SharedQueueFolder()
        let held = HeldTransport()
        let (one, other) = (place.reporter(offline), place.reporter(held.transport))
        other.record(message: "leak")
        #expect(eventually { held.transport.posts.count == 1 })
        #expect(one.setCollectionEnabled(false))
        #expect(one.setCollectionEnabled(true))
        held.open()
        #expect(eventually { other.statistics.waiting == 0 })
        #expect(other.statistics.dropped == [.deleted: 1])
        #expect(!other.statistics.isCollecting)
        #expect(held.transport.posts.count == 1)
        // A reporter that starts later collects reports, and so does the one to which consent was given.
        let next = place.reporter(online)
        for reporter in [one, next] {
            reporter.record(message: "after")
            #expect(hasUnsent(reporter))
            #expect(reporter.statistics.isCollecting)
        }
    }

    @Test func `consent does not restore reports from before a denial in another process`() throws {
        let place = SharedQueueFolder()
        let held = HeldTransport()
        let (one, other) = (place.reporter(offline), place.reporter(held.transport))
        other.record(message: "before")
        #expect(eventually { held.transport.posts.count == 1 })
        #expect(one.setCollectionEnabled(false))
        #expect(other.setCollectionEnabled(true))
        other.record(message: "after")
        held.open()
        #expect(other.flush(timeout: generousSeconds))
        #expect(other.statistics.dropped == [.deleted: 1])
        #expect(other.statistics.sent == 1)
        let last = try #require(held.transport.batches().last?["reports"] as? [[String: Any]])
        #expect(last.map { $0["message"] as? String } == ["after"])
    }

    @Test
    func `consent after a denial is stored with a new random mark, and repeated consent keeps the mark`()
        throws
    {
        let place = TemporaryFolder()
        let file = StateFile(folder: place.path, name: "collection")
        func choice() -> CollectionChoice {
            CollectionChoice(file, formerFile: nil, collectsByDefault: true)
        }
        let (one, other) = (choice(), choice())
        #expect(one.readInitialAnswer() == .on && other.readInitialAnswer() == .on)
        #expect(one.setAnswer(true) { _ in })
        #expect(try file.read() == "on")
        #expect(other.permission() == .granted)
        var marks: Set<String> = []
        for _ in 0..<3 {
            #expect(one.setAnswer(false) { _ in } && one.setAnswer(true) { _ in })
            marks.insert(try file.read() ?? "")
            #expect(one.permission() == .granted && other.permission() == .denied)
            #expect(choice().permission() == .granted)
        }
        #expect(marks.count == 3)
        var posted: [Bool] = []
        #expect(other.setAnswer(true) { posted.append($0) })
        #expect(posted == [false, true])
        #expect(one.permission() == .granted && other.permission() == .granted)
    }

    @Test func `while the stored answer about consent cannot be read, nothing is sent or deleted`() throws {
        let place = SharedQueueFolder()
        let held = HeldTransport()
        let reporter = place.reporter(held.transport)
        reporter.record(message: "leak")
        #expect(eventually { held.transport.posts.count == 1 })
        let file = place.folder + "/collection"
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
        held.open()
        #expect(eventually { reporter.statistics.lastFailure?.contains("cannot be read") == true })
        #expect(held.transport.posts.count == 1)
        try FileManager.default.removeItem(atPath: file)
        #expect(reporter.flush(timeout: generousSeconds) || eventually { reporter.statistics.sent == 1 })
        #expect(reporter.statistics.sent == 1)
    }

    // MARK: A choice shared by processes with separate folders

    @Test func `an extension with a folder of its own obeys a shared denial`() {
        let (app, widget) = (SharedQueueFolder(), SharedQueueFolder())
        let shared = TemporaryFolder()
        let reporters = [app, widget].map {
            $0.reporter(online) {
                $0.sendsAutomatically = false
                $0.consentStorage = .folder(shared.path)
            }
        }
        for reporter in reporters {
            reporter.record(message: "leak")
            #expect(hasUnsent(reporter))
        }
        #expect(reporters[0].setCollectionEnabled(false))
        #expect(shared.names() == ["collection"])
        reporters[1].sendUnsentReports()
        #expect(eventually { !reporters[1].statistics.isCollecting })
        #expect(online.posts.isEmpty)
    }

    @Test(
        arguments: [
            ("off", nil, "off"), ("off", "on", "off"), ("on", nil, "on"), ("on", "off", "off"),
            (nil, "on", "on"),
            (nil, "off", "off"),
        ] as [(String?, String?, String?)])
    func `a stored answer moves from the former folder to the shared folder, and replaces no denial there`(
        own: String?, shared: String?, expected: String?
    ) throws {
        let (place, other) = (TemporaryFolder(), TemporaryFolder())
        if let own { try place.write("collection", Array(own.utf8)) }
        if let shared { try other.write("collection", Array(shared.utf8)) }
        let choice = CollectionChoice(
            StateFile(folder: other.path, name: "collection"),
            formerFile: StateFile(folder: place.path, name: "collection"), collectsByDefault: true)
        #expect(choice.readInitialAnswer() == (expected == "on" ? .on : .off))
        #expect(other.bytes("collection").map { String(decoding: $0, as: UTF8.self) } == expected)
        #expect(place.names() == [])
        #expect(choice.setAnswer(true) { _ in })
        #expect(choice.permission() == .granted)
    }

    #if os(Linux)
        @Test
        func `with an unavailable app group nothing is stored or sent, and lastFailure names the group`() {
            let place = SharedQueueFolder()
            let reporter = place.reporter(online) { $0.consentStorage = .appGroup("group.com.acme.shop") }
            reporter.record(message: "leak")
            #expect(reporter.flush(timeout: generousSeconds))
            #expect(reporter.statistics.lastFailure?.contains("group.com.acme.shop") == true)
            #expect(reporter.statistics.dropped == [.misconfigured: 1])
            #expect(online.posts.isEmpty && place.files.isEmpty)
        }
    #endif
}
