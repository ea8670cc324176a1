/// Bounds that every transport keeps.
package struct TransportLimits: Hashable, Sendable {
    /// From the name's look-up to the end of the TLS handshake. A phone on a slow network needs a few seconds.
    package var connectMilliseconds = 10_000
    /// From start to the last byte of the answer. A full batch of 256 KiB takes 21 s at 100 kbit/s.
    package var totalMilliseconds = 60_000
    /// The collector's longest answer names 64 refused reports at about 100 bytes each.
    package var answerBytes = 64 * 1024

    package static let userAgent = "LeakReporter/1"

    package init() {}
}
