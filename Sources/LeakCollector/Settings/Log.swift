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

    public func info(_ message: String) { write(.info, message) }
    public func warning(_ message: String) { write(.warning, message) }
    public func error(_ message: String) { write(.error, message) }

    private func write(_ level: Level, _ message: String) {
        var line = Array(Self.line(level, message, form, now()).utf8)
        line.append(UInt8(ascii: "\n"))
        // One write, so that lines of several threads do not mix. A log that cannot be written stops nothing.
        _ = unsafe line.withUnsafeBytes { unsafe Glibc_or_Darwin_write(2, $0.baseAddress, $0.count) }
    }

    /// The line without its end.
    static func line(_ level: Level, _ message: String, _ form: Settings.LogForm, _ now: Int64) -> String {
        let time = WallClock.text(now)
        switch form {
        case .text:
            let oneLine = message.split(whereSeparator: \.isNewline).joined(separator: " ")
            return level == .info ? "\(time) \(oneLine)" : "\(time) \(level.rawValue): \(oneLine)"
        case .json:
            return #"{"time":"\#(time)","level":"\#(level.rawValue)","message":"\#(escaped(message))"}"#
        }
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": escaped += "\\\""
            case "\\": escaped += "\\\\"
            case "\u{0}"..."\u{1F}":
                escaped += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
