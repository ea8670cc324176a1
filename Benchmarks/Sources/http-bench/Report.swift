import Foundation

/// The lines of the table, and the verdicts on the targets.
struct Report {
    static let processorTarget = 0.85
    static let idleBytesTarget = 256.0
    /// The greatest ratio of two p99s that still counts as equal: two runs of the same server differ by as much.
    static let noise = 1.05

    static let head = """
        | load | conns | requests/s | nginx | × nginx | per busy core × | CPU µs | nginx | × | p50 ms | nginx \
        | p99 ms | nginx | × | broken | RSS MiB | nginx | targets |
        |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|
        """

    private(set) var missed: [String] = []

    mutating func line(_ measurement: Measurement) -> String {
        let load = measurement.load
        let rate = measurement.ratio(\.outcome.perSecond)
        let time = measurement.ratio(\.processorTimePerRequest)
        let slowest = measurement.ratio(\.outcome.percentile99)
        var misses: [String] = []
        if let target = load.target {
            if rate.median < target { misses.append("requests/s \(format(rate.median, 2)) < \(target)") }
            if time.median > Self.processorTarget {
                misses.append("CPU \(format(time.median, 2)) > \(Self.processorTarget)")
            }
            if slowest.median > Self.noise { misses.append("p99 \(format(slowest.median, 2)) > 1") }
        }
        missed += misses.map { "\(load.name), \(load.connections) connections: \($0)" }
        func both(_ digits: Int, _ value: (Run) -> Double) -> String {
            let ours = Measurement.median(measurement.ours, value)
            let peers = Measurement.median(measurement.peers, value)
            return "\(format(ours, digits)) | \(format(peers, digits))"
        }
        let broken = measurement.ours.map(\.outcome.broken).reduce(0, +)
        let verdict =
            load.target == nil ? "–" : misses.isEmpty ? "met" : "missed: " + misses.joined(separator: ", ")
        return "| \(load.name) | \(load.connections) | \(both(0, \.outcome.perSecond))"
            + " | \(format(rate.median, 2)) [\(format(rate.least, 2)), \(format(rate.greatest, 2))]"
            + " | \(format(1 / time.median, 2)) | \(both(2, \.processorTimePerRequest))"
            + " | \(format(time.median, 2)) [\(format(time.least, 2)), \(format(time.greatest, 2))]"
            + " | \(both(2, \.outcome.median)) | \(both(2, \.outcome.percentile99))"
            + " | \(format(slowest.median, 2)) | \(broken)"
            + " | \(both(1) { Double($0.memory) / 1024 }) | \(verdict) |"
    }

    mutating func allocationsLine(_ name: String, _ count: Double, limit: Double) -> String {
        // The tolerance is for a few counter updates per second, which do not depend on requests.
        let isMet = count <= limit + 0.01
        if !isMet {
            missed.append("\(name): \(format(count, 2)) allocations per request > \(format(limit, 0))")
        }
        return "allocations per \(name): \(format(count, 2)), \(isMet ? "met" : "missed")"
    }

    mutating func idleLine(connections: Int, ours: Double, nginx: Double) -> String {
        let isMet = ours <= Self.idleBytesTarget
        if !isMet {
            missed.append("memory per idle connection: \(Int(ours)) bytes > \(Int(Self.idleBytesTarget))")
        }
        return "memory per idle connection (\(connections) that have asked once): \(Int(ours)) bytes, nginx "
            + "\(Int(nginx)): \(isMet ? "met" : "missed")"
    }

    private func format(_ number: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", number) }
}
