#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif
import LeakHTTPServer
import Synchronization

/// The observers of a server, with counts of their calls.
final class Observation: Sendable {
    private let log: AccessLog
    private let answers = Atomic(0)
    private let slowCalls = Atomic(0)

    /// - Parameter path: the file for the access log.
    /// - Returns: `nil` when the file cannot be opened.
    init?(logAt path: String) {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard file >= 0 else { return nil }
        log = AccessLog(to: file, as: .json)
        close(file)
    }

    /// Adds the observers to the configuration of a server.
    func observe(_ configuration: inout Server.Configuration) {
        configuration.onAnswer = { [self] record in
            answers.add(1, ordering: .relaxed)
            log.write(record)
        }
        configuration.onSlowCall = { [self] _ in slowCalls.add(1, ordering: .relaxed) }
    }

    /// Ends the log and compares the counts of the observers with those of the server.
    ///
    /// - Parameter counters: the counts of a server that has stopped.
    /// - Returns: a description of the difference, or `nil` if there is none.
    func difference(from counters: Counters) -> String? {
        log.close(within: .seconds(5))
        let told = answers.load(ordering: .relaxed)
        let counted =
            counters.successful + counters.redirected + counters.clientErrors + counters.serverErrors
        guard told == counted else {
            return "called for \(told) responses, but the server counted \(counted)"
        }
        let slow = slowCalls.load(ordering: .relaxed)
        return slow == counters.slowCalls
            ? nil : "called for \(slow) slow calls, but the server counted \(counters.slowCalls)"
    }
}
