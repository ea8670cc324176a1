/// Limits that apply to every transport.
package struct TransportLimits: Hashable, Sendable {
    /// Time limit from the DNS lookup to the end of the TLS handshake. A phone on a slow network needs a few seconds.
    package var connectMilliseconds = 10_000
    /// Time limit from the start to the last byte of the response. A full batch of 256 KiB takes 21 s at 100 kbit/s.
    package var totalMilliseconds = 60_000
    /// The most bytes of a response. The collector's longest response lists 64 rejected reports at about 100 bytes each.
    package var answerBytes = 64 * 1024

    package static let userAgent = "LeakReporter/1"

    package init() {}
}
