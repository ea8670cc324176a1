import LeakMessage

/// A segment of the queue: the location of its bytes, and its counts.
struct QueuedSegment {
    /// The key of the batch, which is also the file name without its extension.
    let key: String
    /// Bytes that are not on disk, in order; they follow the saved bytes.
    var unsavedBytes: [UInt8] = []
    var savedByteCount = 0
    /// The number of sightings in the segment.
    var sightingCount = 0
    /// The number of sightings that are, at least in part, in ``unsavedBytes``.
    var unsavedSightingCount = 0
    /// The number of explanations in the segment.
    var explanationCount = 0
    /// The number of sightings that can no longer be read; counted as dropped when the segment is removed.
    var damagedSightingCount = 0
    /// The time of the first attempt to send the segment that the collector may have counted; `nil` before such an attempt.
    var sentAt: WireTime?
    /// The number of the segment's first record, by which callers find out whether a record has been delivered.
    var firstSequence: UInt64
    /// Files that contain a part of this segment as well and could not be removed yet. They must be removed before the segment is
    /// sent, otherwise the next run would send that part too. Changed only by ``SegmentQueue/block(_:until:)``.
    var blockedBy: Set<String> = []
    /// The id of the app whose reports the segment contains.
    var appID: String?
    /// `true` if an attempt failed or was not counted, or an earlier run sent the segment, so that other segments go first.
    var isRetry = false
    /// The length of the segment in bytes before the last attempt added the footer. `nil` before the first attempt, and if an
    /// earlier attempt added the footer: the collector may have counted that attempt.
    var bytesBeforeFooter: Int?
    /// `true` if a file may exist, even if the file is empty.
    var hasFile = false
    /// `true` if no later run can send other bytes under the key: the footer survives a power cut, or all of it is in memory.
    var isContentFixed = false
    /// The time since which the existing file could not be read; `nil` if it can be read.
    var unreadableSince: MonotonicTime?

    var fileName: String { key + Segment.fileEnding }
    var bytes: Int { savedByteCount + unsavedBytes.count }
    /// The bytes that the segment's file occupies on disk. Because even a short file counts as 4 KiB,
    /// ``LeakReporter/Bounds/diskBytes`` limits the number of files as well.
    var diskBytes: Int { savedByteCount > 0 ? Self.diskBytes(of: savedByteCount) : 0 }

    /// Estimates the bytes that a file occupies on disk: at least 4 KiB, the size of a block on APFS, ext4 and XFS.
    static func diskBytes(of bytes: Int) -> Int { max(bytes, 4096) }

    /// The age at which a segment that was never sent is discarded, 30 days. The collector counts older reports as 30 days old,
    /// which gives them a wrong time.
    static let staleMilliseconds: Int64 = 30 * 86_400_000

    /// Returns `true` if the segment is older than ``staleMilliseconds``. The key begins with the time at which the segment was
    /// started.
    func isStale(at now: WireTime) -> Bool { Self.isStale(key: key, at: now) }

    static func isStale(key: String, at now: WireTime) -> Bool {
        guard let startedAt = Int64(key.filter { $0 != "-" }.prefix(12), radix: 16) else { return false }
        let (age, isOutOfRange) = now.milliseconds.subtractingReportingOverflow(startedAt)
        return !isOutOfRange && age >= Self.staleMilliseconds
    }
}

/// The segment that is being written.
struct ActiveSegment {
    struct OpenReport {
        let index: UInt32
        var sightingCount: Int
    }

    var queuedSegment: QueuedSegment
    let header: SegmentHeader
    /// The time at which the segment is to be sent; `nil` if nothing in it is worth a request.
    private(set) var dueAt: MonotonicTime?
    /// The reports to which further sightings of a leak can be added.
    var openReports: [ReportMergeKey: OpenReport] = [:]
    var reportCount: UInt32 = 0
    var recordCount = 0
    /// Repeated sightings since the last commit, by the index of the report.
    var repeats: [UInt32: (count: Int, alive: Int?)] = [:]

    init(_ header: SegmentHeader, sequence: UInt64) {
        self.header = header
        queuedSegment = QueuedSegment(key: header.key, firstSequence: sequence)
        queuedSegment.appID = header.app.id
        append(.header(header))
    }

    mutating func append(_ record: SegmentRecord) {
        record.write(to: &queuedSegment.unsavedBytes)
        if case .explanation = record { queuedSegment.explanationCount += 1 }
        recordCount += 1
    }

    /// Makes the segment due at `monotonicTime` or earlier.
    mutating func setDue(by monotonicTime: MonotonicTime) {
        dueAt = min(dueAt ?? monotonicTime, monotonicTime)
    }

    /// Appends a record of the repeated sightings for each report.
    mutating func appendRepeats() {
        for (index, counts) in repeats.sorted(by: { $0.key < $1.key }) {
            append(
                .repeatedSightings(
                    index: index, count: UInt32(clamping: counts.count),
                    alive: counts.alive.map { UInt32(clamping: $0) }))
        }
        repeats.removeAll(keepingCapacity: true)
    }
}
