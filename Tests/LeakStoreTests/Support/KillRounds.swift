#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The rounds of tests that kill a process, or end a connection, in the middle of a command. Each round has its own random times.
enum KillRounds {
    /// 12 rounds by default; `make soak` runs 50 (`STORE_KILLS`).
    static let all: ClosedRange<UInt64> =
        1...(unsafe getenv("STORE_KILLS").flatMap { unsafe UInt64(String(cString: $0)) } ?? 12)
}
