import LeakMessage
import LeakStore

/// A report that was kept, with what its JSON says.
struct KeptReport: Sendable {
    var sample: SampleReport
    /// `nil` where the JSON could not be read: it is then shown as it is.
    var report: LeakReport?

    /// The report's JSON as text.
    var json: String { String(decoding: sample.body, as: UTF8.self) }

    /// `5.2.0 (812)`
    static func version(_ version: String, _ build: String?) -> String {
        build.map { "\(version) (\($0))" } ?? version
    }
}
