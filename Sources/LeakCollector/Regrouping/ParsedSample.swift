internal import LeakGrammar
import LeakMessage
import LeakStore

/// A sample report with its parsed JSON.
struct ParsedSample: Sendable {
    var sample: SampleReport
    /// The parsed report; `nil` if the JSON could not be parsed. The JSON is then shown unchanged.
    var report: LeakReport?

    /// The report's time by the device's clock, if the report counts at another time because the clock was wrong or the report
    /// too old: see ``SubmissionBuilder/countedTime(_:receivedAt:)``. Otherwise `nil`.
    var implausibleDeviceTime: Int64? {
        guard let at = report?.at?.milliseconds, at != sample.at else { return nil }
        return at
    }

    /// The report's JSON as text.
    var json: String { String(decoding: sample.body, as: UTF8.self) }

    /// Returns the version with its build: `5.2.0 (812)`.
    static func versionText(_ version: String, _ build: String?) -> String {
        build.map { "\(version) (\($0))" } ?? version
    }
}

extension ParsedSample {
    init(_ sample: SampleReport) {
        self.sample = sample
        let document = try? WireReader.read(sample.body, as: .json)
        report = document?.reports.isEmpty == false ? document?.report(at: 0) : nil
    }
}
