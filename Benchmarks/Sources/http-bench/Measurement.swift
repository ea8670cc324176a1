import Foundation
import LoadTools

/// One run of one load against one server.
struct Run {
    var outcome: Wrk.Outcome
    var processorSeconds: Double
    /// Resident memory of the server after the run, in KiB.
    var memory: Int

    /// Microseconds of the processor time of the server.
    var processorTimePerRequest: Double { processorSeconds * 1e6 / Double(max(outcome.accepted, 1)) }
}

/// The same load on both servers in alternating order, several times.
struct Measurement {
    let load: Load
    private(set) var ours: [Run] = []
    private(set) var peers: [Run] = []

    init(_ load: Load, ours server: Peer, nginx: Peer, folder: String, rounds: Int, seconds: Int) throws {
        self.load = load
        func run(_ peer: Peer, isNginx: Bool) throws -> Run {
            let script = try load.script(in: folder, peer: isNginx)
            let before = peer.process.processorSeconds
            let outcome = try Wrk.run(
                script: script, port: peer.port, connections: load.connections, seconds: seconds,
                core: Core.load)
            guard outcome.accepted > 0, outcome.refused == 0 else {
                throw Failure("\(load.name): \(outcome.refused) refused by \(isNginx ? "nginx" : "us")")
            }
            return Run(
                outcome: outcome, processorSeconds: peer.process.processorSeconds - before,
                memory: peer.process.memory.now)
        }
        for round in 0..<rounds {
            // Both servers take turns in running first, because the first run finds the machine in another state.
            if round.isMultiple(of: 2) {
                ours.append(try run(server, isNginx: false))
                peers.append(try run(nginx, isNginx: true))
            } else {
                peers.append(try run(nginx, isNginx: true))
                ours.append(try run(server, isNginx: false))
            }
        }
    }

    /// The median, least and greatest ratio of the rounds.
    func ratio(_ value: (Run) -> Double) -> (median: Double, least: Double, greatest: Double) {
        let ratios = zip(ours, peers).map { value($0) / max(value($1), .leastNonzeroMagnitude) }.sorted()
        return (ratios[ratios.count / 2], ratios[0], ratios[ratios.count - 1])
    }

    static func median(_ runs: [Run], _ value: (Run) -> Double) -> Double {
        runs.map(value).sorted()[runs.count / 2]
    }
}
