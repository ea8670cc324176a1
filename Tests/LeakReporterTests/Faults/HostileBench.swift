import LeakFaultyPeers

@testable import LeakReporter

/// Runs `body` with a separate reporter and the peer that it sends to.
///
/// - Parameters:
///   - readLimit: the parameter of the same name of ``HostilePeer``.
///   - react: returns the reaction of the peer to a request.
func withReporter<Result>(
    _ storageKind: StorageKind = .folder, timeoutMilliseconds: Int = 20_000,
    readLimit: @escaping @Sendable (_ connection: Int) -> Int? = { _ in nil },
    to react: @escaping @Sendable (ReceivedRequest) -> [HostilePeer.Step],
    _ body: (LeakReporter, HostilePeer) throws -> Result
) throws -> Result {
    let peer = try HostilePeer(readLimit: readLimit, react)
    defer { peer.stop() }
    let folder = TestFolder()
    defer { folder.remove() }
    let reporter = LeakReporter.forFaults(
        port: peer.port, storage: storageKind.storage(folder.path), timeoutMilliseconds: timeoutMilliseconds)
    return try body(reporter, peer)
}

extension HostilePeer.Step {
    /// The response of a collector that accepted three reports.
    static let accepted = answer(
        200, type: "application/json", #"{"accepted": 3, "duplicate": false, "rejected": []}"#)
}

extension LeakReporter {
    func recordThree() {
        for number in 1...3 { record(message: "Expected deallocation of Shop.Page\(number)") }
    }
}
