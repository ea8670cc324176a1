import LeakCollectorSupport
import LeakFaultyPeers
import Foundation
import LeakMessage
import LeakTransport
import LeakPlatform

@testable import LeakReporter

/// The kind of storage in which the reporters of a test keep waiting reports.
enum StorageKind: CaseIterable {
    case memory, folder

    /// - Parameter path: path of a folder that need not exist yet.
    func storage(_ path: String) -> LeakReporter.Storage {
        switch self {
        case .memory: .memory
        case .folder: .folder(path)
        }
    }
}

/// A folder of one test. It does not exist yet.
struct TestFolder {
    let path = NSTemporaryDirectory() + "reporter-\(UUID().uuidString)"

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

/// A real collector, a relay in front of it that breaks connections, and reporters that send through it.
final class FaultBench {
    static let app = "com.acme.faults"

    let collector: RunningCollector
    let proxy: FaultyProxy
    private let storageKind: StorageKind
    private let folder = TestFolder()
    /// Faults of the next connections, in the order of their arrival.
    private let faults: Guarded<[Fault]>
    private var reporterCount = 0
    private var recorded: [String: Int] = [:]

    init(_ storageKind: StorageKind) throws {
        self.storageKind = storageKind
        let faults = Guarded<[Fault]>([])
        self.faults = faults
        collector = try RunningCollector()
        proxy = try FaultyProxy(to: collector.port) { _ in
            faults.with { $0.isEmpty ? .none : $0.removeFirst() }
        }
    }

    /// Stops the proxy, whose threads would otherwise continue, and removes the files of the reporters.
    func stop() {
        proxy.stop()
        folder.remove()
    }

    /// - Parameter faults: the faults of the next connections; later connections have no faults.
    func setFaults(ofNextConnections faults: [Fault]) {
        self.faults.with { $0 = faults }
    }

    /// Creates a reporter that shares no state with earlier reporters.
    func reporter(
        timeoutMilliseconds: Int = 20_000, _ change: (inout LeakReporter.Configuration) -> Void = { _ in }
    ) -> LeakReporter {
        reporterCount += 1
        return .forFaults(
            port: proxy.port, key: RunningCollector.key,
            storage: storageKind.storage("\(folder.path)/\(reporterCount)"),
            timeoutMilliseconds: timeoutMilliseconds,
            change)
    }

    /// Records one sighting and remembers it.
    func record(_ className: String, by reporter: LeakReporter) {
        var leak = LeakReport()
        leak.className = className
        reporter.record(leak: leak)
        recorded[className, default: 0] += 1
    }

    /// Returns one line for each class whose sightings the collector did not count exactly once.
    func countErrors() throws -> [String] {
        let counted = try collector.reportsByClass(ofApp: Self.app)
        return Set(counted.keys).union(recorded.keys).sorted().compactMap { name in
            let (there, here) = (counted[name] ?? 0, recorded[name] ?? 0)
            return there == here ? nil : "\(name): recorded \(here), counted \(there)"
        }
    }
}

extension LeakReporter {
    /// Returns a reporter that retries within milliseconds.
    ///
    /// - Parameter timeoutMilliseconds: timeout of one attempt.
    static func forFaults(
        port: Int, key: String = "secret", storage: Storage = .memory, timeoutMilliseconds: Int,
        _ change: (inout Configuration) -> Void = { _ in }
    ) -> LeakReporter {
        var configuration = Configuration(
            endpoint: "http://127.0.0.1:\(port)", key: key,
            app: AppInfo(id: FaultBench.app, version: "1.0"), install: .none)
        // Only a flush sends the waiting reports; until then the reporter gathers them.
        configuration.bounds.gatherMilliseconds = 60_000
        configuration.bounds.reportsPerSession = .max
        configuration.bounds.bytesPerDay = .max
        configuration.storage = storage
        configuration.warn = { _ in }
        change(&configuration)
        return LeakReporter(configuration, backoff: Backoff(firstMilliseconds: 2, longestMilliseconds: 5)) {
            var limits = TransportLimits()
            limits.totalMilliseconds = timeoutMilliseconds
            return PlatformTransport.make(limits: limits)
        }
    }
}

extension LeakReporter.Statistics {
    /// Returns one line for each counter that does not add up, or that shows lost reports.
    func countingErrors(recorded: Int) -> [String] {
        let lost = dropped.values.reduce(0, +)
        var complaints: [String] = []
        if sent + waiting + lost != recorded {
            complaints.append("sent \(sent) + waiting \(waiting) + dropped \(lost) is not \(recorded)")
        }
        if stored != recorded { complaints.append("stored \(stored) of \(recorded): \(self)") }
        if sent != recorded { complaints.append("sent \(sent) of \(recorded): \(self)") }
        return complaints
    }
}
