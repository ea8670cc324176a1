internal import LeakGrammar
import LeakMessage
import LeakStore

/// A report that was kept, with what its JSON says.
struct KeptReport: Sendable {
    var sample: SampleReport
    /// `nil` where the JSON could not be read: it is then shown as it is.
    var report: LeakReport?

    /// What the device's clock said, where it was too far off to count then: see ``Reception/moment(_:receivedAt:)``.
    var doubtedTime: Int64? {
        guard let at = report?.at?.milliseconds, at != sample.at else { return nil }
        return at
    }

    /// The report's JSON as text.
    var json: String { String(decoding: sample.body, as: UTF8.self) }

    /// `5.2.0 (812)`
    static func version(_ version: String, _ build: String?) -> String {
        build.map { "\(version) (\($0))" } ?? version
    }
}

extension KeptReport {
    init(_ sample: SampleReport) {
        self.sample = sample
        let document = try? WireReader.read(sample.body, as: .json)
        report = document?.reports.isEmpty == false ? document?.report(at: 0) : nil
    }
}
