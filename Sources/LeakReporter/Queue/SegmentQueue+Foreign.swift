import LeakMessage

/// Segments of another endpoint, key or app, which wait for a reporter with that configuration.
///
/// Reports discarded from them are counted in the statistics, but not in the counts of dropped reports that the collector gets,
/// because they may belong to another collector or app.
extension SegmentQueue {
    /// Discards segments past their maximum age, and the oldest segments if all foreign segments together exceed
    /// ``LeakReporter/Bounds/diskBytes``.
    mutating func expireForeignSegments(at now: CurrentTime) {
        removeForeignFiles(.tooOld) { files in files.filter { $0.isStale(at: now.wallTime) } }
        let limit = bounds.diskBytes
        removeForeignFiles(.queueFull) { files in
            var excess = files.reduce(0) { $0 + QueuedSegment.diskBytes(of: $1.sizeBytes) } - limit
            // Sorted by name, which begins with the time.
            return files.sorted { $0.name < $1.name }.prefix { file in
                defer { excess -= QueuedSegment.diskBytes(of: file.sizeBytes) }
                return excess > 0
            }
        }
    }

    /// Discards all foreign segments, at the request of the user.
    mutating func deleteForeignSegments() {
        removeForeignFiles(.deleted) { $0 }
    }

    private mutating func removeForeignFiles(
        _ reason: LeakReporter.DropReason, _ choose: ([ForeignFile]) -> some Sequence<ForeignFile>
    ) {
        guard let folder else { return }
        for bytes in folder.removeForeignFiles({ Array(choose($0)) }) {
            let segment = Segment(bytes)
            let count = segment.sightingCount + segment.damagedSightingCount
            if count > 0 { counts.dropped[reason, default: 0] += count }
        }
    }
}

extension ForeignFile {
    fileprivate func isStale(at now: WireTime) -> Bool {
        QueuedSegment.isStale(key: String(name.prefix { $0 != "." }), at: now)
    }
}
