internal import LeakMessage
internal import LeakPlatform

/// The collector's log on standard error: text for people, or JSON for programs that gather logs.
///
/// The first lines of a start go to standard output. Only they contain secrets, and only if the operator wants that
/// (``Settings/showsSecrets``).
public struct Log: Sendable {
    public enum Level: String, Sendable {
        case info, warning, error
    }

    private let format: Settings.LogFormat
    private let now: @Sendable () -> Int64

    public init(format: Settings.LogFormat, now: @escaping @Sendable () -> Int64 = WallClock.milliseconds) {
        self.format = format
        self.now = now
    }

    public func info(_ message: String) { record(.info, message) }
    public func warning(_ message: String) { record(.warning, message) }
    public func error(_ message: String) { record(.error, message) }

    /// Writes a line with further fields to standard output, where the first lines of a start go.
    public func reportStartup(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
        Self.write(Self.line(message, level: .info, format: format, now: now(), fields: fields), to: 1)
    }

    private func record(_ level: Level, _ message: String) {
        Self.write(Self.line(message, level: level, format: format, now: now()), to: 2)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var line = Array(text.utf8)
        line.append(UInt8(ascii: "\n"))
        // The line is written at once, so that lines of several threads do not mix. A log that cannot be written must
        // not stop the collector, so errors are ignored.
        _ = writeAll(line, to: descriptor)
    }

    /// Returns the line without its line end.
    ///
    /// - Parameter fields: further fields, which only JSON has.
    static func line(
        _ message: String, level: Level, format: Settings.LogFormat, now: Int64,
        fields: KeyValuePairs<String, String> = [:]
    ) -> String {
        let time = CivilTime(milliseconds: now).rfc3339
        switch format {
        case .text:
            let oneLine = message.split(whereSeparator: \.isNewline).joined(separator: " ")
            return level == .info ? "\(time) \(oneLine)" : "\(time) \(level.rawValue): \(oneLine)"
        case .json:
            var writer = JSONWriter()
            writer.object { writer in
                writer.field("time", time)
                writer.field("level", level.rawValue)
                writer.field("message", message)
                for (name, value) in fields { writer.field(name, value) }
            }
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }
}
