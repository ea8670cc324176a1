internal import LeakMessage
internal import LeakPlatform

/// The time of day, where a time leaves or enters the process. Everything below takes it as a parameter.
public enum WallClock {
    /// Milliseconds since 1970-01-01 00:00 UTC.
    public static func milliseconds() -> Int64 { SystemTime.wall }

    /// Milliseconds since 1970, of `2026-11-20T12:00:00Z`.
    ///
    /// - Returns: `nil` for what RFC 3339 does not have.
    public static func milliseconds(rfc3339 text: String) -> Int64? { WireTime(rfc3339: text)?.milliseconds }

    /// `2026-11-20`, in UTC.
    public static func day(_ milliseconds: Int64) -> String { CivilDate(milliseconds: milliseconds).text }
}
