internal import LeakMessage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Lines about what the collector does, on standard error: for people or, as JSON, for programs that gather logs.
///
/// Secrets never reach it: what is logged is written out at each call.
public struct Log: Sendable {
    public enum Level: String, Sendable {
        case info, warning, error
    }

    private let form: Settings.LogForm
    private let now: @Sendable () -> Int64

    public init(form: Settings.LogForm, now: @escaping @Sendable () -> Int64 = WallClock.milliseconds) {
        self.form = form
        self.now = now
    }

    public func info(_ message: String) { record(.info, message) }
    public func warning(_ message: String) { record(.warning, message) }
    public func error(_ message: String) { record(.error, message) }

    private func record(_ level: Level, _ message: String) {
        var line = Array(Self.line(level, message, form, now()).utf8)
        line.append(UInt8(ascii: "\n"))
        // One write, so that lines of several threads do not mix. A log that cannot be written stops nothing.
        _ = unsafe line.withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
    }

    /// The line without its end.
    static func line(_ level: Level, _ message: String, _ form: Settings.LogForm, _ now: Int64) -> String {
        let time = CivilTime(milliseconds: now).rfc3339
        switch form {
        case .text:
            let oneLine = message.split(whereSeparator: \.isNewline).joined(separator: " ")
            return level == .info ? "\(time) \(oneLine)" : "\(time) \(level.rawValue): \(oneLine)"
        case .json:
            var writer = JSONWriter()
            writer.object { writer in
                writer.field("time", time)
                writer.field("level", level.rawValue)
                writer.field("message", message)
            }
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }
}
